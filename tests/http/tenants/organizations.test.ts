/** What tools of Identity Server read of a tenant before they move its resources. */
import { beforeAll, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const as = { username: "nobody-special", password: "a-long-password" };
beforeAll(async () => {
  await addUser(api.service, { ...as, scopes: ["internal_user_mgt_view"] });
});
const refused = async (path: string) => expect((await api.ask("GET", path, { as })).status).toBe(403);

describe("getOwnOrganization", () => {
  const path = "/api/server/v1/organizations/self";
  test("is the tenant, whose id is the audience of its roles", async () => {
    const { status, body } = await api.ask("GET", path);
    expect([status, body]).toEqual([
      200,
      {
        id: "carbon.super",
        name: "carbon.super",
        orgHandle: "carbon.super",
        status: "ACTIVE",
        version: "v1.0.0",
        created: expect.stringMatching(/^\d{4}-/),
        lastModified: expect.stringMatching(/^\d{4}-/),
        type: "TENANT",
        hasChildren: false,
      },
    ]);
    const [role] = (await api.ask("GET", "/scim2/v2/Roles")).body.Resources;
    expect(role.audience).toMatchObject({ type: "organization", value: body.id });
    const audience = { type: "organization", value: body.id };
    expect((await api.ask("POST", "/scim2/v2/Roles", { body: { displayName: "moved", audience } })).status).toBe(201);
    await refused(path);
  });
  test("is that of the caller", async () => {
    const owners = [
      {
        username: "boss",
        password: "a-long-password",
        email: "boss@taxi.example",
        provisioningMethod: "inline-password",
      },
    ];
    await api.ask("POST", "/api/server/v1/tenants", { body: { domain: "taxi.example", owners } });
    const boss = { username: "boss@taxi.example", password: "a-long-password" };
    expect((await api.ask("GET", `/t/taxi.example${path}`, { as: boss })).body.id).toBe("taxi.example");
  });
});

describe("listOrganizations", () => {
  test("is empty", async () => {
    const path = "/api/server/v1/organizations";
    expect((await api.ask("GET", path)).body).toEqual({ links: [], organizations: [] });
    await refused(path);
  });
});

describe("listIdentityProviders", () => {
  test("is empty, in the shape of Identity Server", async () => {
    const path = "/api/server/v1/identity-providers";
    const empty = { totalResults: 0, startIndex: 1, count: 0, links: [], identityProviders: [] };
    expect((await api.ask("GET", path)).body).toEqual(empty);
    expect((await api.ask("GET", `${path}?limit=10&offset=0&filter=name+sw+x`)).body).toEqual(empty);
    expect((await api.ask("GET", `${path}?limit=x`)).status).toBe(400);
    await refused(path);
  });
});
