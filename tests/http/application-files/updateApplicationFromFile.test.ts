import { describe, expect, test } from "vitest";
import {
  entry,
  exported,
  fileOf,
  idIn,
  MULTIPART_TYPE,
  multipart,
  oauthEntry,
  property,
  samlEntry,
  sampleFile,
  upload,
} from "#tests/support/files.ts";
import { oauthOf } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { liveItems } from "#tests/support/protocols.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const ANOTHER = "another-secret-7Qx2vLr9Tz";
const api = world({
  deployment: `[[custom_inbound_protocol]]
name = "kerberos"
[[custom_inbound_protocol.property]]
name = "realm"
[[custom_inbound_protocol.property]]
name = "password"
required = true
confidential = true
`,
});
const { ask, create } = api;
const { newClient, ownToken } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const at = (id: string) => `${APPLICATIONS}/${id}`;
const read = async (id: string, below = "") => (await ask("GET", `${at(id)}${below}`)).body;
const oidc = "/inbound-protocols/oidc";
const post = async (file: string) => idIn(await upload(api, "POST", file));
const put = (file: string | Uint8Array) => upload(api, "PUT", file);

test("returns 200 and the same id for WSO2's own sample with a JWKS endpoint, and exports it", async () => {
  const sample = await sampleFile();
  const id = await post(sample);
  const secret = (await read(id, oidc)).clientSecret;
  const answer = await put(sample.replace("<JwksUri/>", "<JwksUri>https://sample.example/jwks</JwksUri>"));
  expect(answer.status).toBe(200);
  expect(idIn(answer)).toBe(id);
  expect(await read(id)).toMatchObject({
    advancedConfigurations: { certificate: { type: "JWKS", value: "https://sample.example/jwks" } },
  });
  expect(await exported(api, id)).toContain("<JwksUri>https://sample.example/jwks</JwksUri>");
  // The file has no secret: that of the client stays.
  expect((await read(id, oidc)).clientSecret).toBe(secret);
});

describe("the file replaces", () => {
  test("all settings of files; settings that files cannot hold stay", async () => {
    const id = await create({
      name: "replaced",
      description: "old",
      logoutReturnUrl: "https://replaced.example/bye",
      isManagementApp: true,
      advancedConfigurations: { saas: true },
      claimConfiguration: { requestedClaims: [{ claim: { uri: "http://wso2.org/claims/emailaddress" } }] },
      inboundProtocolConfiguration: {
        oidc: {
          clientId: "replaced",
          grantTypes: ["password"],
          allowedOrigins: ["https://replaced.example"],
          pkce: { mandatory: true },
        },
        saml: { manualConfiguration: { issuer: "replaced", assertionConsumerUrls: ["https://replaced.example/acs"] } },
      },
    });
    const answer = await put(
      fileOf({
        name: "replaced",
        inbound: oauthEntry("replaced"),
        extra: "<IsManagementApp>false</IsManagementApp>",
      }),
    );
    expect(answer.body.notHonoured).toEqual([{ element: "IsManagementApp", reason: expect.any(String) }]);
    const shown = await read(id);
    expect(shown).toMatchObject({
      issuer: "",
      isManagementApp: true,
      logoutReturnUrl: "https://replaced.example/bye",
      advancedConfigurations: { saas: false },
      claimConfiguration: { requestedClaims: [], claimMappings: [] },
    });
    expect(shown).not.toHaveProperty("description");
    expect(await read(id, oidc)).toMatchObject({
      grantTypes: ["authorization_code", "refresh_token"],
      allowedOrigins: ["https://replaced.example"],
      pkce: { mandatory: false },
    });
    // The issuer is free again, and an export has the current state.
    expect((await upload(api, "POST", fileOf({ name: "next", inbound: samlEntry("replaced") }))).status).toBe(201);
    expect(await exported(api, id)).toContain("<IsManagementApp>true</IsManagementApp>");
  });
  test("a client by another: the old id is free, the new one has a new secret", async () => {
    const id = await post(fileOf({ name: "two ids", inbound: oauthEntry("first-id") }));
    const old = (await read(id, oidc)).clientSecret;
    expect((await put(fileOf({ name: "two ids", inbound: oauthEntry("second-id") }))).status).toBe(200);
    expect(await read(id, oidc)).toMatchObject({ clientId: "second-id" });
    expect((await read(id, oidc)).clientSecret).not.toBe(old);
    expect((await upload(api, "POST", fileOf({ name: "heir", inbound: oauthEntry("first-id") }))).status).toBe(201);
  });
  test("a secret by that of the file; a revoked client stays revoked", async () => {
    const inbound = (inside: string) => oauthEntry("revived", inside);
    const id = await post(fileOf({ name: "revived", inbound: inbound("") }));
    await ask("POST", `${at(id)}${oidc}/revoke`);
    const answer = await put(
      fileOf({
        name: "revived",
        inbound: inbound("<oauthConsumerSecret>of-the-file-7Qx2vLr9Tz</oauthConsumerSecret><state>ACTIVE</state>"),
      }),
    );
    expect(answer.body.notHonoured).toMatchObject([{ element: "oAuthAppDO/state" }]);
    expect(await read(id, oidc)).toMatchObject({ clientSecret: "of-the-file-7Qx2vLr9Tz", state: "REVOKED" });
  });
  test("a client by itself: its tokens stay valid until the file has another secret", async () => {
    const client = await newClient([VIEW], { clientId: "going-on" });
    const as = `Bearer ${await ownToken(client, VIEW)}`;
    const status = async () => (await ask("GET", APPLICATIONS, { as })).status;
    for (const query of ["", "?exportSecrets=true"]) {
      expect((await put(await exported(api, client.applicationId, query))).status).toBe(200);
      expect(await status()).toBe(200);
      // Authorized APIs are not part of the file, and stay.
      expect((await read(client.applicationId, "/authorized-apis")).length).toBe(1);
    }
    const file = await exported(api, client.applicationId, "?exportSecrets=true");
    expect((await put(file.replace(/(<oauthConsumerSecret>).*(<)/, `$1${ANOTHER}$2`))).status).toBe(200);
    expect(await status()).toBe(401);
    const other = { ...client, clientSecret: ANOTHER };
    expect(await ownToken(other, VIEW)).toBeDefined();
  });
  test("without changing the owner if the caller is an application", async () => {
    const scopes = ["internal_application_mgt_create", "internal_application_mgt_update"];
    const as = `Bearer ${await ownToken(await newClient(scopes), scopes.join(" "))}`;
    const ownerOf = async (id: string) => {
      const item = (await liveItems(api.service)).find(({ PK, application }) => application && PK.includes(id));
      return (item?.application as { ownerId?: string } | undefined)?.ownerId;
    };
    const owned = await post(fileOf({ name: "owned by a person" }));
    const owner = await ownerOf(owned);
    expect((await upload(api, "PUT", fileOf({ name: "owned by a person" }), as)).status).toBe(200);
    expect(await ownerOf(owned)).toBe(owner);
    const made = await upload(api, "POST", fileOf({ name: "made by an application" }), as);
    expect([made.status, await ownerOf(idIn(made))]).toEqual([201, ""]);
  });
  test("unmapped content of an earlier file", async () => {
    const id = await post(fileOf({ name: "forgetful", extra: "<First>1</First>" }));
    expect(await exported(api, id)).toContain("<First>1</First>");
    await put(fileOf({ name: "forgetful", extra: "<Second>2</Second>" }));
    expect(await exported(api, id)).not.toContain("First");
    expect(await exported(api, id)).toContain("<Second>2</Second>");
  });
  test("the owner by the caller", async () => {
    const id = await post(fileOf({ name: "handed over" }));
    const as = { username: "updater", password: "a long enough password" };
    const ownerId = await addUser(api.service, { ...as, scopes: ["internal_application_mgt_update"] });
    expect((await upload(api, "PUT", fileOf({ name: "handed over" }), as)).status).toBe(200);
    const item = (await liveItems(api.service)).find(({ PK, application }) => application && PK.includes(id));
    expect(item?.application).toMatchObject({ ownerId });
  });
  test("confidential values only if it contains some", async () => {
    const custom = (properties: string) =>
      fileOf({ name: "custom", inbound: entry("kerberos", "custom", undefined, properties) });
    const values = async (id: string) => {
      const { properties } = await read(id, "/inbound-protocols/kerberos");
      return Object.fromEntries(properties.map(({ key, value }: { key: string; value: string }) => [key, value]));
    };
    const lacking = await upload(api, "POST", custom(property("realm", "A")));
    expect(lacking.status).toBe(201);
    expect(lacking.body.notHonoured).toMatchObject([{ reason: expect.stringContaining("password") }]);
    const id = idIn(lacking);
    await put(custom(property("realm", "B") + property("password", "s3cret", true)));
    expect(await values(id)).toEqual({ realm: "B", password: "s3cret" });
    const answer = await put(custom(property("realm", "C")));
    expect(answer.body.notHonoured).toEqual([]);
    expect(await values(id)).toEqual({ realm: "C", password: "s3cret" });
    expect(await exported(api, id)).not.toContain("s3cret");
    expect(await exported(api, id, "?exportSecrets=true")).toContain("s3cret");
  });
});

test("returns 404 for an unknown name, and creates nothing", async () => {
  const answer = await put(fileOf({ name: "unknown" }));
  expect([answer.status, answer.body.code]).toEqual([404, "APP-60006"]);
  expect(answer.body.description).toContain("unknown");
  expect((await ask("GET", `${APPLICATIONS}?filter=name+eq+unknown`)).body.totalResults).toBe(0);
});

test("returns 409 for a key of another application, which does not change", async () => {
  await post(fileOf({ name: "first", inbound: oauthEntry("held") }));
  const id = await post(fileOf({ name: "second", inbound: oauthEntry("own"), extra: "<Description>d</Description>" }));
  const before = [await read(id), await read(id, oidc), await exported(api, id)];
  const answer = await put(fileOf({ name: "second", inbound: oauthEntry("held") }));
  expect([answer.status, answer.body.code]).toEqual([409, "APP-60009"]);
  expect([await read(id), await read(id, oidc), await exported(api, id)]).toEqual(before);
});

test("returns 400 for an invalid file, and does not change the application", async () => {
  const id = await post(fileOf({ name: "steady", inbound: oauthEntry("steady") }));
  const before = await read(id);
  for (const file of ["", "<x/>", fileOf({ name: "steady", extra: "<IsDiscoverable>true</IsDiscoverable>" })]) {
    const answer = await put(file);
    expect([answer.status, answer.body.code]).toEqual([400, "APP-60001"]);
  }
  const broken = multipart({ name: "file", content: "x" }).subarray(0, 90);
  const headers = { "content-type": MULTIPART_TYPE };
  expect((await ask("PUT", `${APPLICATIONS}/import`, { raw: broken, headers })).status).toBe(400);
  expect(await read(id)).toEqual(before);
});

test.each([
  ["no name", ""],
  ["a blank name", "  "],
  ["a name that no application has", "a/b"],
  ["a name longer than any", "x".repeat(3_000)],
])("returns 400 for %s", async (_, name) => {
  const answer = await put(fileOf({ name }));
  expect([answer.status, answer.body.code]).toEqual([400, "APP-60001"]);
  expect(answer.body.description).toMatch(/name/i);
});

test("applies concurrent updates and other changes atomically", async () => {
  const id = await post(fileOf({ name: "busy", inbound: oauthEntry("busy") }));
  const files = Array.from({ length: 6 }, (_, n) =>
    put(fileOf({ name: "busy", inbound: oauthEntry("busy"), extra: `<Description>${n}</Description><N>${n}</N>` })),
  );
  const patches = Array.from({ length: 6 }, () => ask("PATCH", at(id), { body: { imageUrl: "https://busy.example" } }));
  const answers = await Promise.all([...files, ...patches]);
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  const { description } = await read(id);
  expect(await exported(api, id)).toContain(`<N>${description}</N>`);
});
