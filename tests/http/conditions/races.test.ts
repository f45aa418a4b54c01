/** Writers that send the same entity tag at the same time: one of them makes its change. */
import { expect, test } from "vitest";
import { type Answer, APPLICATIONS, world } from "#tests/support/world.ts";

const { ask, create } = world();
const APIS = "/api/server/v1/api-resources";
const tagOf = async (path: string): Promise<string> => (await ask("GET", path)).headers.get("etag") ?? "";
const idIn = ({ headers }: Answer): string => headers.get("location")?.split("/").at(-1) ?? "";
const oidc = (callback: string) => ({
  grantTypes: ["authorization_code"],
  callbackURLs: [`https://${callback}.example`],
});
const ifMatch = (tag: string) => ({ headers: { "if-match": tag } });
const newApi = async (name: string): Promise<string> =>
  idIn(await ask("POST", APIS, { body: { name, identifier: name, scopes: [{ name: `${name}:read` }] } }));

const writers = 4;
/** Makes a resource: its path, the path of its tag, and the change of each writer. */
const kinds: Record<
  string,
  () => Promise<{ path: string; shown?: string; method: string; bodyOf: (at: number) => unknown }>
> = {
  "an application": async () => ({
    path: `${APPLICATIONS}/${await create({ name: `race ${Math.random()}` })}`,
    method: "PATCH",
    bodyOf: (at) => ({ description: `by ${at}` }),
  }),
  "a protocol": async () => {
    const path = `${APPLICATIONS}/${await create({ name: `race ${Math.random()}` })}/inbound-protocols/oidc`;
    await ask("PUT", path, { body: oidc("first") });
    return { path, method: "PUT", bodyOf: (at) => oidc(`by-${at}`) };
  },
  "the resident application": async () => ({
    path: `${APPLICATIONS}/resident`,
    method: "PUT",
    bodyOf: (at) => ({ outboundProvisioningIdps: [{ idp: `by ${at} ${Math.random()}`, connector: "scim" }] }),
  }),
  "a template": async () => {
    const body = { name: `race ${Math.random()}`, application: { name: "a" } };
    const path = `${APPLICATIONS}/templates/${idIn(await ask("POST", `${APPLICATIONS}/templates`, { body }))}`;
    return { path, method: "PUT", bodyOf: (at) => ({ ...body, description: `by ${at}` }) };
  },
  "the authorized APIs of an application": async () => {
    const [id, other] = [await newApi(`race-${Math.random()}`), await newApi(`race-${Math.random()}`)];
    const shown = `${APPLICATIONS}/${await create({ name: `race ${Math.random()}` })}/authorized-apis`;
    await ask("POST", shown, { body: { id: other } });
    return { path: shown, method: "POST", bodyOf: () => ({ id }) };
  },
  "an API resource": async () => ({
    path: `${APIS}/${await newApi(`race-${Math.random()}`)}`,
    method: "PATCH",
    bodyOf: (at) => ({ description: `by ${at}` }),
  }),
  "the scopes of an API resource": async () => ({
    path: `${APIS}/${await newApi(`race-${Math.random()}`)}/scopes`,
    method: "PUT",
    bodyOf: (at) => [{ name: `race:${at}:${Math.random()}` }],
  }),
  "a tenant": async () => {
    const body = {
      domain: `race-${Math.random()}.example`,
      owners: [{ username: "boss", password: "a-long-password", provisioningMethod: "inline-password" }],
    };
    const shown = `/api/server/v1/tenants/${idIn(await ask("POST", "/api/server/v1/tenants", { body }))}`;
    return { path: `${shown}/lifecycle-status`, shown, method: "PUT", bodyOf: () => ({ activated: false }) };
  },
  ...Object.fromEntries(
    ["/scim2", "/svc/scim"].flatMap((base) => [
      [
        `a user of ${base}`,
        async () => {
          const userName = `race-${Math.random()}`;
          const { id } = (await ask("POST", "/scim2/Users", { body: { userName, password: "a-long-password" } })).body;
          return {
            path: `${base}/Users/${id}`,
            method: "PUT",
            bodyOf: (at: number) => ({ userName, title: `by ${at}` }),
          };
        },
      ],
      [
        `a group of ${base}`,
        async () => {
          const { id } = (await ask("POST", "/scim2/Groups", { body: { displayName: `race-${Math.random()}` } })).body;
          return {
            path: `${base}/Groups/${id}`,
            method: "PUT",
            bodyOf: (at: number) => ({ displayName: `by ${at} ${Math.random()}` }),
          };
        },
      ],
    ]),
  ),
  "a role": async () => {
    const { id } = (await ask("POST", "/scim2/v2/Roles", { body: { displayName: `race-${Math.random()}` } })).body;
    return {
      path: `/scim2/v2/Roles/${id}`,
      method: "PUT",
      bodyOf: (at) => ({ displayName: `by ${at} ${Math.random()}` }),
    };
  },
};
test.each(Object.entries(kinds))("%s: one of them changes it", async (_, make) => {
  const { path, shown = path, method, bodyOf } = await make();
  for (let round = 0; round < 3; round += 1) {
    const tag = await tagOf(shown);
    expect(tag).toMatch(/"/);
    const all = await Promise.all(
      Array.from({ length: writers }, (_, at) =>
        ask(method, path, { body: bodyOf(round * writers + at), ...ifMatch(tag) }),
      ),
    );
    const statuses = all.map(({ status }) => status).sort();
    expect([statuses[0], statuses.slice(1)], all.map(({ text }) => text).join()).toEqual([
      expect.any(Number),
      [412, 412, 412],
    ]);
    expect(statuses[0]).toBeLessThan(300);
    // Some changes are the same at every attempt: made once, they leave nothing to race for.
    if (bodyOf(0) === bodyOf(1) || method === "POST" || path.endsWith("lifecycle-status")) return;
  }
});
