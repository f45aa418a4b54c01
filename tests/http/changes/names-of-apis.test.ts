/** Records of authorized APIs name the APIs and scopes, so that an auditor understands them after the API is gone. */
import { expect, test } from "vitest";
import { fresh, type Shown } from "#tests/support/scim.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const APIS = "/api/server/v1/api-resources";
const sent = async (method: string, path: string, body?: unknown) => {
  const answer = await api.ask(method, path, body === undefined ? {} : { body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
};
const newApi = async (name: string, ...scopes: readonly string[]): Promise<string> => {
  const body = { name, identifier: `https://${fresh("api")}.example`, requiresAuthorization: false };
  return (await sent("POST", APIS, { ...body, scopes: scopes.map((one) => ({ name: one, displayName: one })) })).body
    .id;
};
/** The names in the changes of the records of an application, oldest first. */
const told = async (id: string): Promise<Shown[]> => {
  const { body } = await sent(
    "GET",
    `/api/server/v1/audit-events?resourceId=${id}&resourceType=authorized-apis&order=asc`,
  );
  return body.records.map(({ operation, changes }: Shown) => [
    operation,
    changes.flatMap(({ names = {} }: Shown) => Object.values(names)),
  ]);
};

test("added, changed and removed APIs and scopes have their names in records, also when they are gone", async () => {
  const [orders, stock] = [await newApi("Orders", "orders.read", "orders.write"), await newApi("Stock", "stock.count")];
  const application = await api.create({ name: fresh("authorized") });
  const own = `${APPLICATIONS}/${application}/authorized-apis`;
  const policyIdentifier = "No Policy";
  await sent("POST", own, { id: orders, policyIdentifier, scopes: ["orders.read"] });
  await sent("POST", own, { id: stock, policyIdentifier, scopes: ["stock.count"] });
  await sent("PATCH", `${own}/${orders}`, { addedScopes: ["orders.write"], removedScopes: ["orders.read"] });
  await sent("DELETE", `${own}/${stock}`);
  const { body } = await sent("GET", `${APIS}?filter=identifier+eq+/api/server/v1/applications`);
  const [{ id: system }] = body.apiResources;
  await sent("POST", own, { id: system, scopes: ["internal_application_mgt_view"] });
  for (const id of [orders, stock]) await sent("DELETE", `${APIS}/${id}`);
  expect(await told(application)).toEqual([
    ["authorizeApi", ["Orders", "orders.read"]],
    ["authorizeApi", ["Stock", "stock.count"]],
    ["patchAuthorizedApi", ["Orders", "orders.read", "orders.write"]],
    ["deleteAuthorizedApi", ["Stock", "stock.count"]],
    ["authorizeApi", expect.arrayContaining(["Application Management API", "internal_application_mgt_view"])],
  ]);
});

test("an application that is deleted and restored names the APIs that it is authorized for again", async () => {
  const orders = await newApi("Returns", "returns.read");
  const application = await api.create({ name: fresh("authorized") });
  const own = `${APPLICATIONS}/${application}/authorized-apis`;
  await sent("POST", own, { id: orders, policyIdentifier: "No Policy", scopes: ["returns.read"] });
  const [version] = (await sent("GET", `${own}/history`)).body.records;
  await sent("DELETE", `${own}/${orders}`);
  await sent("POST", `${own}/history/${version.id}/restore`);
  const [, , restored] = await told(application);
  expect(restored).toEqual([expect.stringMatching(/^restore/), ["Returns", "returns.read"]]);
});
