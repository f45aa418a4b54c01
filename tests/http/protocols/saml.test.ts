import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { indexProblemsIn } from "#tests/support/application-index.ts";
import { allItems, base64, metadata, upstreamBody } from "#tests/support/protocols.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

let documents: Server;
let host = "";
// The service reads which hosts are exempt when it starts, so this server starts first.
beforeAll(async () => {
  documents = createServer((request, response) => {
    if (request.url === "/redirect") response.writeHead(302, { location: "http://127.0.0.1/" }).end();
    else if (request.url === "/large") response.end("x".repeat(1_100_000));
    else if (request.url === "/missing") response.writeHead(404).end();
    else response.end(metadata({ entityId: "https://fetched.example" }));
  }).listen(0, "127.0.0.1");
  await new Promise((done) => documents.once("listening", done));
  host = `127.0.0.1:${(documents.address() as AddressInfo).port}`;
  process.env.METADATA_HOSTS = host;
});
afterAll(() => void documents.close());

const api = world();
const { ask, create } = api;
const MINIMAL = { issuer: "https://sp.example", assertionConsumerUrls: ["https://sp.example/acs"] };
const POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
const at = (id: string) => `${APPLICATIONS}/${id}/inbound-protocols/saml`;
const put = (id: string, body: unknown) => ask("PUT", at(id), { body });
const get = async (id: string) => (await ask("GET", at(id))).body;
let made = 0;
const bare = () => create({ name: `saml ${made++}` });

test("an issuer that changes many times is found by its last value only", async () => {
  const id = await bare();
  const issuerOf = (at: number) => `https://changing-${at}.example`;
  const last = 30;
  for (let at = 0; at <= last; at += 1) {
    expect((await put(id, { manualConfiguration: { ...MINIMAL, issuer: issuerOf(at) } })).status).toBe(200);
  }
  const found = async (issuer: string) => {
    const filter = encodeURIComponent(`issuer eq ${issuer}`);
    const { body } = await ask("GET", `${APPLICATIONS}?filter=${filter}`);
    return body.applications.map((one: { id: string }) => one.id);
  };
  expect(await found(issuerOf(last))).toEqual([id]);
  for (const at of [0, 15, last - 1]) expect(await found(issuerOf(at))).toEqual([]);
  expect(await indexProblemsIn(api.service)).toEqual([]);
});

describe("getSamlConfiguration", () => {
  test("a provider with only an issuer and one URL has every default", async () => {
    const id = await bare();
    await put(id, { manualConfiguration: { ...MINIMAL, issuer: "https://minimal.example" } });
    expect(await get(id)).toEqual({
      issuer: "https://minimal.example",
      assertionConsumerUrls: ["https://sp.example/acs"],
      defaultAssertionConsumerUrl: "https://sp.example/acs",
      singleSignOnProfile: {
        bindings: ["HTTP_POST", "HTTP_REDIRECT"],
        enableSignatureValidationForArtifactBinding: false,
        attributeConsumingServiceIndex: "",
        enableIdpInitiatedSingleSignOn: false,
        assertion: {
          nameIdFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
          audiences: [],
          recipients: [],
          digestAlgorithm: "http://www.w3.org/2001/04/xmlenc#sha256",
          encryption: {
            enabled: false,
            assertionEncryptionAlgorithm: "http://www.w3.org/2009/xmlenc11#aes256-gcm",
            keyEncryptionAlgorithm: "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
          },
        },
      },
      attributeProfile: {
        enabled: false,
        alwaysIncludeAttributesInResponse: false,
        nameFormat: "urn:oasis:names:tc:SAML:2.0:attrname-format:basic",
      },
      singleLogoutProfile: {
        enabled: false,
        logoutMethod: "BACKCHANNEL",
        idpInitiatedSingleLogout: { enabled: false, returnToUrls: [] },
      },
      requestValidation: { enableSignatureValidation: false },
      responseSigning: { enabled: false, signingAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256" },
      enableAssertionQueryProfile: false,
    });
  });
  test("accepts the manual body of WSO2 and shows its name-id format as a URN", async () => {
    const body = await upstreamBody("create-saml-app-with-manual-config");
    const manual = body.inboundProtocolConfiguration.saml.manualConfiguration;
    // It has SHA-1, which is refused.
    const weak = await ask("POST", APPLICATIONS, { body });
    expect([weak.status, weak.body.code]).toEqual([400, "SAML-60001"]);
    expect(weak.body.description).toContain("It takes http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
    manual.responseSigning.signingAlgorithm = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
    manual.singleSignOnProfile.assertion.digestAlgorithm = "http://www.w3.org/2001/04/xmlenc#sha256";
    const id = await create(body);
    const shown = await get(id);
    expect(shown.singleSignOnProfile.assertion.nameIdFormat).toBe(
      "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
    );
    manual.singleSignOnProfile.assertion.nameIdFormat = shown.singleSignOnProfile.assertion.nameIdFormat;
    expect(shown).toMatchObject(manual);
    expect((await ask("GET", `${APPLICATIONS}/${id}`)).body).toMatchObject({
      issuer: "https://sp.wso2.com",
      inboundProtocols: [{ type: "samlsso" }],
    });
    const query = new URLSearchParams({ filter: "issuer eq https://sp.wso2.com" });
    expect((await ask("GET", `${APPLICATIONS}?${query}`)).body.applications).toMatchObject([
      { id, issuer: "https://sp.wso2.com" },
    ]);
  });
  test("returns 404 without settings", async () => {
    expect((await ask("GET", at(await bare()))).body.code).toBe("APP-60502");
  });
});

describe("updateSamlConfiguration", () => {
  test("accepts the metadata file of WSO2 while it is valid, and refuses it as it is: it expired in 2019", async () => {
    const body = { ...(await upstreamBody("create-saml-app-with-metadata-file")), name: "by file" };
    const refused = await ask("POST", APPLICATIONS, { body });
    expect([refused.status, refused.body.code]).toEqual([400, "SAML-60001"]);
    expect(refused.body.description).toContain("It has expired");
    const { saml } = body.inboundProtocolConfiguration;
    const text = Buffer.from(saml.metadataFile, "base64")
      .toString("utf8")
      .replace(/validUntil="[^"]*"/, "");
    const id = await create({ ...body, inboundProtocolConfiguration: { saml: { metadataFile: base64(text) } } });
    expect(await get(id)).toMatchObject({
      issuer: "https://saml.wso2.com",
      assertionConsumerUrls: ["https://saml.wso2.com/acs"],
      singleLogoutProfile: { enabled: true, logoutRequestUrl: "https://saml.wso2.com/slo" },
      requestValidation: { enableSignatureValidation: true },
      singleSignOnProfile: { assertion: { nameIdFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified" } },
    });
  });
  test("fetches metadata from an exempt host", async () => {
    const id = await bare();
    expect((await put(id, { metadataURL: `http://${host}/metadata` })).status).toBe(200);
    expect((await get(id)).issuer).toBe("https://fetched.example");
  });
  test("reads attributes, XML entities and the default consumer of metadata", async () => {
    const inside = `<md:AssertionConsumerService Binding="${POST}" Location="https://a.example/?x=1&amp;y=2" index="0" isDefault="true"/>
      <md:AttributeConsumingService index="7"><md:ServiceName xml:lang="en">x</md:ServiceName></md:AttributeConsumingService>`;
    const id = await bare();
    await put(id, { metadataFile: base64(metadata({ entityId: "https://attributes.example", inside })) });
    expect(await get(id)).toMatchObject({
      defaultAssertionConsumerUrl: "https://a.example/?x=1&y=2",
      attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true },
      singleSignOnProfile: { attributeConsumingServiceIndex: "7" },
    });
  });
  test("ignores elements of other namespaces", async () => {
    const inside = `<x:AssertionConsumerService xmlns:x="urn:other" Binding="b" Location="https://evil.example/" index="0"/>`;
    const id = await bare();
    await put(id, { metadataFile: base64(metadata({ entityId: "https://foreign.example", inside })) });
    expect((await get(id)).assertionConsumerUrls).toEqual(["https://foreign.example/acs"]);
  });
  test("a new issuer replaces the old one, which is free at once", async () => {
    const [one, two] = [await bare(), await bare()];
    const named = (issuer: string) => ({ manualConfiguration: { ...MINIMAL, issuer } });
    await put(one, named("https://first.example"));
    await put(one, named("https://second.example"));
    expect((await put(two, named("https://first.example"))).status).toBe(200);
    const answer = await put(two, named("https://second.example"));
    expect([answer.status, answer.body.code]).toEqual([409, "SAML-60002"]);
    expect((await get(two)).issuer).toBe("https://first.example");
  });
  test("a qualifier makes a different provider of the same issuer and is part of its key", async () => {
    const named = (serviceProviderQualifier?: string) => ({
      manualConfiguration: {
        ...MINIMAL,
        issuer: "https://shared.example",
        ...(serviceProviderQualifier && { serviceProviderQualifier }),
      },
    });
    const [plain, qualified] = [await bare(), await bare()];
    expect((await put(plain, named())).status).toBe(200);
    expect((await put(qualified, named("q"))).status).toBe(200);
    expect((await put(await bare(), named("q"))).status).toBe(409);
    expect((await get(qualified)).issuer).toBe("https://shared.example");
    const issuer = "https://shared.example:urn:sp:qualifier:q";
    expect((await ask("GET", `${APPLICATIONS}/${qualified}`)).body.issuer).toBe(issuer);
    const query = new URLSearchParams({ filter: `issuer eq ${issuer}` });
    expect((await ask("GET", `${APPLICATIONS}?${query}`)).body.applications).toMatchObject([{ id: qualified, issuer }]);
  });
  test("a part that is sent is on by default", async () => {
    const id = await bare();
    const parts = {
      singleLogoutProfile: {},
      requestValidation: {},
      responseSigning: {},
      attributeProfile: { enabled: true },
    };
    await put(id, { manualConfiguration: { ...MINIMAL, issuer: "https://parts.example", ...parts } });
    const shown = await get(id);
    expect(shown).toMatchObject({
      singleLogoutProfile: { enabled: true },
      requestValidation: { enableSignatureValidation: true },
      responseSigning: { enabled: true },
      singleSignOnProfile: { attributeConsumingServiceIndex: expect.stringMatching(/^\d+$/) },
    });
  });
  const laughs = `<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>`;
  test.each<[string, unknown, number, string]>([
    ["no way", {}, 400, "APP-60001"],
    ["two ways", { metadataFile: "eA==", manualConfiguration: MINIMAL }, 400, "APP-60001"],
    ["no Base64", { metadataFile: "<xml/>" }, 400, "SAML-60001"],
    ["no XML", { metadataFile: base64("hello") }, 400, "SAML-60001"],
    ["cut off", { metadataFile: base64(metadata().slice(0, 200)) }, 400, "SAML-60001"],
    ["another root", { metadataFile: base64("<a/>") }, 400, "SAML-60001"],
    ["no consumer", { metadataFile: base64(metadata({ acs: false })) }, 400, "SAML-60001"],
    ["laughs", { metadataFile: base64(metadata({ before: laughs, inside: "&b;" })) }, 400, "SAML-60001"],
    [
      "a file of the server",
      {
        metadataFile: base64(
          metadata({ before: '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>', inside: "&f;" }),
        ),
      },
      400,
      "SAML-60001",
    ],
    ["UTF-16", { metadataFile: Buffer.from(metadata(), "utf16le").toString("base64") }, 400, "SAML-60001"],
    ["another encoding", { metadataFile: base64(metadata().replace("?>", ' encoding="UTF-7"?>')) }, 400, "SAML-60001"],
    [
      "10,000 levels",
      { metadataFile: base64(metadata({ inside: `${"<a>".repeat(10_000)}${"</a>".repeat(10_000)}` })) },
      400,
      "SAML-60001",
    ],
    [
      "levels hidden behind attributes",
      {
        metadataFile: base64(
          metadata({ inside: `${`<a x="/>">${"z".repeat(250)}`.repeat(2_400)}${"</a>".repeat(2_400)}` }),
        ),
      },
      400,
      "SAML-60001",
    ],
    [
      "levels hidden behind comments",
      { metadataFile: base64(metadata({ inside: `${"<a><!--</a>-->".repeat(1_600)}${"</a>".repeat(1_600)}` })) },
      400,
      "SAML-60001",
    ],
    [
      "comments that never end",
      { metadataFile: base64(metadata({ inside: "<!--".repeat(100_000) })) },
      400,
      "SAML-60001",
    ],
    ["a million blanks", { metadataFile: `${" ".repeat(999_999)}!` }, 400, "SAML-60001"],
    [
      "another namespace",
      { metadataFile: base64(metadata().replace("SAML:2.0:metadata", "SAML:9:metadata")) },
      400,
      "SAML-60001",
    ],
    [
      "a script for an address",
      { manualConfiguration: { ...MINIMAL, assertionConsumerUrls: ["javascript:alert(1)"] } },
      400,
      "SAML-60001",
    ],
    [
      "a certificate that is none",
      {
        metadataFile: base64(
          metadata({
            inside:
              '<md:KeyDescriptor><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>AAAA</X509Certificate></X509Data></KeyInfo></md:KeyDescriptor>',
          }),
        ),
      },
      400,
      "SAML-60001",
    ],
    ["5 MB", { metadataFile: base64(metadata({ inside: `<!--${"x".repeat(3_700_000)}-->` })) }, 413, "413"],
    ["no issuer", { manualConfiguration: { ...MINIMAL, issuer: " " } }, 400, "SAML-60001"],
    ["@ in the issuer", { manualConfiguration: { ...MINIMAL, issuer: "a@b" } }, 400, "SAML-60001"],
    ["no URL", { manualConfiguration: { ...MINIMAL, assertionConsumerUrls: [] } }, 400, "UE-10000"],
    [
      "an unknown algorithm",
      { manualConfiguration: { ...MINIMAL, responseSigning: { signingAlgorithm: "rot13" } } },
      400,
      "SAML-60001",
    ],
    [
      "an unknown binding",
      { manualConfiguration: { ...MINIMAL, singleSignOnProfile: { bindings: ["PIGEON"] } } },
      400,
      "UE-10000",
    ],
    ["a plain address", { metadataURL: "http://example.com/metadata" }, 400, "SAML-60003"],
    ["this machine", { metadataURL: "https://localhost/metadata" }, 400, "SAML-60003"],
    ["this machine by number", { metadataURL: "https://2130706433/" }, 400, "SAML-60003"],
    ["this machine in IPv6", { metadataURL: "https://[::1]/" }, 400, "SAML-60003"],
    ["this machine in both", { metadataURL: "https://[::ffff:127.0.0.1]/" }, 400, "SAML-60003"],
    [
      "the metadata service of the cloud",
      { metadataURL: "https://169.254.169.254/latest/meta-data/" },
      400,
      "SAML-60003",
    ],
    ["this machine through a translator", { metadataURL: "https://[64:ff9b:1::7f00:1]/" }, 400, "SAML-60003"],
    ["this machine translated", { metadataURL: "https://[::ffff:0:127.0.0.1]/" }, 400, "SAML-60003"],
    ["a private network", { metadataURL: "https://10.0.0.1/" }, 400, "SAML-60003"],
    ["another port", { metadataURL: "https://example.com:22/" }, 400, "SAML-60003"],
    ["a file", { metadataURL: "file:///etc/passwd" }, 400, "SAML-60003"],
    ["a user name", { metadataURL: "https://good@127.0.0.1/" }, 400, "SAML-60003"],
    ["no URL at all", { metadataURL: "metadata" }, 400, "SAML-60003"],
  ])("%s is refused with a reason and changes nothing", async (_, body, status, code) => {
    const id = await bare();
    const answer = await put(id, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.description.length).toBeGreaterThan(10);
    expect((await ask("GET", at(id))).status).toBe(404);
  });
  test.each(["redirect", "large", "missing"])("refuses a response that is %s, also of an exempt host", async (path) => {
    const answer = await put(await bare(), { metadataURL: `http://${host}/${path}` });
    expect([answer.status, answer.body.code]).toEqual([400, "SAML-60003"]);
  });
});

describe("deleteSamlConfiguration", () => {
  test("frees the issuer at once and leaves no row", async () => {
    const id = await bare();
    await put(id, { manualConfiguration: { ...MINIMAL, issuer: "https://freed.example" } });
    for (let again = 0; again < 2; again += 1) expect((await ask("DELETE", at(id))).status).toBe(204);
    expect((await allItems(api.service)).filter(({ PK }) => PK.includes("freed"))).toEqual([]);
    expect((await ask("GET", `${APPLICATIONS}/${id}`)).body.issuer).toBe("");
  });
});
