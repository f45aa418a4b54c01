/** Several secrets of one client (decision 0079): the four operations, and what the other operations say of them. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { clientSecretsOf, hasChecksum, SECRET_PATTERN } from "#tests/support/client-secrets.ts";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { allItems } from "#tests/support/protocols.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const { newClient, post, oidcPath, ownToken } = oauthOf(api);
const { at, create, list, get, remove, statusWith } = clientSecretsOf(api);
const GRANTS = { grantTypes: ["client_credentials"] };
const DAY = 86_400;
const nowSeconds = () => Math.floor(Date.now() / 1_000);

afterEach(() => void vi.useRealTimers());

const failure = (code: string, message: string) => ({
  code,
  message,
  description: expect.any(String),
  traceId: expect.any(String),
});

describe("createClientSecret", () => {
  test("returns 201 with the secret, which is the latest and valid besides the former one", async () => {
    const client = await newClient();
    const before = nowSeconds();
    const { status, headers, body } = await create(client.applicationId, { body: { description: "for the backend" } });
    expect(status).toBe(201);
    expect(body).toEqual({
      secretId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      secretValue: expect.stringMatching(SECRET_PATTERN),
      expiresAt: 0,
      createdAt: expect.any(Number),
      status: "ACTIVE",
      latest: true,
      description: "for the backend",
    });
    expect(body.createdAt - before).toBeGreaterThanOrEqual(0);
    const path = new URL(headers.get("location") ?? "", api.url).pathname;
    expect((await ask("GET", path)).body).toEqual(body);
    expect(await statusWith(client, body.secretValue)).toBe(200);
    expect(await statusWith(client, client.clientSecret)).toBe(200);
  });
  test.each([
    ["no body", {}],
    ["an empty body", { body: {} }],
    ["0", { body: { expiresAt: 0 } }],
    ["null", { body: { expiresAt: null, description: null } }],
  ])("with %s the secret never expires", async (_, sent) => {
    const { applicationId } = await newClient();
    expect((await create(applicationId, sent)).body).toMatchObject({ expiresAt: 0, status: "ACTIVE" });
  });
  test.each([
    ["a negative expiry", { expiresAt: -1 }, "OAUTH-60001"],
    ["an expiry that has passed", { expiresAt: nowSeconds() - 10 }, "OAUTH-60001"],
    ["an expiry of now", { expiresAt: nowSeconds() }, "OAUTH-60001"],
    ["an expiry in milliseconds", { expiresAt: Date.now() }, "UE-10000"],
    ["an expiry as text", { expiresAt: "2147483647" }, "UE-10000"],
    ["half a second", { expiresAt: nowSeconds() + DAY + 0.5 }, "UE-10000"],
    ["a description with a line break", { description: "a\nb" }, "UE-10000"],
    ["a description of 256 characters", { description: "a".repeat(256) }, "UE-10000"],
  ])("%s is 400, and creates none", async (_, body, code) => {
    const { applicationId } = await newClient();
    const answer = await create(applicationId, { body });
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    if (code === "OAUTH-60001") {
      expect(answer.body).toEqual(failure(code, "Unable to create the client secret."));
    }
    expect((await list(applicationId)).body.count).toBe(1);
  });
  test("returns 409 OAUTH-60011 at the limit, which expired secrets do not count for", async () => {
    const { applicationId } = await newClient();
    const { body } = await create(applicationId, { body: { expiresAt: nowSeconds() + 60 } });
    const refused = await create(applicationId);
    expect(refused.status).toBe(409);
    expect(refused.body).toEqual(failure("OAUTH-60011", "Unable to create the client secret."));
    vi.useFakeTimers({ toFake: ["Date"], now: (body.expiresAt + 1) * 1_000 });
    expect((await get(applicationId, body.secretId)).body.status).toBe("EXPIRED");
    const { body: third } = await create(applicationId);
    expect((await list(applicationId)).body).toMatchObject({
      count: 2,
      list: [
        { secretId: third.secretId, latest: true },
        { status: "ACTIVE", latest: false },
      ],
    });
    expect((await get(applicationId, body.secretId)).status).toBe(404);
    expect((await create(applicationId)).status).toBe(409);
  });
  test("of 50 concurrent requests with one place left, one wins", async () => {
    const { applicationId } = await newClient();
    let busy = 0;
    // A machine that is busy says so; its answer asks for another attempt.
    const attempt = async (): Promise<string> => {
      const { status, body } = await create(applicationId);
      if (status !== 503) return status === 201 ? "201" : body.code;
      busy += 1;
      return attempt();
    };
    const codes = await Promise.all(Array.from({ length: 50 }, attempt));
    const wins = codes.filter((code) => code === "201").length;
    // A write whose response came too late is the one that won.
    expect(wins === 1 || (wins === 0 && busy > 0)).toBe(true);
    expect(codes.filter((code) => code !== "201" && code !== "OAUTH-60011")).toEqual([]);
    expect((await list(applicationId)).body.count).toBe(2);
  }, 60_000);
  test("does not end tokens", async () => {
    const client = await newClient(["internal_application_mgt_view"]);
    const token = await ownToken(client, "internal_application_mgt_view");
    await create(client.applicationId);
    expect((await ask("GET", APPLICATIONS, { as: `Bearer ${token}` })).status).toBe(200);
  });
  test("does not make a revoked client active", async () => {
    const client = await newClient();
    await ask("POST", `${oidcPath(client.applicationId)}/revoke`);
    const { body } = await create(client.applicationId);
    expect(await statusWith(client, body.secretValue)).toBe(401);
  });
});

describe("listClientSecrets", () => {
  test("returns all, the newest first, with their values", async () => {
    const client = await newClient();
    const { body: second } = await create(client.applicationId);
    const { status, body } = await list(client.applicationId);
    expect([status, body.count]).toEqual([200, 2]);
    expect(body.list[0]).toEqual(second);
    expect(body.list[1]).toMatchObject({ secretValue: client.clientSecret, latest: false, status: "ACTIVE" });
  });
});

describe("getClientSecret", () => {
  test("returns one secret", async () => {
    const client = await newClient();
    const [only] = (await list(client.applicationId)).body.list;
    expect((await get(client.applicationId, only.secretId)).body).toEqual(only);
  });
});

describe("deleteClientSecret", () => {
  test("returns 204: the secret is refused from then on, and its tokens stay valid", async () => {
    const client = await newClient(["internal_application_mgt_view"]);
    const token = await ownToken(client, "internal_application_mgt_view");
    const { body: second } = await create(client.applicationId);
    const { body } = await list(client.applicationId);
    expect((await remove(client.applicationId, body.list[1].secretId)).status).toBe(204);
    expect((await list(client.applicationId)).body).toMatchObject({ count: 1, list: [{ secretId: second.secretId }] });
    expect(await statusWith(client, client.clientSecret)).toBe(401);
    expect(await statusWith(client, second.secretValue)).toBe(200);
    expect((await ask("GET", APPLICATIONS, { as: `Bearer ${token}` })).status).toBe(200);
  });
  test("returns 409 OAUTH-60006 for the latest secret while it is valid, and 204 once it has expired", async () => {
    const client = await newClient();
    const { applicationId } = client;
    const { body } = await create(applicationId, { body: { expiresAt: nowSeconds() + 60 } });
    const refused = await remove(applicationId, body.secretId);
    expect([refused.status, refused.body]).toEqual([
      409,
      failure("OAUTH-60006", "Unable to delete the client secret."),
    ]);
    vi.useFakeTimers({ toFake: ["Date"], now: (body.expiresAt + 1) * 1_000 });
    expect((await remove(applicationId, body.secretId)).status).toBe(204);
    expect((await list(applicationId)).body).toMatchObject({
      count: 1,
      list: [{ secretValue: client.clientSecret, status: "ACTIVE", latest: true }],
    });
    expect((await ask("GET", oidcPath(applicationId))).body.clientSecret).toBe(client.clientSecret);
    expect(await statusWith(client, client.clientSecret)).toBe(200);
    expect((await create(applicationId)).status).toBe(201);
  });
  test("returns 409 OAUTH-60006 for the only secret, which can be replaced", async () => {
    const client = await newClient([], { clientSecretExpiresAt: nowSeconds() + 60 });
    const { applicationId } = client;
    const [only] = (await list(applicationId)).body.list;
    vi.useFakeTimers({ toFake: ["Date"], now: (only.expiresAt + 1) * 1_000 });
    const refused = await remove(applicationId, only.secretId);
    expect([refused.status, refused.body.code]).toEqual([409, "OAUTH-60006"]);
    expect(refused.body.description).toContain("the only secret");
    expect((await create(applicationId)).status).toBe(201);
    expect((await remove(applicationId, only.secretId)).status).toBe(204);
  });
});

describe("404", () => {
  const ID = "00000000-0000-7000-8000-000000000000";
  const calls = {
    create: (id: string, _secretId: string) => create(id),
    list: (id: string, _secretId: string) => list(id),
    retrieve: (id: string, secretId: string) => get(id, secretId),
    delete: (id: string, secretId: string) => remove(id, secretId),
  };
  test.each(Object.entries(calls))("%s: an unknown application is APP-60006", async (_, call) => {
    const answer = await call(ID, ID);
    expect([answer.status, answer.body.code]).toEqual([404, "APP-60006"]);
  });
  test.each(Object.entries(calls))("%s: an application without a client is OAUTH-60002", async (what, call) => {
    const answer = await call(await api.create({ name: `bare ${what}` }), ID);
    const noun = what === "list" ? "secrets" : "secret";
    expect([answer.status, answer.body]).toEqual([
      404,
      failure("OAUTH-60002", `Unable to ${what} the client ${noun}.`),
    ]);
  });
  test.each(["retrieve", "delete"] as const)("%s: an unknown or blank secret is OAUTH-60010", async (what) => {
    const { applicationId } = await newClient();
    for (const secretId of [ID, "%20"]) {
      const answer = await calls[what](applicationId, secretId);
      expect([answer.status, answer.body]).toEqual([
        404,
        failure("OAUTH-60010", `Unable to ${what} the client secret.`),
      ]);
    }
  });
  test("a secret of another application is unknown", async () => {
    const [one, other] = [await newClient(), await newClient()];
    const [{ secretId }] = (await list(other.applicationId)).body.list;
    expect((await get(one.applicationId, secretId)).status).toBe(404);
    expect((await remove(one.applicationId, secretId)).status).toBe(404);
  });
});

describe("an expiry", () => {
  test("ends a secret at its second: at the token endpoint, introspection and revocation", async () => {
    const client = await newClient();
    const { body } = await create(client.applicationId, { body: { expiresAt: nowSeconds() + 600 } });
    const expiring = { ...client, clientSecret: body.secretValue };
    const statuses = async () =>
      Promise.all([
        post(TOKEN, { grant_type: "client_credentials" }, expiring),
        post("/oauth2/introspect", { token: "x" }, expiring),
        post("/oauth2/revoke", { token: "x" }, expiring),
        post(TOKEN, { grant_type: "client_credentials" }, client),
      ]).then((answers) => answers.map(({ status }) => status));
    vi.useFakeTimers({ toFake: ["Date"], now: body.expiresAt * 1_000 - 1 });
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    expect((await get(client.applicationId, body.secretId)).body.status).toBe("ACTIVE");
    vi.setSystemTime(body.expiresAt * 1_000);
    expect(await statuses()).toEqual([401, 401, 401, 200]);
    expect((await get(client.applicationId, body.secretId)).body).toMatchObject({ status: "EXPIRED", latest: true });
  });
  test("of the first secret is set with a new client, and ends it", async () => {
    const expiresAt = nowSeconds() + 600;
    const client = await newClient([], { clientSecretExpiresAt: expiresAt });
    expect((await ask("GET", oidcPath(client.applicationId))).body.clientSecretExpiresAt).toBe(expiresAt);
    expect(await statusWith(client, client.clientSecret)).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: expiresAt * 1_000 });
    expect(await statusWith(client, client.clientSecret)).toBe(401);
  });
  test.each([-1, 1])("of %i is refused with 400 OAUTH-60001 for a new client", async (clientSecretExpiresAt) => {
    const oidc = { ...GRANTS, clientSecretExpiresAt };
    const body = { name: `expired ${clientSecretExpiresAt}`, inboundProtocolConfiguration: { oidc } };
    const created = await ask("POST", APPLICATIONS, { body });
    expect([created.status, created.body.code]).toEqual([400, "OAUTH-60001"]);
    const id = await api.create({ name: `without ${clientSecretExpiresAt}` });
    expect((await ask("PUT", oidcPath(id), { body: oidc })).body.code).toBe("OAUTH-60001");
  });
});

describe("the settings of the client", () => {
  test("show the latest secret, its expiry, and whether there are several", async () => {
    const { applicationId, clientSecret } = await newClient();
    const read = async () => (await ask("GET", oidcPath(applicationId))).body;
    expect(await read()).toMatchObject({
      clientSecret,
      clientSecretExpiresAt: 0,
      multipleClientSecretsConfigured: false,
    });
    const expiresAt = nowSeconds() + DAY;
    const { body } = await create(applicationId, { body: { expiresAt } });
    expect(await read()).toMatchObject({
      clientSecret: body.secretValue,
      clientSecretExpiresAt: expiresAt,
      multipleClientSecretsConfigured: true,
    });
  });
  test("are written back as they were read, and with any secret of the client; all secrets stay", async () => {
    const { applicationId, clientSecret } = await newClient();
    const { body: second } = await create(applicationId, { body: { description: "kept" } });
    const { body: secrets } = await list(applicationId);
    const { body } = await ask("GET", oidcPath(applicationId));
    for (const sent of [body, { ...body, clientSecret }, { grantTypes: body.grantTypes }]) {
      expect((await ask("PUT", oidcPath(applicationId), { body: sent })).status).toBe(200);
      expect((await list(applicationId)).body).toEqual(secrets);
    }
    for (const sent of [{ clientSecret: `${second.secretValue}x` }, { clientSecretExpiresAt: nowSeconds() + DAY }]) {
      const refused = await ask("PUT", oidcPath(applicationId), { body: { ...body, ...sent } });
      expect([refused.status, refused.body.code]).toEqual([400, "APP-60001"]);
    }
  });
});

test("regenerating removes all secrets, ends all tokens, and leaves one that never expires", async () => {
  const client = await newClient(["internal_application_mgt_view"]);
  const { body: second } = await create(client.applicationId, { body: { expiresAt: nowSeconds() + DAY } });
  const token = await ownToken({ ...client, clientSecret: second.secretValue }, "internal_application_mgt_view");
  const { body } = await ask("POST", `${oidcPath(client.applicationId)}/regenerate-secret`);
  expect(body).toMatchObject({ clientSecretExpiresAt: 0, multipleClientSecretsConfigured: false });
  expect((await list(client.applicationId)).body).toMatchObject({
    count: 1,
    list: [{ secretValue: body.clientSecret, expiresAt: 0, latest: true }],
  });
  for (const gone of [client.clientSecret, second.secretValue]) expect(await statusWith(client, gone)).toBe(401);
  expect(await statusWith(client, body.clientSecret)).toBe(200);
  expect((await ask("GET", APPLICATIONS, { as: `Bearer ${token}` })).status).toBe(401);
});

describe("the text of a secret", () => {
  test("that the service creates has a prefix and a checksum, wherever it is created", async () => {
    const client = await newClient();
    const { body } = await create(client.applicationId);
    const regenerated = (await ask("POST", `${oidcPath(client.applicationId)}/regenerate-secret`)).body.clientSecret;
    const made = [client.clientSecret, body.secretValue, regenerated];
    for (const text of made) {
      expect(text).toMatch(new RegExp(`^${SECRET_PATTERN.source}$`));
      expect(hasChecksum(text)).toBe(true);
      const other = text.at(-1) === "a" ? "b" : "a";
      expect(hasChecksum(`${text.slice(0, -1)}${other}`)).toBe(false);
    }
    expect(new Set(made).size).toBe(3);
  });
  test("that a caller gives stays as it was given", async () => {
    const clientSecret = "chosen-5f1b9c0e7a3d4286b1c0";
    expect((await newClient([], { clientSecret })).clientSecret).toBe(clientSecret);
  });
  test("is sealed in every row", async () => {
    const client = await newClient();
    const { body } = await create(client.applicationId);
    await statusWith(client, body.secretValue);
    const rows = JSON.stringify(await allItems(api.service));
    for (const text of [client.clientSecret, body.secretValue]) expect(rows).not.toContain(text);
  });
});

test("deleting the client leaves no row of its secrets", async () => {
  const client = await newClient([], { clientId: "leaves-no-row" });
  expect(await statusWith(client, client.clientSecret)).toBe(200);
  const rows = async () => (await allItems(api.service)).filter(({ PK }) => PK.includes("leaves-no-row"));
  expect((await rows()).length).toBeGreaterThan(1);
  expect((await ask("DELETE", oidcPath(client.applicationId))).status).toBe(204);
  expect((await rows()).filter(({ PK }) => !PK.includes("#REV"))).toEqual([]);
});

describe("of two tenants", () => {
  test("neither reads, changes or uses the secrets of the other", async () => {
    const password = "a-long-password";
    for (const domain of ["one.example", "two.example"]) {
      await ask("POST", "/api/server/v1/tenants", { body: { domain, owners: [{ username: "kim", password }] } });
    }
    const [one, two] = ["one", "two"].map((name) => ({ username: `kim@${name}.example`, password }));
    const made = await ask("POST", APPLICATIONS, {
      as: one ?? null,
      body: { name: "of one", inboundProtocolConfiguration: { oidc: { ...GRANTS, clientId: "of-one" } } },
    });
    const id = made.headers.get("location")?.split("/").at(-1) ?? "";
    const { body: secret } = await create(id, { as: one ?? null });
    expect(secret.secretValue).toMatch(SECRET_PATTERN);
    for (const call of [create(id, { as: two ?? null }), list(id, { as: two ?? null })]) {
      expect((await call).status).toBe(404);
    }
    expect((await get(id, secret.secretId, { as: two ?? null })).status).toBe(404);
    expect((await remove(id, secret.secretId, { as: two ?? null })).status).toBe(404);
    const client = { applicationId: id, clientId: "of-one", clientSecret: secret.secretValue };
    const grant = { grant_type: "client_credentials" };
    expect((await post(`/t/one.example${TOKEN}`, grant, client)).status).toBe(200);
    expect((await post(`/t/two.example${TOKEN}`, grant, client)).status).toBe(401);
  });
});

describe("the scopes", () => {
  const password = "a-long-password";
  const own = ["create", "view", "delete"] as const;
  const scopeOf = (what: string) => `internal_application_mgt_client_secret_${what}`;
  test.each(own)("%s authorizes its own operations only", async (what) => {
    const as = { username: `only-${what}`, password };
    await addUser(api.service, { ...as, scopes: [scopeOf(what)] });
    const { applicationId } = await newClient();
    const { body } = await create(applicationId);
    const [, former] = (await list(applicationId)).body.list;
    const statuses = {
      view: [(await list(applicationId, { as })).status, (await get(applicationId, body.secretId, { as })).status],
      delete: [(await remove(applicationId, former.secretId, { as })).status],
      create: [(await create(applicationId, { as })).status],
    };
    const right = { view: [200, 200], delete: [204], create: [409] };
    for (const each of own)
      expect([each, statuses[each]]).toEqual([each, each === what ? right[each] : right[each].map(() => 403)]);
  });
  test("a further secret of an application with scopes needs these scopes: APP-60520", async () => {
    const as = { username: "gainer", password };
    await addUser(api.service, { ...as, scopes: [scopeOf("create"), scopeOf("delete")] });
    const { applicationId } = await newClient(["internal_user_mgt_list"]);
    const refused = await create(applicationId, { as });
    expect([refused.status, refused.body.code]).toEqual([403, "APP-60520"]);
    await create(applicationId);
    const [, former] = (await list(applicationId)).body.list;
    expect((await remove(applicationId, former.secretId, { as })).status).toBe(204);
  });
});

test("unknown paths below a secret are 404", async () => {
  expect((await ask("GET", `${at((await newClient()).applicationId, "x")}/y`)).status).toBe(404);
});
