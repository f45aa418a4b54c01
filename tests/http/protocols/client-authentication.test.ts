/** The settings of client authentication: what is accepted, refused, returned, exported and imported. */
import { describe, expect, test } from "vitest";
import { issueAuthority } from "#local/issue.ts";
import { inline, jwkOf, keyFor } from "#tests/support/client-keys.ts";
import { exported, fileOf, idIn, oauthEntry, upload } from "#tests/support/files.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const at = (id: string) => `${APPLICATIONS}/${id}/inbound-protocols/oidc`;
const get = async (id: string) => (await ask("GET", at(id))).body.clientAuthentication;
const GRANTS = { grantTypes: ["client_credentials"] };
let made = 0;
const name = () => `authentication ${made++}`;
const withMethod = (clientAuthentication: unknown, more: object = {}) =>
  create({ name: name(), inboundProtocolConfiguration: { oidc: { ...GRANTS, ...more, clientAuthentication } } });

describe("accepts, returns and keeps", () => {
  test.each<[Record<string, unknown>, object?]>([
    [{ tokenEndpointAuthMethod: "client_secret_basic" }],
    [{ tokenEndpointAuthMethod: "client_secret_post" }],
    [{ tokenEndpointAuthMethod: "private_key_jwt" }],
    [{ tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAuthSigningAlg: "PS256" }],
    [{ tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAuthSigningAlg: "SHA256withRSA" }],
    [{ tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAllowReusePvtKeyJwt: true }],
    [{ tokenEndpointAuthMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=a\\, b,OU=x+L=y,2.5.4.10=Ü <1>" }],
    [{ tokenEndpointAuthMethod: "tls_client_auth" }],
    [{ tokenEndpointAuthMethod: "self_signed_tls_client_auth" }],
    [{ tokenEndpointAuthMethod: "none" }, { publicClient: true }],
  ])("%j", async (given, more) => {
    const shown = { tokenEndpointAllowReusePvtKeyJwt: false, ...given };
    if (String(given.tlsClientAuthSubjectDn ?? "").includes("<")) {
      await expect(withMethod(given, more)).rejects.toThrow("must be a distinguished name of RFC 4514");
      return;
    }
    const id = await withMethod(given, more);
    expect(await get(id)).toEqual(shown);
    const { body } = await ask("GET", at(id));
    expect((await ask("PUT", at(id), { body })).status).toBe(200);
    expect(await get(id)).toEqual(shown);
    // A PUT replaces everything: without the settings there is no registered method.
    expect((await ask("PUT", at(id), { body: GRANTS })).status).toBe(200);
    expect(await get(id)).toEqual({ tokenEndpointAllowReusePvtKeyJwt: false });
  });
  test.each<[Record<string, unknown>]>([
    [{}],
    [{ tokenEndpointAuthMethod: "" }],
    [{ tokenEndpointAuthMethod: null, tokenEndpointAllowReusePvtKeyJwt: null }],
    [{ tokenEndpointAuthMethod: "", tokenEndpointAuthSigningAlg: "", tlsClientAuthSubjectDn: "" }],
    [{ tokenEndpointAllowReusePvtKeyJwt: false }],
  ])("%j as no registered method", async (given) => {
    expect(await get(await withMethod(given))).toEqual({ tokenEndpointAllowReusePvtKeyJwt: false });
  });
});

describe("refuses, naming the field, what would have no effect", () => {
  const KEY = { tokenEndpointAuthMethod: "private_key_jwt" };
  const TLS = { tokenEndpointAuthMethod: "tls_client_auth" };
  test.each<[Record<string, unknown>, string, object?]>([
    [{ tokenEndpointAuthMethod: "client_secret_jwt" }, "tokenEndpointAuthMethod 'client_secret_jwt' is not supported"],
    [{ tokenEndpointAuthMethod: "PRIVATE_KEY_JWT" }, "tokenEndpointAuthMethod 'PRIVATE_KEY_JWT' is not supported"],
    [{ tokenEndpointAuthMethod: "toString" }, "tokenEndpointAuthMethod 'toString' is not supported"],
    [{ tokenEndpointAuthMethod: "none" }, "can be none for a public client only"],
    [KEY, "must be none or absent for a public client", { publicClient: true }],
    [{ tokenEndpointAuthMethod: "client_secret_basic" }, "must be none or absent", { publicClient: true }],
    [{ tokenEndpointAuthSigningAlg: "ES256" }, "tokenEndpointAuthSigningAlg has an effect with"],
    [{ ...TLS, tokenEndpointAuthSigningAlg: "ES256" }, "tokenEndpointAuthSigningAlg has an effect with"],
    [{ ...KEY, tokenEndpointAuthSigningAlg: "HS256" }, "tokenEndpointAuthSigningAlg 'HS256' is not supported"],
    [{ ...KEY, tokenEndpointAuthSigningAlg: "none" }, "tokenEndpointAuthSigningAlg 'none' is not supported"],
    [{ ...KEY, tokenEndpointAuthSigningAlg: "es256" }, "tokenEndpointAuthSigningAlg 'es256' is not supported"],
    [{ tokenEndpointAllowReusePvtKeyJwt: true }, "tokenEndpointAllowReusePvtKeyJwt has an effect with"],
    [{ ...KEY, tlsClientAuthSubjectDn: "CN=a" }, "tlsClientAuthSubjectDn has an effect with"],
    [{ tlsClientAuthSubjectDn: "CN=a" }, "tlsClientAuthSubjectDn has an effect with"],
    ...[
      "machine",
      "CN=",
      "=a",
      "CN=a,",
      "CN=a,,O=b",
      "CN=#0403",
      'CN="a"',
      "CN=a;O=b",
      "CN=a\\",
      "C N=a",
      "CN=\\ff",
    ].map((dn): [Record<string, unknown>, string] => [
      { ...TLS, tlsClientAuthSubjectDn: dn },
      "tlsClientAuthSubjectDn must be a distinguished name of RFC 4514",
    ]),
  ])("%j", async (given, sentence, more = {}) => {
    const id = await create({ name: name() });
    const answer = await ask("PUT", at(id), { body: { ...GRANTS, ...more, clientAuthentication: given } });
    expect([answer.status, answer.body.code]).toEqual([400, "OAUTH-60001"]);
    expect(answer.body.description).toContain("clientAuthentication.");
    expect(answer.body.description).toContain(sentence);
    expect((await ask("GET", at(id))).status).toBe(404);
  });
});

describe("the certificate of an application may be a JWK set", () => {
  const patch = async (value: unknown) => {
    const id = await create({ name: name() });
    const certificate = { type: "JWKS", value: typeof value === "string" ? value : JSON.stringify(value) };
    const answer = await ask("PATCH", `${APPLICATIONS}/${id}`, { body: { advancedConfigurations: { certificate } } });
    return [answer.status, answer.body.description ?? answer.body.advancedConfigurations?.certificate.value];
  };
  test("of public keys, which is returned as it was sent", async () => {
    const { value } = inline(keyFor("ES256"), keyFor("RS256", "some RSA key"), keyFor("Ed25519"));
    const id = await create({ name: name(), advancedConfigurations: { certificate: { type: "JWKS", value } } });
    const { body } = await ask("GET", `${APPLICATIONS}/${id}`);
    expect(body.advancedConfigurations.certificate).toEqual({ type: "JWKS", value });
  });
  const key = jwkOf(keyFor("ES256"));
  const privateJwk = keyFor("ES256").privateKey.export({ format: "jwk" });
  test.each<[string, unknown, string]>([
    ["a private key", { keys: [privateJwk] }, "keys[0] is a private or symmetric key"],
    ["a symmetric key", { keys: [key, { kty: "oct", k: "AAAA" }] }, "keys[1] is a private or symmetric key"],
    ["no keys", { keys: [] }, "1 to 5 keys"],
    ["six keys", { keys: Array.from({ length: 6 }, () => key) }, "1 to 5 keys"],
    ["one key without a list", key, 'a JSON object with a list "keys"'],
    ["text that is no JSON", "{", 'a JSON object with a list "keys"'],
    ["a key for another use", { keys: [{ ...key, use: "seal" }] }, 'another use than "sig"'],
    ["a point that is not on its curve", { keys: [{ ...key, x: key.y }] }, "keys[0] is not a valid key"],
    ["an unknown curve", { keys: [{ ...key, crv: "secp256k1" }] }, "of a kind that is not supported"],
    ["a short RSA key", { keys: [{ kty: "RSA", n: Buffer.alloc(128, 255).toString("base64url"), e: "AQAB" }] }, "2048"],
    [
      "a huge RSA key",
      { keys: [{ kty: "RSA", n: Buffer.alloc(2_048, 255).toString("base64url"), e: "AQAB" }] },
      "4096",
    ],
  ])("refuses %s", async (_, set, sentence) => {
    const [status, description] = await patch(set);
    expect([status, description]).toEqual([400, expect.stringContaining(sentence)]);
  });
});

describe("files", () => {
  const names = [
    "tokenEndpointAuthMethod",
    "tokenEndpointAllowReusePvtKeyJwt",
    "tokenEndpointAuthSignatureAlgorithm",
    "tlsClientAuthSubjectDN",
  ];
  test.each<[Record<string, unknown>]>([
    [{ tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAuthSigningAlg: "PS256" }],
    [{ tokenEndpointAuthMethod: "private_key_jwt", tokenEndpointAllowReusePvtKeyJwt: true }],
    [{ tokenEndpointAuthMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=a,O=Ride & Co" }],
    [{ tokenEndpointAuthMethod: "client_secret_post" }],
  ])("an export and its import keep %j", async (given) => {
    const { certificate } = await issueAuthority("client");
    const id = await create({
      name: name(),
      advancedConfigurations: { certificate: { type: "PEM", value: Buffer.from(certificate).toString("base64") } },
      inboundProtocolConfiguration: { oidc: { ...GRANTS, clientAuthentication: given } },
    });
    const file = await exported(api, id);
    expect(file).toContain(`<tokenEndpointAuthMethod>${given.tokenEndpointAuthMethod}</tokenEndpointAuthMethod>`);
    await ask("DELETE", `${APPLICATIONS}/${id}`);
    const again = idIn(await upload(api, "POST", file));
    expect(await get(again)).toEqual({ tokenEndpointAllowReusePvtKeyJwt: false, ...given });
    expect(await exported(api, again)).toBe(file);
  });
  test("a client without a registered method exports no such element", async () => {
    const file = await exported(api, await create({ name: name(), inboundProtocolConfiguration: { oidc: GRANTS } }));
    for (const each of names) expect(file).not.toContain(each);
  });
  const fileWith = (inside: string) => {
    const key = `file-client-${made}`;
    return fileOf({ name: name(), inbound: oauthEntry(key, inside) });
  };
  test("a file of WSO2 Identity Server with the word null, or with empty elements, has no registered method", async () => {
    for (const word of ["null", ""]) {
      const file = fileWith(names.map((each) => `<${each}>${word}</${each}>`).join(""));
      const answer = await upload(api, "POST", file);
      expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
      expect(await get(idIn(answer))).toEqual({ tokenEndpointAllowReusePvtKeyJwt: false });
    }
  });
  test("a file with a setting that would have no effect is refused", async () => {
    const answer = await upload(
      api,
      "POST",
      fileWith("<tokenEndpointAuthSignatureAlgorithm>PS256</tokenEndpointAuthSignatureAlgorithm>"),
    );
    expect([answer.status, answer.body.description]).toEqual([
      400,
      expect.stringContaining("clientAuthentication.tokenEndpointAuthSigningAlg has an effect with"),
    ]);
  });
});
