/** The types of the client: what compiles, and what does not. `npm run types` checks it; packages.test.ts too. */
import { type Api, type BodyOf, client, type Route } from "#client/client.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_T extends true>(): void => undefined;

const api: Api = client({ url: "http://127.0.0.1:3000", credentials: { username: "admin", password: "admin" } });

export async function accepted(): Promise<void> {
  const made = await api.applications.create({
    name: "Dispatch",
    inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
    claimConfiguration: { dialect: "LOCAL" },
  });
  holds<Equal<typeof made.id, string>>();
  const application = await api.applications.get(made.id);
  holds<Equal<typeof application.claimConfiguration.dialect, "CUSTOM" | "LOCAL">>();
  await api.applications.update(made.id, { description: "Cars" }, { dryRun: true });
  for await (const each of api.applications.list({ filter: "name co Dis", limit: 10 })) {
    holds<Equal<typeof each.name, string>>();
  }
  for await (const user of api.users.list({ filter: 'userName sw "k"' })) {
    holds<Equal<typeof user.userName, string | undefined>>();
  }
  await api.users.create({
    userName: "kim",
    password: "maple-tree-42",
    emails: [{ value: "kim@example.com", primary: true }],
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Cars" },
  });
  await api.users.update("id", { active: false });
  await api.users.update("id", { Operations: [{ op: "remove", path: "title" }] });
  await api.tenants.create({
    domain: "acme.com",
    owners: [
      { username: "kim", password: "maple-tree-42", email: "kim@acme.com", firstname: "Kim", lastname: "Berry" },
    ],
  } as BodyOf<"POST /api/server/v1/tenants">);
  const { body } = await api.request("GET /api/server/v1/applications/{applicationId}/inbound-protocols/oidc", {
    params: { applicationId: made.id },
  });
  holds<Equal<typeof body.clientId, string>>();
  for await (const record of api.changes.list()) holds<Equal<typeof record.id, string>>();
  holds<Equal<string extends Route ? true : false, false>>();
}

export async function refused(): Promise<void> {
  // @ts-expect-error a member that applications do not have
  await api.applications.create({ name: "Dispatch", nme: "x" });
  // @ts-expect-error a missing name
  await api.applications.create({ description: "Cars" });
  // @ts-expect-error a value of another type
  await api.applications.create({ name: "Dispatch", applicationEnabled: "yes" });
  // @ts-expect-error a value that the member cannot have
  await api.applications.create({ name: "Dispatch", claimConfiguration: { dialect: "LOCALL" } });
  // @ts-expect-error an attribute that users do not have
  await api.users.create({ userName: "kim", nickname: "k" });
  // @ts-expect-error an attribute that users do not have
  await api.users.update("id", { activ: false });
  // @ts-expect-error a parameter that the list does not have
  api.users.list({ filters: "" });
  // @ts-expect-error a route that the API does not have
  await api.request("GET /scim2/Usr/{id}", { params: { id: "1" } });
  // @ts-expect-error a missing parameter of the path
  await api.request("GET /scim2/Users/{id}");
  // @ts-expect-error a missing body
  await api.request("POST /scim2/Users");
  // @ts-expect-error tenants cannot be deleted
  await api.tenants.delete("id");
  // @ts-expect-error half of a credential
  client({ url: "http://127.0.0.1:3000", credentials: { username: "admin" } });
}
