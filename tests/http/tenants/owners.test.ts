/** Owners of tenants, and tenants that are left out of lists (decision 0100). */
import { describe, expect, test } from "vitest";
import { recordsIn } from "#tests/support/changes.ts";
import { addUser } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const TENANTS = "/api/server/v1/tenants";
const password = "a-long-password";
const NICK = "http://wso2.org/claims/nickname";
const update = { email: "robin@example.com", firstname: "Robin", lastname: "Field" };
let made = 0;
const newTenant = async () => {
  made += 1;
  const domain = `owned-${made}.example`;
  const owners = [{ username: "kim", password, email: "kim@example.com", firstname: "Kim", lastname: "Berry" }];
  const { headers } = await api.ask("POST", TENANTS, { body: { domain, owners } });
  const at = new URL(headers.get("location") ?? "").pathname;
  const [owner] = (await api.ask("GET", `${at}/owners`)).body;
  return {
    domain,
    at,
    owner: `${at}/owners/${owner.id}`,
    ownerId: owner.id,
    as: { username: `kim@${domain}`, password },
  };
};
const refusal = ({ status, body }: { status: number; body: { code: string } }) => `${status} ${body.code}`;

describe("getTenantOwner", () => {
  test("shows the address, the name, and those of the requested claims that have a value", async () => {
    const { owner, ownerId, domain, as } = await newTenant();
    const shown = await api.ask("GET", owner);
    expect([shown.status, shown.body]).toEqual([
      200,
      {
        id: ownerId,
        username: "kim",
        email: "kim@example.com",
        firstname: "Kim",
        lastname: "Berry",
        additionalClaims: [],
      },
    ]);
    const Operations = [{ op: "replace", path: "nickName", value: "Kimmy" }];
    await api.ask("PATCH", `/t/${domain}/scim2/Users/${ownerId}`, { as, body: { Operations } });
    const claims = `${NICK},http://wso2.org/claims/title,http://wso2.org/claims/unknown,x`;
    const { body } = await api.ask("GET", `${owner}?${new URLSearchParams({ additionalClaims: claims })}`);
    expect(body.additionalClaims).toEqual([{ claim: NICK, value: "Kimmy" }]);
  });
  test("returns 400 for a user who is no owner, 404 for an unknown tenant, 403 to other tenants", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    expect(refusal(await api.ask("GET", `${one.at}/owners/${other.ownerId}`))).toBe("400 TM-60020");
    expect(refusal(await api.ask("GET", `${TENANTS}/unknown/owners/${one.ownerId}`))).toBe("404 TM-60014");
    expect((await api.ask("GET", one.owner, { as: one.as })).status).toBe(403);
  });
  test("needs the right to view users too", async () => {
    const { owner } = await newTenant();
    const lister = { username: "lister", password };
    await addUser(api.service, { ...lister, scopes: ["internal_list_tenants"] });
    expect((await api.ask("GET", owner, { as: lister })).status).toBe(403);
  });
});

describe("updateTenantOwner", () => {
  test("changes address, name and claims in one change, and leaves the rest", async () => {
    const { owner, ownerId, domain, as } = await newTenant();
    const path = `/t/${domain}/scim2/Users/${ownerId}`;
    const Operations = [
      { op: "add", path: "title", value: "Owner" },
      { op: "add", path: "emails", value: [{ value: "second@example.com", type: "other" }] },
    ];
    await api.ask("PATCH", path, { as, body: { Operations } });
    const answer = await api.ask("PUT", owner, {
      body: { ...update, additionalClaims: [{ claim: NICK, value: "Rob" }] },
    });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect((await api.ask("GET", owner)).body).toMatchObject({ ...update, username: "kim" });
    const { body } = await api.ask("GET", path, { as });
    expect(body).toMatchObject({ nickName: "Rob", title: "Owner", name: { givenName: "Robin", familyName: "Field" } });
    expect(body.emails.map(({ value }: { value: string }) => value).sort()).toEqual([
      "robin@example.com",
      "second@example.com",
    ]);
    const [record] = (await recordsIn(api, domain)).filter(({ operation }) => operation === "updateTenantOwner");
    expect(record).toMatchObject({ resource: { type: "user", id: ownerId }, actor: { type: "operator", id: "" } });
    expect(record?.changes.map(({ path: at }) => at).sort()).toEqual(
      expect.arrayContaining(["/name/familyName", "/name/givenName", "/nickName"]),
    );
  });

  test("refuses a password hash, here and for a new tenant: it would be a password that the owner does not know", async () => {
    const { owner, as } = await newTenant();
    const hashes = [
      "{SSHA}c29tZXRoaW5nIGxvbmcgZW5vdWdo",
      "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2hoYXNo",
    ];
    for (const hash of hashes) {
      const changed = await api.ask("PUT", owner, { body: { ...update, password: hash } });
      expect([changed.status, changed.body.description]).toEqual([400, expect.stringMatching(/^password: .*hash/)]);
      const owners = [{ username: "kim", password: hash, email: "k@example.com", firstname: "K", lastname: "B" }];
      const made = await api.ask("POST", "/api/server/v1/tenants", { body: { domain: "hashed.example.com", owners } });
      expect([made.status, made.body.description]).toEqual([
        400,
        expect.stringMatching(/owners\[0\]\.password: .*hash/),
      ]);
    }
    expect((await api.ask("GET", "/scim2/Me", { as })).status).toBe(200);
  });

  test("sets a password for an administrator of everything; the former one and its tokens end", async () => {
    const { owner, as } = await newTenant();
    const other = "another-long-password";
    expect((await api.ask("PUT", owner, { body: { ...update, password: other } })).status).toBe(200);
    expect((await api.ask("GET", "/scim2/Me", { as: { ...as, password: other } })).status).toBe(200);
    expect((await api.ask("GET", "/scim2/Me", { as })).status).toBe(401);
  });

  test("sets a password for an administrator by a group too", async () => {
    const { owner, as } = await newTenant();
    const deputy = { username: "deputy", password };
    const { body: user } = await api.ask("POST", "/scim2/Users", { body: { userName: "deputy", password } });
    const { body: group } = await api.ask("POST", "/scim2/Groups", {
      body: { displayName: "deputies", members: [{ value: user.id }] },
    });
    const { body: roles } = await api.ask("GET", "/scim2/v2/Roles?filter=displayName+eq+admin");
    const Operations = [{ op: "add", path: "groups", value: [{ value: group.id }] }];
    const granted = await api.ask("PATCH", `/scim2/v2/Roles/${roles.Resources[0].id}`, { body: { Operations } });
    expect(granted.status).toBe(200);
    const body = { ...update, password: "another-long-password" };
    expect((await api.ask("PUT", owner, { as: deputy, body })).status).toBe(200);
    expect((await api.ask("GET", "/scim2/Me", { as: { ...as, password: body.password } })).status).toBe(200);
  });

  test("a caller with rights on tenants and users changes no password and no address: it would get all rights of another tenant", async () => {
    const { owner, as } = await newTenant();
    const modifier = { username: "modifier", password };
    const scopes = ["internal_modify_tenants", "internal_user_mgt_update"];
    await addUser(api.service, { ...modifier, scopes });
    const body = { ...update, password: "another-long-password" };
    expect((await api.ask("PUT", owner, { as: modifier, body })).status).toBe(403);
    expect((await api.ask("GET", owner)).body.firstname).toBe("Kim");
    expect((await api.ask("GET", "/scim2/Me", { as })).status).toBe(200);
    // Links go to the address, so another one is as good as a password.
    expect((await api.ask("PUT", owner, { as: modifier, body: update })).status).toBe(403);
    const { email } = (await api.ask("GET", owner)).body;
    expect((await api.ask("PUT", owner, { as: modifier, body: { ...update, email } })).status).toBe(200);
    const narrow = { username: "narrow", password };
    await addUser(api.service, { ...narrow, scopes: ["internal_modify_tenants"] });
    expect((await api.ask("PUT", owner, { as: narrow, body: update })).status).toBe(403);
  });

  test("returns 400 for what is missing, unknown claims and weak passwords, and changes nothing", async () => {
    const { owner } = await newTenant();
    const put = (body: unknown, headers = {}) => api.ask("PUT", owner, { body, headers });
    for (const name of Object.keys(update)) {
      expect(refusal(await put({ ...update, [name]: undefined }))).toBe("400 TM-60013");
    }
    const additionalClaims = [{ claim: "http://wso2.org/claims/role", value: "admin" }];
    expect(refusal(await put({ ...update, additionalClaims }))).toBe("400 TM-60000");
    expect((await put({ ...update, password: "x" })).status).toBe(400);
    expect((await put(update, { "if-match": '"old"' })).status).toBe(412);
    expect((await api.ask("GET", owner)).body.firstname).toBe("Kim");
  });

  test("returns 400 for a user who is no owner and 403 to other tenants", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    const foreign = await api.ask("PUT", `${one.at}/owners/${other.ownerId}`, { body: update });
    expect(refusal(foreign)).toBe("400 TM-60020");
    expect((await api.ask("PUT", one.owner, { as: one.as, body: update })).status).toBe(403);
  });
});

describe("deleteTenantMetadata", () => {
  const listed = async (domain: string): Promise<number> =>
    (await api.ask("GET", `${TENANTS}?filter=domainName+eq+${domain}`)).body.totalResults;
  const activate = (at: string, activated: boolean) =>
    api.ask("PUT", `${at}/lifecycle-status`, { body: { activated } });

  test("leaves an inactive tenant out of the list, deletes nothing, and activation brings it back", async () => {
    const { at, domain, as } = await newTenant();
    await activate(at, false);
    expect(await listed(domain)).toBe(1);
    for (let times = 0; times < 2; times += 1) {
      const { status, text } = await api.ask("DELETE", `${at}/metadata`);
      expect([status, text]).toEqual([204, ""]);
    }
    expect(await listed(domain)).toBe(0);
    expect((await api.ask("GET", at)).body).toMatchObject({ domain, lifecycleStatus: { activated: false } });
    expect((await api.ask("HEAD", `${TENANTS}/domain/${domain}`)).status).toBe(200);
    const owners = [{ username: "kim", password }];
    expect((await api.ask("POST", TENANTS, { body: { domain, owners } })).status).toBe(409);
    expect((await api.ask("GET", "/scim2/Me", { as })).status).toBe(401);
    await activate(at, true);
    expect(await listed(domain)).toBe(1);
    expect((await api.ask("GET", "/scim2/Me", { as })).status).toBe(200);
    const changes = (await recordsIn(api, domain)).filter(({ resource }) => resource.type === "tenant").slice(1);
    expect(changes.map((record) => [record.operation, record.changes])).toEqual([
      ["updateTenantStatus", [{ op: "replace", path: "/active", from: true, value: false }]],
      ["deleteTenantMetadata", [{ op: "add", path: "/listed", value: false }]],
      [
        "updateTenantStatus",
        [
          { op: "replace", path: "/active", from: false, value: true },
          { op: "remove", path: "/listed", from: false },
        ],
      ],
    ]);
  });

  test("returns 400 for an active tenant and for the super tenant, 404 for an unknown one, 403 to other tenants", async () => {
    const { at, domain, as } = await newTenant();
    expect(refusal(await api.ask("DELETE", `${at}/metadata`))).toBe("400 TM-60000");
    const { body } = await api.ask("GET", `${TENANTS}/domain/carbon.super`);
    expect(refusal(await api.ask("DELETE", `${TENANTS}/${body.id}/metadata`))).toBe("400 TM-60000");
    expect(refusal(await api.ask("DELETE", `${TENANTS}/unknown/metadata`))).toBe("404 TM-60014");
    expect((await api.ask("DELETE", `${at}/metadata`, { as })).status).toBe(403);
    expect(await listed(domain)).toBe(1);
    await activate(at, false);
    const rehearsed = await api.ask("DELETE", `${at}/metadata?dryRun=true`);
    expect([rehearsed.status, rehearsed.headers.get("dry-run"), await listed(domain)]).toEqual([204, "true", 1]);
  });
});
