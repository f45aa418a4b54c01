/** Answers of SAML by artifact (SAML Bindings 2.0 section 3.6; decision 0204). */
import { createHash } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Table } from "#core/database/table/table.ts";
import { element } from "#core/kernel/canonical-xml.ts";
import { newSeal } from "#core/kernel/seal.ts";
import { keeping, takeKept } from "#core/sign-in/saml/kept-store.ts";
import { childOf, childrenOf, readTree, textOf } from "#core/sign-in/saml/tree.ts";
import type { Browser, Shown } from "#tests/support/browsing.ts";
import { tableOf } from "#tests/support/people.ts";
import { saasOf } from "#tests/support/saas.ts";
import {
  base64,
  newProviderKey,
  type Provider,
  redirectPath,
  requestXml,
  samlOf,
  signedXml,
} from "#tests/support/saml.ts";
import {
  ARTIFACTS,
  artifactXml,
  envelope,
  isSignedBy,
  type KeyedProvider,
  soapOf,
  wrappings,
} from "#tests/support/saml-soap.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const saml = samlOf(api);
const { newProvider, nodeSaml, answerIn, enter, browser, certificateOf } = saml;
const { sendSoap, newKeyed, resolve } = soapOf(api, saml);
const { newTenant } = saasOf(api);

const BINDINGS = "urn:oasis:names:tc:SAML:2.0:bindings:";
const ProtocolBinding = `${BINDINGS}HTTP-Artifact`;
const bindings = ["HTTP_POST", "HTTP_REDIRECT", "ARTIFACT"];
const MINUTE_MS = 60_000;

let page: Browser;
let keyed: KeyedProvider;

beforeAll(async () => {
  const body = { userName: PERSON.username, password: PERSON.password };
  expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
  page = browser();
  await page.open(redirectPath(requestXml(await newProvider())));
  answerIn(page, await enter(page));
  keyed = await newKeyed({ singleSignOnProfile: { bindings } });
});
afterEach(() => vi.useRealTimers());

const sentTo = ({ location, html, status }: Shown, { acs }: Pick<Provider, "acs">) => {
  if (!location) throw new Error(`no artifact but ${status}: ${html.slice(-600)}`);
  expect(location.href.startsWith(acs)).toBe(true);
  expect(html).not.toContain("SAMLResponse");
  return location.searchParams.get("SAMLart") ?? "";
};
const requestOf = (of: Provider, attributes: object = {}) => requestXml(of, { ProtocolBinding, ...attributes });
/** The artifact that a provider gets for the person of the page. */
const artifactFor = async (of: Provider, attributes: object = {}) =>
  sentTo(await page.open(redirectPath(requestOf(of, attributes))), of);
const expectEmpty = ({ status, codes, response, text }: Awaited<ReturnType<typeof sendSoap>>) => {
  expect({ status, codes, response }).toEqual({ status: 200, codes: ["Success"], response: undefined });
  expect(text).not.toContain("Assertion");
};
const expectRefused = ({ status, text }: Awaited<ReturnType<typeof sendSoap>>, why = "") => {
  expect(status).toBe(400);
  expect(text).toContain(why);
  expect(text).not.toContain("<samlp:Response");
};
const unsigned = (of: Provider, artifact: string) => sendSoap(ARTIFACTS, envelope(artifactXml(of, artifact)));
const samlBy = (singleSignOnProfile: object, more: object = {}) => ({ singleSignOnProfile, ...more });

describe("resolveSamlArtifact, sendSamlResponse", () => {
  test("gives the response to the provider that resolves the artifact, which node-saml accepts", async () => {
    const xml = requestOf(keyed);
    const shown = await page.open(redirectPath(xml, { relayState: "a b+c&d=é" }));
    const artifact = sentTo(shown, keyed);
    expect(shown.location?.searchParams.get("RelayState")).toBe("a b+c&d=é");
    expect(shown.headers.get("referrer-policy")).toBe("no-referrer");
    const bytes = Buffer.from(artifact, "base64");
    expect([bytes.length, bytes.readUInt16BE(0), bytes.readUInt16BE(2)]).toEqual([44, 4, 0]);
    expect(bytes.subarray(4, 24)).toEqual(createHash("sha1").update(api.url).digest());

    const resolving = artifactXml(keyed, artifact);
    const answer = await sendSoap(ARTIFACTS, envelope(signedXml(resolving, keyed.key, { root: "ArtifactResolve" })));
    expect(answer).toMatchObject({ status: 200, codes: ["Success"] });
    expect(answer.root?.name).toBe("ArtifactResponse");
    expect(answer.root?.attributes.get("InResponseTo")).toBe(readTree(resolving).attributes.get("ID"));
    expect(answer.root?.attributes.has("Destination")).toBe(false);
    expect(answer.root && childrenOf(answer.root, "assertion", "Issuer").map(textOf)).toEqual([api.url]);
    expect(isSignedBy(answer.text, await certificateOf(), "samlp:ArtifactResponse")).toBe(true);
    expect(isSignedBy(answer.text.replace("Success", "Failure"), await certificateOf(), "samlp:ArtifactResponse")).toBe(
      false,
    );
    expect(answer.answer?.root.attributes.get("InResponseTo")).toBe(readTree(xml).attributes.get("ID"));

    const strict = await nodeSaml(keyed, { validateInResponseTo: "never" });
    const { profile } = await strict.validatePostResponseAsync({ SAMLResponse: base64(answer.response ?? "") });
    expect(profile?.nameID).toBe(PERSON.username);
  });
  test("once: the next answer is empty, and signed as well", async () => {
    const artifact = await artifactFor(keyed);
    const both = await Promise.all([resolve(keyed, artifact), resolve(keyed, artifact)]);
    expect(both.filter(({ response }) => response !== undefined).length).toBe(1);
    const third = await resolve(keyed, artifact);
    expectEmpty(third);
    expect(isSignedBy(third.text, await certificateOf(), "samlp:ArtifactResponse")).toBe(true);
  });
  test("tells by artifact why there is no assertion", async () => {
    const passive = browser();
    const artifact = sentTo(await passive.open(redirectPath(requestOf(keyed, { IsPassive: "true" }))), keyed);
    const { answer } = await resolve(keyed, artifact);
    expect([answer?.status, answer?.assertion]).toEqual([["Responder", "NoPassive"], undefined]);
    const odd = await artifactFor(keyed, { AttributeConsumingServiceIndex: "x" });
    expect((await resolve(keyed, odd)).answer?.status).toEqual(["Requester", "RequestUnsupported"]);
  });
  test("goes by artifact only where the settings and the request say so", async () => {
    const posting = await newProvider();
    const refused = answerIn(page, await page.open(redirectPath(requestOf(posting))));
    expect([refused.status, refused.assertion]).toEqual([["Responder", "UnsupportedBinding"], undefined]);
    answerIn(page, await page.open(redirectPath(requestXml(keyed))));
    answerIn(page, await page.open(redirectPath(requestXml(keyed, { ProtocolBinding: `${BINDINGS}HTTP-POST` }))));
    const paos = answerIn(
      page,
      await page.open(redirectPath(requestXml(keyed, { ProtocolBinding: `${BINDINGS}PAOS` }))),
    );
    expect(paos.status).toEqual(["Responder", "UnsupportedBinding"]);
  });
  test("goes by artifact without a word of the request where the provider takes nothing else", async () => {
    const enableIdpInitiatedSingleSignOn = true;
    const settings = { bindings: ["HTTP_REDIRECT", "ARTIFACT"], enableIdpInitiatedSingleSignOn };
    const redirecting = await newProvider(samlBy(settings));
    expect(
      (await unsigned(redirecting, sentTo(await page.open(redirectPath(requestXml(redirecting))), redirecting))).answer
        ?.nameId,
    ).toBe(PERSON.username);
    const begun = await page.open(`/samlsso?spEntityID=${encodeURIComponent(redirecting.issuer)}&RelayState=r`);
    const { answer } = await unsigned(redirecting, sentTo(begun, redirecting));
    expect([answer?.nameId, answer?.root.attributes.has("InResponseTo")]).toEqual([PERSON.username, false]);
  });
  test("goes by the binding that the metadata of the provider has for the address, or for the index", async () => {
    const services = (acs: string, ...all: (readonly [binding: string, index: number])[]) => ({
      issuer: `${acs}/metadata`,
      assertionConsumerUrls: [acs],
      imported: { assertionConsumerServices: all.map(([binding, index]) => ({ binding, location: acs, index })) },
    });
    const provider = async (acs: string, saml: object) => ({
      ...(await newProvider(saml)),
      acs,
      issuer: `${acs}/metadata`,
    });
    const [one, two] = ["https://one.example/acs", "https://two.example/acs"];
    const only = await provider(one, samlBy({ bindings }, services(one, ["HTTP-Artifact", 3])));
    for (const attributes of [{}, { AssertionConsumerServiceURL: one }, { AssertionConsumerServiceIndex: "3" }]) {
      expect(sentTo(await page.open(redirectPath(requestXml(only, attributes))), only)).not.toBe("");
    }
    const both = await provider(two, samlBy({ bindings }, services(two, ["HTTP-POST", 0], ["HTTP-Artifact", 1])));
    answerIn(page, await page.open(redirectPath(requestXml(both))));
    const AssertionConsumerServiceIndex = "1";
    sentTo(await page.open(redirectPath(requestXml(both, { AssertionConsumerServiceIndex }))), both);
  });
  test("an assertion in it is encrypted, and the answer unsigned, where the settings say so", async () => {
    const assertion = { encryption: { enabled: true } };
    const encrypted = await newKeyed(samlBy({ bindings, assertion }, { responseSigning: { enabled: false } }));
    const answer = await resolve(encrypted, await artifactFor(encrypted));
    expect(answer.text).not.toContain("<saml:Assertion");
    expect(answer.root && childOf(answer.root, "signature", "Signature")).toBeUndefined();
    const options = { decryptionPvk: encrypted.key.key, validateInResponseTo: "never", wantAuthnResponseSigned: false };
    const strict = await nodeSaml(encrypted, options);
    const { profile } = await strict.validatePostResponseAsync({ SAMLResponse: base64(answer.response ?? "") });
    expect(profile?.nameID).toBe(PERSON.username);
  });
  test("has the name of the identity provider that the settings say", async () => {
    const idpEntityIdAlias = "https://alias.example/idp";
    const aliased = await newKeyed(samlBy({ bindings }, { idpEntityIdAlias }));
    const artifact = await artifactFor(aliased);
    expect(Buffer.from(artifact, "base64").subarray(4, 24)).toEqual(
      createHash("sha1").update(idpEntityIdAlias).digest(),
    );
    expect((await resolve(aliased, artifact)).answer?.nameId).toBe(PERSON.username);
  });
  test("a tenant resolves the artifacts of its providers", async () => {
    const { newUser, ask } = await newTenant("artifact.example");
    const prefix = "/t/artifact.example";
    await newUser("tim");
    const key = await newProviderKey();
    const issuer = "https://tenant-sp.example/metadata";
    const acs = "https://tenant-sp.example/acs";
    const certificate = { type: "PEM", value: Buffer.from(key.certificate).toString("base64") };
    const manualConfiguration = { issuer, assertionConsumerUrls: [acs], ...samlBy({ bindings }) };
    const made = await ask("POST", APPLICATIONS, {
      body: {
        name: "Artifacts",
        advancedConfigurations: { skipLoginConsent: true, certificate },
        inboundProtocolConfiguration: { saml: { manualConfiguration } },
      },
    });
    expect(made.status).toBe(201);
    const of = { id: "", issuer, acs, destination: `${api.url}${prefix}/samlsso`, key };
    const tim = browser();
    await tim.open(`${prefix}${redirectPath(requestOf(of))}`);
    const artifact = sentTo(await enter(tim, { username: "tim", password: PERSON.password }), of);
    // Another tenant has no such provider.
    expectRefused(await resolve(of, artifact), "no application here");
    const answer = await resolve(of, artifact, prefix);
    expect(answer.answer?.nameId).toBe("tim");
  });
  test("the metadata names the service, and the authority that answers queries", async () => {
    const text = await (await fetch(`${api.url}/identity/metadata/saml2`)).text();
    const root = readTree(text);
    const [provider, authority] = root.children;
    expect([provider?.name, authority?.name]).toEqual(["IDPSSODescriptor", "AttributeAuthorityDescriptor"]);
    const shown = (name: string) =>
      root.children.flatMap(({ children }) =>
        children.filter((each) => each.name === name).map(({ attributes }) => Object.fromEntries(attributes)),
      );
    expect(shown("ArtifactResolutionService")).toEqual([
      { Binding: `${BINDINGS}SOAP`, Location: `${api.url}/samlartresolve`, index: "0", isDefault: "true" },
    ]);
    const query = { Binding: `${BINDINGS}SOAP`, Location: `${api.url}/services/SAMLQueryService` };
    expect(shown("AttributeService")).toEqual([query]);
    expect(shown("AssertionIDRequestService")).toEqual([query, query]);
  });
});

describe("hostile resolvers", () => {
  test("an artifact is for its provider alone, and stays for it", async () => {
    const other = await newKeyed(samlBy({ bindings }));
    const artifact = await artifactFor(keyed);
    expectEmpty(await resolve(other, artifact));
    // The issuer of one, signed by the other.
    expectRefused(await resolve({ ...other, issuer: keyed.issuer }, artifact), "signature");
    expect((await resolve(keyed, artifact)).answer?.nameId).toBe(PERSON.username);
  });
  test("of two resolvers at one moment one gets the response", async () => {
    const table = tableOf(api.service);
    const context = { tools: { seal: newSeal(Buffer.alloc(32, 7)) }, now: Date.now() };
    const place = { kind: "response", clientId: "client", name: "handle" } as const;
    const step = keeping(place, element("a", {}), MINUTE_MS, context);
    if (!step) throw new Error("it is short");
    await table.write(step);
    const both = Promise.withResolvers<void>();
    let reads = 0;
    const held: Pick<Table, "get" | "write"> = {
      async get(key) {
        const item = await table.get(key);
        reads += 1;
        if (reads === 2) both.resolve();
        await both.promise;
        return item;
      },
      write: (...steps) => table.write(...steps),
    };
    const take = () => takeKept(place, { ...context, table: held });
    const taken = await Promise.all([take(), take()]);
    expect(taken.toSorted()).toEqual(["<a></a>", undefined]);
  });
  test("an artifact is over after four minutes", async () => {
    const [early, late] = [await artifactFor(keyed), await artifactFor(keyed)];
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 4 * MINUTE_MS - 2_000 });
    expect((await resolve(keyed, early)).answer?.nameId).toBe(PERSON.username);
    vi.setSystemTime(Date.now() + 2_000);
    expectEmpty(await resolve(keyed, late));
  });
  test("what is no artifact of this identity provider finds nothing", async () => {
    const artifact = await artifactFor(keyed);
    const bytes = Buffer.from(artifact, "base64");
    const changed = (at: number) => Buffer.from(bytes.map((byte, place) => (place === at ? byte ^ 1 : byte)));
    const others = [
      changed(1),
      changed(3),
      changed(4),
      changed(24),
      bytes.subarray(0, 43),
      Buffer.concat([bytes, bytes]),
    ];
    const texts = ["", "x", "%%%", "=", `${artifact}=`, artifact.toLowerCase(), artifact.replace(/=*$/, "")];
    for (const text of [...others.map((each) => each.toString("base64")), ...texts]) {
      expectEmpty(await resolve(keyed, text));
    }
    expect((await resolve(keyed, artifact)).answer?.nameId).toBe(PERSON.username);
  });
  test("without a signature, or with one of another key, it is not given", async () => {
    const artifact = await artifactFor(keyed);
    expectRefused(await unsigned(keyed, artifact), "no signature");
    expectRefused(await resolve({ ...keyed, key: await newProviderKey() }, artifact), "signature");
    const good = signedXml(artifactXml(keyed, artifact), keyed.key, { root: "ArtifactResolve" });
    expectRefused(await sendSoap(ARTIFACTS, envelope(good.replace(artifact, artifact.replace(/^AAQ/, "AAR")))));
    expectRefused(
      await sendSoap(ARTIFACTS, envelope(good.replace(/<ds:Signature[\s\S]*<\/ds:Signature>/, ""))),
      "no signature",
    );
    expect((await sendSoap(ARTIFACTS, envelope(good))).answer?.nameId).toBe(PERSON.username);
  });
  test("a provider that must sign and has no key signs no one in; one that need not resolves without", async () => {
    const must = await newProvider(samlBy({ bindings, enableSignatureValidationForArtifactBinding: true }));
    const { answer } = await unsigned(must, await artifactFor(must));
    expect([answer?.status, answer?.assertion]).toEqual([["Responder", "RequestDenied"], undefined]);
    const may = await newProvider(samlBy({ bindings }));
    expect((await unsigned(may, await artifactFor(may))).answer?.nameId).toBe(PERSON.username);
    const without = await newProvider(samlBy({ enableSignatureValidationForArtifactBinding: true }));
    expect(answerIn(page, await page.open(redirectPath(requestXml(without)))).nameId).toBe(PERSON.username);
  });
  test("signatures that cover another element do not count", async () => {
    const artifact = await artifactFor(keyed);
    const stranger = await newKeyed(samlBy({ bindings }));
    const own = signedXml(artifactXml(keyed, "AAQAAA=="), keyed.key, { root: "ArtifactResolve" });
    const evil = artifactXml(keyed, artifact);
    const wrapped = [
      ...wrappings(own, evil, "<samlp:Artifact>"),
      // A signature of another provider with the issuer of the victim outside of what is signed.
      envelope(
        signedXml(artifactXml(stranger, artifact), stranger.key, { root: "ArtifactResolve" }).replace(
          `>${stranger.issuer}<`,
          `>${keyed.issuer}<`,
        ),
      ),
    ];
    const all = await Promise.all(wrapped.map((text) => sendSoap(ARTIFACTS, text)));
    for (const each of all) expectRefused(each);
    expect((await resolve(keyed, artifact)).answer?.nameId).toBe(PERSON.username);
  });
  test("a message of another time, version or address is refused", async () => {
    const artifact = await artifactFor(keyed);
    for (const attributes of [
      { IssueInstant: new Date(Date.now() - 6 * MINUTE_MS).toISOString() },
      { IssueInstant: new Date(Date.now() + 6 * MINUTE_MS).toISOString() },
      { Version: "1.1" },
      { ID: undefined },
      { Destination: "https://other.example/samlartresolve" },
      { Destination: keyed.destination },
    ]) {
      const xml = artifactXml(keyed, artifact, attributes);
      const signed =
        attributes.ID === undefined && "ID" in attributes
          ? xml
          : signedXml(xml, keyed.key, { root: "ArtifactResolve" });
      expectRefused(await sendSoap(ARTIFACTS, envelope(signed)));
    }
    const bare = signedXml(artifactXml(keyed, artifact, { Destination: undefined }), keyed.key, {
      root: "ArtifactResolve",
    });
    expect((await sendSoap(ARTIFACTS, envelope(bare))).answer?.nameId).toBe(PERSON.username);
  });
  test("an application that was disabled, or takes no artifacts any more, gets none", async () => {
    const provider = await newKeyed(samlBy({ bindings }));
    const artifact = await artifactFor(provider);
    const change = (body: object) => api.ask("PATCH", `${APPLICATIONS}/${provider.id}`, { body });
    expect((await change({ applicationEnabled: false })).status).toBe(200);
    expectEmpty(await resolve(provider, artifact));
    expect((await change({ applicationEnabled: true })).status).toBe(200);
    const ticket = await fetch(`${api.url}${redirectPath(requestOf(provider))}`, { redirect: "manual" });
    const manualConfiguration = { issuer: provider.issuer, assertionConsumerUrls: [provider.acs] };
    const put = await api.ask("PUT", `${APPLICATIONS}/${provider.id}/inbound-protocols/saml`, {
      body: { manualConfiguration },
    });
    expect(put.status).toBe(200);
    expect((await page.open(ticket.headers.get("location") ?? "")).alert).toContain("changed meanwhile");
  });
  test("a request is answered by one artifact", async () => {
    const request = redirectPath(requestOf(keyed));
    sentTo(await page.open(request), keyed);
    const again = await page.open(request);
    expect([again.status, again.location]).toEqual([400, undefined]);
  });
  test("malformed envelopes are refused, and never with 5xx or an assertion", async () => {
    const artifact = await artifactFor(keyed);
    const plain = artifactXml(keyed, artifact);
    const good = signedXml(plain, keyed.key, { root: "ArtifactResolve" });
    const entity = `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>`;
    const malformed = [
      ...["", " ", "x", "<", "<a/>", "<a></b>", "\u0000", "{}", "soap=x", good, plain, "\u{FEFF}"],
      ...[good.slice(0, -10), good.slice(10), `${envelope(good)}<b/>`, envelope(""), envelope("text")],
      ...[envelope(`${good}${good}`), envelope(envelope(good)), envelope(`<![CDATA[${good}]]>`)],
      ...[`${entity}${envelope(good)}`, envelope(`${entity}${good}`), envelope(good).replace("</s:Body>", "")],
      envelope(good).replace("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"),
      envelope(good).replaceAll("s:Body", "s:Header"),
      envelope(good).replaceAll("s:Envelope", "s:Letter"),
      envelope(plain.replaceAll("ArtifactResolve", "AuthnRequest")),
      envelope(plain.replaceAll("ArtifactResolve", "LogoutRequest")),
      envelope(plain.replaceAll("ArtifactResolve", "AttributeQuery")),
      envelope(plain.replace(/<saml:Issuer>.*<\/saml:Issuer>/, "")),
      envelope(plain.replace("<saml:Issuer>", "<saml:Issuer>x</saml:Issuer><saml:Issuer>")),
      envelope(plain.replaceAll("urn:oasis:names:tc:SAML:2.0:protocol", "urn:oasis:names:tc:SAML:1.0:protocol")),
      envelope(`<x xmlns="${"y".repeat(70_000)}"/>`),
      envelope(`${"<a>".repeat(60)}${"</a>".repeat(60)}`),
    ];
    expect(malformed.length).toBeGreaterThanOrEqual(30);
    const all = await Promise.all(malformed.map((text) => sendSoap(ARTIFACTS, text)));
    expect(malformed.filter((_, at) => all[at]?.status !== 400)).toEqual([]);
    for (const { text } of all) expect(text).not.toMatch(/Assertion|passwd:/);
    const wrongArtifacts = [
      plain.replace(/<samlp:Artifact>.*<\/samlp:Artifact>/, ""),
      plain.replace("<samlp:Artifact>", "<samlp:Artifact><x/>"),
      plain.replace("<samlp:Artifact>", "<samlp:Artifact>x</samlp:Artifact><samlp:Artifact>"),
    ];
    for (const xml of wrongArtifacts) {
      expectRefused(await sendSoap(ARTIFACTS, envelope(signedXml(xml, keyed.key, { root: "ArtifactResolve" }))));
    }
    const types = ["application/xml", "application/json", "text/plain", "text/xml; charset=utf-16"];
    const others = await Promise.all(types.map((type) => sendSoap(ARTIFACTS, envelope(good), type)));
    expect(others.map(({ status }) => status)).toEqual(
      [415, 415, 415, 415].map(() => expect.toSatisfy((one) => one === 400 || one === 415)),
    );
    expect((await sendSoap(ARTIFACTS, envelope(good))).answer?.nameId).toBe(PERSON.username);
  });
});
