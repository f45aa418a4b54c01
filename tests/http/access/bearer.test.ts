/** Hostile bearer tokens: each is refused with the same response. */
import { createHmac, createPublicKey, generateKeyPairSync, sign as signBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { encode, foreignKey, partsOf, sign, signingKey } from "#tests/support/signing.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const { newClient, token, ownToken } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const METADATA = () => `resource_metadata="${api.url}/.well-known/oauth-protected-resource/api/server/v1"`;
const UNKNOWN = "at_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

let opaqueClient: TestClient;
let jwtClient: TestClient;
let jwt = "";
let opaque = "";
let parts: ReturnType<typeof partsOf>;
let key: Awaited<ReturnType<typeof signingKey>>;
beforeAll(async () => {
  opaqueClient = await newClient([VIEW]);
  jwtClient = await newClient([VIEW], { accessToken: { type: "JWT" } });
  [jwt, opaque] = await Promise.all([ownToken(jwtClient, VIEW), ownToken(opaqueClient, VIEW)]);
  parts = partsOf(jwt);
  key = await signingKey(api);
});

const ask = (header: string, method = "GET") => api.ask(method, APPLICATIONS, { as: header });
const INVALID = "The access token is invalid";
const EXPIRED = "The access token expired";
const refused = async (text: string, why = INVALID) => {
  const answer = await ask(`Bearer ${text}`);
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual({
    code: "401",
    message: "Unauthorized",
    description:
      why === EXPIRED
        ? "The access token expired: request a new one at /oauth2/token."
        : "The access token is invalid: it is unknown, was revoked, or is for another resource. Request a new one at /oauth2/token.",
    traceId: expect.any(String),
  });
  expect(answer.headers.get("www-authenticate")).toBe(
    `Basic realm="Identity Admin API", charset="UTF-8", Bearer realm="Identity Admin API", error="invalid_token", error_description="${why}", ${METADATA()}`,
  );
};
/** A token that is signed with the right key. */
const signed = (payload: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
  sign(key, { ...parts.header, ...header }, { ...parts.payload, ...payload });

test("accepts the valid tokens that the hostile ones derive from", async () => {
  for (const text of [jwt, opaque, await signed()]) expect((await ask(`Bearer ${text}`)).status).toBe(200);
  expect((await ask(`bearer ${jwt}`)).status).toBe(200);
  expect((await ask(`BEARER   ${opaque}`)).status).toBe(200);
});

describe("refuses another algorithm:", () => {
  test.each(["none", "None", "NONE", "nOnE"])("%s", async (alg) => {
    const head = encode({ ...parts.header, alg });
    for (const signature of ["", parts.signature]) await refused(`${head}.${parts.body}.${signature}`);
  });
  test("HS256 with any form of the public key as the secret", async () => {
    const publicKey = createPublicKey({ key, format: "jwk" });
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    const secrets = [
      pem,
      pem.trimEnd(),
      publicKey.export({ type: "spki", format: "der" }),
      JSON.stringify(publicKey.export({ format: "jwk" })),
    ];
    for (const secret of secrets) {
      const head = encode({ ...parts.header, alg: "HS256" });
      const text = `${head}.${parts.body}`;
      await refused(`${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`);
    }
  });
  test("RS256 with an attacker's key under the real key id; ES384; a property name of Object", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await refused(await sign(privateKey.export({ format: "jwk" }), { ...parts.header, alg: "RS256" }, parts.payload));
    for (const alg of ["ES384", "constructor", "", 1, null]) {
      await refused(`${encode({ ...parts.header, alg })}.${parts.body}.${parts.signature}`);
    }
  });
  test("a signature of zeros, or one in DER", async () => {
    await refused(`${parts.head}.${parts.body}.${Buffer.alloc(64).toString("base64url")}`);
    const der = signBytes("sha256", Buffer.from(`${parts.head}.${parts.body}`), {
      key,
      format: "jwk",
      dsaEncoding: "der",
    });
    await refused(`${parts.head}.${parts.body}.${der.toString("base64url")}`);
  });
});

describe("refuses wrong times:", () => {
  const now = Math.floor(Date.now() / 1_000);
  test.each<[string, Record<string, unknown>]>([
    ["no exp", { exp: undefined }],
    ["exp as text", { exp: String(now + 3_600) }],
    ["exp as a list", { exp: [now + 3_600] }],
    ["exp null", { exp: null }],
    ["nbf in the future", { nbf: now + 3_600 }],
    ["no nbf", { nbf: undefined }],
    ["no iat", { iat: undefined }],
    ["no jti", { jti: undefined }],
  ])("%s", async (_, payload) => refused(await signed(payload)));
  test.each<[string, Record<string, unknown>]>([
    ["a second ago", { exp: now - 1 }],
    ["an hour ago", { exp: now - 3_600 }],
    ["before 1970", { exp: -1 }],
  ])("tells that a token expired %s, and only where its signature and issuer are right", async (_, payload) => {
    await refused(await signed(payload), EXPIRED);
    await refused(await sign(foreignKey(), parts.header, { ...parts.payload, ...payload }));
    await refused(await signed({ ...payload, iss: "https://evil.example/oauth2/token" }));
    await refused(await signed({ ...payload, idp: undefined }));
  });
  test("an exp that is larger than any number", async () => {
    const text = `${parts.head}.${encode(JSON.stringify(parts.payload).replace(/"exp":\d+/, '"exp":1e400'))}`;
    const signature = signBytes("sha256", Buffer.from(text), { key, format: "jwk", dsaEncoding: "ieee-p1363" });
    await refused(`${text}.${signature.toString("base64url")}`);
  });
});

describe("refuses a wrong issuer or audience:", () => {
  test.each<[string, (url: string) => Record<string, unknown>]>([
    ["another issuer", () => ({ iss: "https://evil.example/oauth2/token" })],
    ["an extra slash", (url) => ({ iss: `${url}/oauth2/token/` })],
    ["another letter case", (url) => ({ iss: `${url}/OAuth2/token` })],
    ["another tenant's issuer", (url) => ({ iss: `${url}/t/acme.com/oauth2/token` })],
    ["no issuer", () => ({ iss: undefined })],
    ["another audience", () => ({ aud: "https://evil.example" })],
    ["the client as the only audience", () => ({ aud: jwtClient.clientId })],
    ["other audiences only", () => ({ aud: ["a", "b"] })],
    ["an empty list of audiences", () => ({ aud: [] })],
    ["no audience", () => ({ aud: undefined })],
    ["no client", () => ({ client_id: undefined })],
    ["no subject", () => ({ sub: undefined })],
    ["another kind of subject", () => ({ aut: "APPLICATION_USER" })],
    ["no private claim", () => ({ idp: undefined })],
    ["a text as the private claim", () => ({ idp: "x" })],
    [
      "a private claim with another tenant than the issuer's",
      () => ({ idp: { ...(parts.payload.idp as object), tenant: "acme.com" } }),
    ],
    [
      "a tenant that there is not",
      (url) => ({
        iss: `${url}/t/nowhere/oauth2/token`,
        idp: { ...(parts.payload.idp as object), tenant: "nowhere" },
      }),
    ],
  ])("%s", async (_, change) => refused(await signed(change(api.url))));
});

describe("refuses another key:", () => {
  test.each([
    "../../../dev/null",
    "/etc/passwd",
    "' OR 1=1",
    "__proto__",
    "constructor",
    "https://evil.example/key",
    "file:///etc/passwd",
    "x".repeat(5_000),
    1,
    null,
    undefined,
    ["x"],
  ])("the id %j", async (kid) => {
    await refused(await signed({}, { kid }));
    await refused(await sign(foreignKey(), { ...parts.header, kid }, parts.payload));
  });
  test("an attacker's key under the real key id, also with the key in the header", async () => {
    const own = foreignKey();
    const { d: _, ...open } = own;
    await refused(await sign(own, parts.header, parts.payload));
    for (const header of [
      { jwk: open },
      { jku: `${api.url}/oauth2/jwks` },
      { jku: "https://evil.example/jwks" },
      { x5u: "https://evil.example/cert" },
      { x5c: ["MIIB"] },
    ]) {
      await refused(await sign(own, { ...parts.header, ...header }, parts.payload));
    }
  });
  test("a critical header that is not supported", async () => {
    const head = (crit: unknown, more = {}) => encode({ ...parts.header, crit, ...more });
    for (const one of [head(["exp"]), head(["x"], { x: 1 }), head([]), head(["b64"], { b64: false })]) {
      const text = `${one}.${parts.body}`;
      const signature = signBytes("sha256", Buffer.from(text), { key, format: "jwk", dsaEncoding: "ieee-p1363" });
      await refused(`${text}.${signature.toString("base64url")}`);
    }
  });
  test.each(["JWT", "rt+jwt", "id_token", "", 1, undefined])("a token of type %j", async (typ) =>
    refused(await signed({}, { typ })),
  );
});

describe("refuses a malformed token:", () => {
  test("a changed payload", async () => {
    const wide = { ...parts.payload, scope: `${VIEW} internal_application_mgt_delete` };
    await refused(`${parts.head}.${encode(wide)}.${parts.signature}`);
  });
  test("a changed bit, also one that lenient decoders ignore", async () => {
    const flipped = (text: string, at: number) =>
      `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
    for (const at of [0, 10, parts.head.length + 5, jwt.length - 40]) await refused(flipped(jwt, at));
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = alphabet.indexOf(jwt.at(-1) ?? "");
    await refused(`${jwt.slice(0, -1)}${alphabet[last + 1]}`);
  });
  test.each<[string, () => string]>([
    ["two parts", () => `${parts.head}.${parts.body}`],
    ["no signature", () => `${parts.head}.${parts.body}.`],
    ["no payload", () => `${parts.head}..${parts.signature}`],
    ["four parts", () => `${jwt}.x`],
    ["five parts", () => `${jwt}.x.y`],
    ["padding", () => `${jwt}=`],
    ["the standard Base64 alphabet", () => `${parts.head}+/.${parts.body}.${parts.signature}`],
    ["lower case", () => jwt.toLowerCase()],
    ["an extra character", () => `${jwt}A`],
    ["a missing character", () => jwt.slice(0, -1)],
    ["a header that is not JSON", () => `${encode("{")}.${parts.body}.${parts.signature}`],
    ["a header that is a list", () => `${encode([])}.${parts.body}.${parts.signature}`],
    ["a header that is a text", () => `${encode('"x"')}.${parts.body}.${parts.signature}`],
    ["a repeated member", () => `${encode('{"alg":"ES256","alg":"none"}')}.${parts.body}.${parts.signature}`],
    ["deep nesting", () => `${encode("[".repeat(4_000))}.${parts.body}.${parts.signature}`],
    ["a dot only", () => "."],
  ])("%s", async (_, text) => refused(text()));
  test("deep nesting and great length under a valid signature", async () => {
    const body = encode(`{"a":${"[".repeat(2_500)}${"]".repeat(2_500)}}`);
    for (const text of [`${parts.head}.${body}`, `${parts.head}.${encode("x".repeat(6_500))}`]) {
      const signature = signBytes("sha256", Buffer.from(text), { key, format: "jwk", dsaEncoding: "ieee-p1363" });
      await refused(`${text}.${signature.toString("base64url")}`);
    }
  });
  test.each<[string, () => string]>([
    ["lower case", () => opaque.toLowerCase()],
    ["an extra character", () => `${opaque}A`],
    ["a missing character", () => opaque.slice(0, -1)],
    ["the first character changed", () => `at_${opaque[3] === "A" ? "B" : "A"}${opaque.slice(4)}`],
    ["unknown", () => UNKNOWN],
    ["without its prefix", () => opaque.slice(3)],
    ["a property name of Object", () => "__proto__"],
  ])("an opaque token: %s", async (_, text) => refused(text()));
  test("a refresh token, and the digest that is stored of a token", async () => {
    const { refresh_token = "" } = await token(opaqueClient, { grant_type: "password", ...ADMIN });
    await refused(refresh_token);
    await refused(`at_${refresh_token.slice(3)}`);
  });
});

describe("refuses a wrong header:", () => {
  test.each(["Bearer", "Bearer ", "Bearer   ", "Bearer a b", "Bearer, Basic", `Bearer ${UNKNOWN}, ${basic(ADMIN)}`])(
    "%j",
    async (header) => expect((await ask(header)).status).toBe(401),
  );
  test("two valid credentials in one header, in either order", async () => {
    for (const header of [`Bearer ${opaque}, ${basic(ADMIN)}`, `${basic(ADMIN)}, Bearer ${opaque}`])
      expect((await ask(header)).status).toBe(401);
  });
  test("a token in the URL, a form, a cookie or another header", async () => {
    for (const text of [jwt, opaque]) {
      expect((await api.ask("GET", `${APPLICATIONS}?access_token=${text}`, { as: null })).status).toBe(401);
      for (const headers of [{ cookie: `access_token=${text}` }, { "x-access-token": text }, { "x-auth": text }]) {
        expect((await api.ask("GET", APPLICATIONS, { as: null, headers: { ...headers } as never })).status).toBe(401);
      }
      const form = { "content-type": "application/x-www-form-urlencoded" };
      const sent = await api.ask("POST", APPLICATIONS, { as: null, raw: `access_token=${text}`, headers: form });
      expect(sent.status).toBe(401);
    }
  });
  test("a client id and secret, which authenticate at the OAuth endpoints only", async () => {
    const { clientId, clientSecret } = opaqueClient;
    expect((await ask(basic({ username: clientId, password: clientSecret }))).status).toBe(401);
  });
});

describe("scope and tenant", () => {
  test("returns 403 with the missing scope; similar scopes do not count", async () => {
    const answer = await ask(`Bearer ${jwt}`, "POST");
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer realm="Identity Admin API", error="insufficient_scope", scope="internal_application_mgt_create", ${METADATA()}`,
    );
    for (const scope of [VIEW.toUpperCase(), `${VIEW}%20x`, "internal_application_mgt", `${VIEW},x`]) {
      expect((await ask(`Bearer ${await signed({ scope })}`)).status).toBe(403);
    }
  });
  test("accepts a token without scopes for operations that need none", async () => {
    const bare = await ownToken(jwtClient);
    expect((await ask(`Bearer ${bare}`)).status).toBe(403);
    expect((await api.ask("GET", "/scim2/Schemas", { as: `Bearer ${bare}` })).status).toBe(200);
  });
  test("an application is not a user, whatever its client id", async () => {
    for (const type of ["Default", "JWT"]) {
      const as = `Bearer ${await ownToken(await newClient([], { accessToken: { type } }))}`;
      const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
      const body = { schemas, Operations: [{ op: "replace", path: "nickName", value: "x" }] };
      expect((await api.ask("GET", "/scim2/Me", { as })).status).toBe(403);
      expect((await api.ask("PATCH", "/scim2/Me", { as, body })).status).toBe(403);
    }
    const victim = await addUser(api.service, { username: "victim", password: "a good password" });
    for (const clientId of [victim, victim.toUpperCase()]) {
      const oidc = { grantTypes: ["client_credentials"], clientId };
      const body = { name: "disguised", inboundProtocolConfiguration: { oidc } };
      const answer = await api.ask("POST", APPLICATIONS, { body });
      expect([answer.status, answer.body.code]).toEqual([400, "OAUTH-60001"]);
    }
    await newClient([], { clientId: "8f5a2f7e-6f0b-4c8e-9a39-0a6a7c8b1d42" });
  });
  test("accepts a token below the path of its tenant only", async () => {
    for (const text of [jwt, opaque]) {
      const at = async (tenant: string) =>
        (await api.ask("GET", `/t/${tenant}${APPLICATIONS}`, { as: `Bearer ${text}` })).status;
      expect([await at("carbon.super"), await at("acme.com")]).toEqual([200, 401]);
    }
  });
  test("resources that are created with a token belong to its user, or to no user for an application", async () => {
    const CREATE = "internal_application_mgt_create";
    const client = await newClient([CREATE]);
    const id = await addUser(api.service, { username: "maker", password: "a good password", scopes: [CREATE] });
    const grant = { grant_type: "password", username: "maker", password: "a good password", scope: CREATE };
    const tokens = [(await token(client, grant)).access_token, await ownToken(client, CREATE)];
    const owners = [];
    for (const [index, text] of tokens.entries()) {
      const body = { name: `made by a token ${index}` };
      const answer = await api.ask("POST", APPLICATIONS, { body, as: `Bearer ${text}` });
      const made = answer.headers.get("location")?.split("/").at(-1) ?? "";
      const item = await tableOf(api.service).get(keys.application(TENANT, made));
      owners.push((item?.application as { ownerId?: string } | undefined)?.ownerId);
    }
    expect(owners).toEqual([id, ""]);
  });
});
