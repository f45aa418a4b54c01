/** Scopes of APIs that are changed by their ids, as tools of Identity Server do, and APIs whose identifiers are URLs. */
import { beforeAll, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const APIS = "/api/server/v1/api-resources";
const URL_IDENTIFIER = "https://api.example.com/v1/things?x=1#part";
interface Scope {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly description?: string;
}
let id = "";
const scopes = async (): Promise<readonly Scope[]> => (await api.ask("GET", `${APIS}/${id}/scopes`)).body;
const named = async (name: string): Promise<Scope> => {
  const found = (await scopes()).find((scope) => scope.name === name);
  if (!found) throw new Error(`no scope ${name}`);
  return found;
};
const at = (scopeId: string): string => `${APIS}/${id}/scopes/id/${scopeId}`;

beforeAll(async () => {
  const body = {
    name: "Things",
    identifier: URL_IDENTIFIER,
    scopes: [
      { name: "things:read", displayName: "Read", description: "Reads" },
      { name: "things:write", displayName: "Write" },
      { name: "id", displayName: "A scope that is named like the path" },
    ],
  };
  id = (await api.ask("POST", APIS, { body })).body.id;
  await addUser(api.service, {
    username: "viewer",
    password: "a-long-password",
    scopes: ["internal_api_resource_view"],
  });
});

describe("patchApiResourceScopeById", () => {
  test("changes a scope; blank and absent members stay", async () => {
    const { id: scope } = await named("things:read");
    expect((await api.ask("PATCH", at(scope), { body: { description: "Reads things" } })).status).toBe(204);
    expect((await api.ask("PATCH", at(scope), { body: { displayName: " ", description: null } })).status).toBe(204);
    expect(await named("things:read")).toMatchObject({ displayName: "Read", description: "Reads things" });
    expect((await api.ask("PATCH", at(scope), { body: { displayName: "Look" } })).status).toBe(204);
    expect(await named("things:read")).toMatchObject({ id: scope, displayName: "Look" });
  });
  test("knows no other scope or API, and needs its right", async () => {
    const { id: scope } = await named("things:read");
    expect((await api.ask("PATCH", at("none"), { body: {} })).status).toBe(404);
    expect((await api.ask("PATCH", `${APIS}/none/scopes/id/${scope}`, { body: {} })).status).toBe(404);
    const as = { username: "viewer", password: "a-long-password" };
    expect((await api.ask("PATCH", at(scope), { body: {}, as })).status).toBe(403);
    const system = (await api.ask("GET", `${APIS}?filter=${encodeURIComponent('identifier eq "/scim2/Users"')}`)).body;
    const { id: own } = system.apiResources[0];
    const [{ id: first }] = (await api.ask("GET", `${APIS}/${own}/scopes`)).body;
    expect((await api.ask("PATCH", `${APIS}/${own}/scopes/id/${first}`, { body: { displayName: "x" } })).status).toBe(
      403,
    );
  });
  test("the scope that is named id is reached by its name", async () => {
    expect((await api.ask("PATCH", `${APIS}/${id}/scopes/id`, { body: { displayName: "By name" } })).status).toBe(204);
    expect((await named("id")).displayName).toBe("By name");
  });
});

describe("deleteApiResourceScopeById", () => {
  test("removes a scope, also twice, and of an API that does not exist", async () => {
    const { id: scope } = await named("things:write");
    for (const path of [at(scope), at(scope), `${APIS}/none/scopes/id/${scope}`]) {
      expect((await api.ask("DELETE", path)).status).toBe(204);
    }
    expect((await scopes()).map(({ name }) => name)).not.toContain("things:write");
  });
});

describe("an identifier that is a URL", () => {
  test("is found by a filter, and can be authorized", async () => {
    const filter = encodeURIComponent(`identifier eq "${URL_IDENTIFIER}"`);
    const { body } = await api.ask("GET", `${APIS}?filter=${filter}`);
    expect(body.apiResources.map((one: { identifier: string }) => one.identifier)).toEqual([URL_IDENTIFIER]);
    const application = await api.create({ name: "caller of things" });
    const path = `/api/server/v1/applications/${application}/authorized-apis`;
    expect((await api.ask("POST", path, { body: { id, policyIdentifier: "RBAC", scopes: [] } })).status).toBe(200);
    expect((await api.ask("GET", path)).body[0].identifier).toBe(URL_IDENTIFIER);
  });
  test("is taken once", async () => {
    const body = { name: "again", identifier: URL_IDENTIFIER };
    expect((await api.ask("POST", APIS, { body })).status).toBe(409);
  });
});
