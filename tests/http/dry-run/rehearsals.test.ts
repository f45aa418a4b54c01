/** What a rehearsal refuses, what its operations see of each other, and what it leaves behind: nothing. */
import { describe, expect, test } from "vitest";
import { fresh, RFC7644, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { ADMIN, type Ask, basic, world } from "#tests/support/world.ts";

const api = world({ deployment: RFC7644 });
const scim = scimOf(api);
const { ask } = api;
const APPLICATIONS = "/api/server/v1/applications";
const patchOf = (...Operations: readonly Shown[]): Shown => ({ schemas: [URN.patch], Operations });
const rehearse = (method: string, path: string, sent: Ask = {}) => ask(method, `${path}?dryRun=true`, sent);

/** A body without the id of its request. */
const lasting = (body: Shown | undefined): Shown | undefined => body && { ...body, traceId: typeof body.traceId };

describe("a failure is that of the request itself", () => {
  const taken = fresh("taken");
  const cases: readonly (readonly [string, number, string, string, Ask])[] = [
    ["a taken name of an application", 409, "POST", APPLICATIONS, { body: { name: taken } }],
    ["a taken name of a user", 409, "POST", "/scim2/Users", { body: { userName: taken } }],
    ["a taken name of a user in SCIM 1.1", 409, "POST", "/svc/scim/Users", { body: { userName: taken } }],
    ["a body without what is required", 400, "POST", APPLICATIONS, { body: { description: "no name" } }],
    ["a body that is not JSON", 400, "POST", APPLICATIONS, { raw: "{" }],
    ["another media type", 415, "POST", APPLICATIONS, { raw: "a=b", headers: { "content-type": "text/plain" } }],
    ["an unknown id", 404, "PATCH", `${APPLICATIONS}/${UNKNOWN_ID}`, { body: { description: "x" } }],
    ["an unknown id in SCIM", 404, "DELETE", `/scim2/Users/${UNKNOWN_ID}`, {}],
    [
      "no scope",
      403,
      "POST",
      APPLICATIONS,
      { body: { name: "a" }, as: basic({ username: taken, password: "a-long-password" }) },
    ],
    ["no credential", 401, "POST", APPLICATIONS, { body: { name: "a" }, as: null }],
    [
      "a member that strict handling refuses",
      400,
      "POST",
      APPLICATIONS,
      { body: { nam: "a" }, headers: { prefer: "handling=strict" } },
    ],
    [
      "a client id that is taken",
      409,
      "POST",
      APPLICATIONS,
      {
        body: {
          name: fresh("other"),
          inboundProtocolConfiguration: { oidc: { clientId: taken, grantTypes: ["client_credentials"] } },
        },
      },
    ],
    ["a method that the path lacks", 405, "DELETE", APPLICATIONS, {}],
  ];

  test.each(cases)("%s", async (_, status, method, path, sent) => {
    const oidc = { clientId: taken, grantTypes: ["client_credentials"] };
    await ask("POST", APPLICATIONS, { body: { name: taken, inboundProtocolConfiguration: { oidc } } });
    await ask("POST", "/scim2/Users", { body: { userName: taken, password: "a-long-password" } });
    const [rehearsed, itself] = [await rehearse(method, path, sent), await ask(method, path, sent)];
    expect({ status: rehearsed.status, body: lasting(rehearsed.body) }).toEqual({ status, body: lasting(itself.body) });
    expect(itself.status).toBe(status);
    // A request without right or operation is refused before it is a rehearsal.
    if (![401, 403, 405].includes(status)) expect(rehearsed.headers.get("dry-run")).toBe("true");
  });

  test("a version that has changed", async () => {
    const user = await scim.user();
    const sent = { body: { userName: user.userName, title: "T" }, headers: { "if-match": 'W/"7"' } };
    const rehearsed = await rehearse("PUT", `/scim2/Users/${user.id}`, sent);
    expect(rehearsed.status).toBe(412);
    expect(rehearsed.body).toEqual((await ask("PUT", `/scim2/Users/${user.id}`, sent)).body);
  });
});

describe("the parameter", () => {
  const name = () => fresh("spelt");

  test.each(["", "=", "=TRUE", "=1", "=yes", "=true&dryRun=true", "=true&DRYRUN=false", "=%74rue%20"])(
    "is refused as ?dryRun%s in each dialect",
    async (value) => {
      const attempts = [
        ["POST", `${APPLICATIONS}?dryRun${value}`, { name: name() }],
        ["POST", `/scim2/Users?dryRun${value}`, { userName: name() }],
        ["POST", `/svc/scim/Users?dryRun${value}`, { userName: name() }],
      ] as const;
      for (const [method, path, body] of attempts) {
        const answer = await ask(method, path, { body });
        expect(answer.status, answer.text).toBe(400);
        expect(answer.text).toContain("The parameter dryRun is true");
        expect(answer.headers.get("dry-run")).toBeNull();
      }
    },
  );

  test.each(["dryRun", "DRYRUN", "dryrun", "dry-run", "dry_run", "%64ryRun"])("rehearses as %s", async (spelt) => {
    const body = { name: name() };
    const rehearsed = await ask("POST", `${APPLICATIONS}?${spelt}=true`, { body });
    expect(rehearsed.status).toBe(201);
    expect(rehearsed.headers.get("dry-run")).toBe("true");
    expect(rehearsed.headers.get("ignored-members")).toBeNull();
    const path = new URL(rehearsed.headers.get("location") ?? "").pathname;
    expect((await ask("GET", path)).status).toBe(404);
    const strict = { body, headers: { prefer: "handling=strict" } };
    expect((await ask("POST", `${APPLICATIONS}?${spelt}=true`, strict)).status).toBe(201);
    expect((await ask("POST", `${APPLICATIONS}?dryRun=false`, strict)).status).toBe(201);
  });

  test("means nothing to reads, and to the endpoints of OAuth", async () => {
    expect((await ask("GET", `${APPLICATIONS}?dryRun=perhaps`)).status).toBe(200);
    const search = { schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], count: 1 };
    const found = await ask("POST", "/scim2/Users/.search?dryRun=perhaps", { body: search });
    expect(found.status).toBe(200);
    expect(found.headers.get("ignored-members")).toBe("?dryRun");
    const form = { raw: "token=x", headers: { "content-type": "application/x-www-form-urlencoded" } };
    const revoked = await ask("POST", "/oauth2/revoke?dryRun=true", { ...form, as: basic(ADMIN) });
    expect(revoked.headers.get("dry-run")).toBeNull();
  });

  test("is the one of the bulk request, not of a path in it", async () => {
    const operation = { method: "POST", path: "/Users?dryRun=true", bulkId: "1", data: { userName: name() } };
    const { body } = await ask("POST", "/scim2/Bulk", { body: { schemas: [URN.bulk], Operations: [operation] } });
    expect(Number(body.Operations[0].status)).toBeGreaterThanOrEqual(400);
  });
});

describe("operations of a bulk request", () => {
  const bulk = async (Operations: readonly Shown[], path = "/scim2/Bulk?dryRun=true") => {
    const { status, text, body } = await ask("POST", path, { body: { schemas: [URN.bulk], Operations } });
    expect(status, text).toBe(200);
    return body.Operations as Shown[];
  };
  const making = (userName: string, bulkId: string): Shown => ({
    method: "POST",
    path: "/Users",
    bulkId,
    data: { schemas: [URN.user], userName },
  });

  test("see each other's effects, and answer as those of the request itself", async () => {
    const [kim, displayName] = [fresh("bulk-kim"), fresh("Bulk group")];
    const existing = await scim.user();
    const operations = [
      making(kim, "kim"),
      making(kim, "again"),
      {
        method: "POST",
        path: "/Groups",
        bulkId: "group",
        data: { schemas: [URN.group], displayName, members: [{ value: "bulkId:kim" }, { value: existing.id }] },
      },
      { method: "PATCH", path: "/Users/bulkId:kim", data: patchOf({ op: "add", path: "title", value: "T" }) },
      {
        method: "PATCH",
        path: "/Users/bulkId:kim",
        data: patchOf({ op: "add", path: "title", value: "U" }),
        version: 'W/"1"',
      },
      { method: "DELETE", path: `/Users/${existing.id}` },
      { method: "PUT", path: `/Users/${existing.id}`, data: { userName: existing.userName } },
      { method: "DELETE", path: "/Groups/bulkId:group" },
    ];
    const plain = (outcomes: readonly Shown[]) =>
      outcomes.map(({ location, ...rest }) => ({ ...rest, located: location !== undefined }));
    const rehearsed = await bulk(operations);
    expect(rehearsed.map(({ status }) => status)).toEqual(["201", "409", "201", "200", "412", "204", "404", "204"]);
    expect((await scim.find(`userName eq "${kim}"`)).totalResults).toBe(0);
    expect(await scim.read(`/Users/${existing.id}`)).toEqual(existing);
    const itself = await bulk(operations, "/scim2/Bulk");
    expect(JSON.stringify(plain(rehearsed)).replace(/[0-9a-f-]{36}/g, "")).toBe(
      JSON.stringify(plain(itself)).replace(/[0-9a-f-]{36}/g, ""),
    );
  });

  test("change large groups in several transactions: the members are shown, and no member is added", async () => {
    const people = Array.from({ length: 60 }, (_, at) => making(fresh("crowd"), String(at)));
    const made = await bulk(people, "/scim2/Bulk");
    const members = made.map(({ location }) => ({ value: String(location).split("/").at(-1) }));
    const group = await scim.group({ members: members.slice(0, 2) });
    const path = `/scim2/Groups/${group.id}`;
    const body = { schemas: [URN.group], displayName: group.displayName, members };
    const rehearsed = await rehearse("PUT", path, { body });
    expect(rehearsed.status, rehearsed.text).toBe(200);
    expect(rehearsed.body.members).toHaveLength(60);
    expect(await scim.read(`/Groups/${group.id}`)).toEqual(group);
    expect((await scim.read(`/Users/${members[9]?.value}`)).groups).toBeUndefined();

    const itself = await ask("PUT", path, { body });
    const sorted = ({ members: shown }: Shown) => (shown as Shown[]).map(({ value }) => value).sort();
    expect(sorted(rehearsed.body)).toEqual(sorted(itself.body));
    expect((await rehearse("PATCH", path, { body: patchOf({ op: "remove", path: "members" }) })).status).toBe(200);
    expect((await rehearse("DELETE", path)).status).toBe(204);
    expect(sorted(await scim.read(`/Groups/${group.id}`))).toEqual(sorted(itself.body));
  }, 120_000);
});

describe("nothing is left behind", () => {
  test("of an application with all protocols, created, imported and deleted", async () => {
    const issuer = fresh("urn:issuer");
    const name = fresh("all protocols");
    const inboundProtocolConfiguration = {
      saml: { manualConfiguration: { issuer, assertionConsumerUrls: ["https://sp.example/acs"] } },
      oidc: { grantTypes: ["client_credentials"] },
      passiveSts: { realm: fresh("urn:realm"), replyTo: "https://sts.example/reply" },
      wsTrust: { audience: fresh("urn:audience"), certificateAlias: "wso2carbon" },
    };
    const body = { name, inboundProtocolConfiguration };
    expect((await rehearse("POST", APPLICATIONS, { body })).status).toBe(201);
    const id = await api.create(body);
    const other = { name: fresh("other"), inboundProtocolConfiguration };
    expect((await rehearse("POST", APPLICATIONS, { body: other })).status).toBe(409);
    const before = (await ask("GET", `${APPLICATIONS}/${id}/inbound-protocols/saml`)).body;
    expect((await rehearse("DELETE", `${APPLICATIONS}/${id}`)).status).toBe(204);
    expect((await ask("GET", `${APPLICATIONS}/${id}/inbound-protocols/saml`)).body).toEqual(before);
    expect((await ask("DELETE", `${APPLICATIONS}/${id}`)).status).toBe(204);
    expect((await rehearse("POST", APPLICATIONS, { body: other })).status).toBe(201);
  });

  test("in the names that a container remembers", async () => {
    const user = await scim.user();
    const group = await scim.group({ displayName: fresh("Old name"), members: [{ value: user.id }] });
    const namesShown = async () =>
      ((await scim.read(`/Users/${user.id}`)).groups as Shown[]).map(({ display }) => display);
    const renamed = fresh("Rehearsed name");
    const rename = (displayName: string) => ({
      body: patchOf({ op: "replace", path: "displayName", value: displayName }),
    });
    const addUser = {
      method: "PATCH",
      path: `/Users/${user.id}`,
      data: patchOf({ op: "add", path: "title", value: "T" }),
    };
    const Operations = [{ method: "PATCH", path: `/Groups/${group.id}`, data: rename(renamed).body }, addUser];
    await rehearse("POST", "/scim2/Bulk", { body: { schemas: [URN.bulk], Operations } });
    await rehearse("PATCH", `/scim2/Groups/${group.id}`, rename(renamed));
    expect(await namesShown()).toEqual([group.displayName]);
    const other = fresh("New name");
    await ask("PATCH", `/scim2/Groups/${group.id}`, rename(other));
    expect(await namesShown()).toEqual([other]);
  });

  test("of a tenant with its owner", async () => {
    const domain = `${fresh("rehearsed")}.example`.toLowerCase();
    const owner = { username: "boss", password: "a-long-password", email: "boss@rehearsed.example" };
    const body = { domain, owners: [owner] };
    const rehearsed = await rehearse("POST", "/api/server/v1/tenants", { body });
    expect(rehearsed.status, rehearsed.text).toBe(201);
    expect((await ask("GET", `/api/server/v1/tenants/domain/${domain}`)).status).toBe(404);
    expect((await ask("POST", "/api/server/v1/tenants", { body })).status).toBe(201);
    expect((await rehearse("POST", "/api/server/v1/tenants", { body })).status).toBe(409);
  });

  test("of a secret, a password and a token", async () => {
    const oidc = { grantTypes: ["client_credentials"] };
    const id = await api.create({ name: fresh("secrets"), inboundProtocolConfiguration: { oidc } });
    const place = `${APPLICATIONS}/${id}/inbound-protocols/oidc`;
    const { clientId, clientSecret } = (await ask("GET", place)).body;
    const client = basic({ username: clientId, password: clientSecret });
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const token = () =>
      ask("POST", "/oauth2/token", { as: client, headers: form, raw: "grant_type=client_credentials" });
    const { access_token } = (await token()).body;
    const [regenerated, revoked, removed] = [
      await rehearse("POST", `${place}/regenerate-secret`),
      await rehearse("POST", `${place}/revoke`),
      await rehearse("DELETE", `${APPLICATIONS}/${id}`),
    ];
    expect([regenerated.status, revoked.status, removed.status]).toEqual([200, 200, 204]);
    expect(regenerated.body.clientSecret).not.toBe(clientSecret);
    expect((await token()).status).toBe(200);
    const introspected = await ask("POST", "/oauth2/introspect", {
      as: client,
      headers: form,
      raw: `token=${access_token}`,
    });
    expect(introspected.body.active).toBe(true);

    const user = await scim.user({ password: "the-first-password" });
    const me = { username: user.userName, password: "the-first-password" };
    const another = patchOf({ op: "replace", path: "password", value: "the-other-password" });
    expect((await rehearse("PATCH", `/scim2/Users/${user.id}`, { body: another })).status).toBe(200);
    expect((await ask("GET", "/scim2/Me", { as: me })).status).toBe(200);
    expect((await ask("GET", "/scim2/Me", { as: { ...me, password: "the-other-password" } })).status).toBe(401);
  });
});
