/** SAML metadata: namespaces, lifetimes, roles, defaults and bindings (OASIS saml-metadata-2.0-os). */
import { describe, expect, test } from "vitest";
import { readSamlMetadata } from "#core/applications/protocols/saml-metadata.ts";

const NOW = Date.parse("2026-11-28T08:00:00Z");
const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
const read = (text: string): readonly string[] => readSamlMetadata(Buffer.from(text), NOW).manual.assertionConsumerUrls;
const consumer = (prefix: string, at: number, declared = "") =>
  `<${prefix}AssertionConsumerService ${declared} Location="https://sp.example/${at}"/>`;

test("an element belongs to the closest namespace of its prefix", () => {
  const inside = [
    consumer("m:", 1),
    consumer("x:", 2, `xmlns:x="${METADATA}"`),
    consumer("m:", 3, 'xmlns:m="urn:other"'),
    consumer("", 4),
    consumer("", 5, `xmlns="${METADATA}"`),
    consumer("x:", 6),
    consumer("m:", 7),
  ].join("");
  const text = `<m:EntityDescriptor xmlns:m="${METADATA}" xmlns:x="urn:other" entityID="e"><m:SPSSODescriptor>${inside}</m:SPSSODescriptor></m:EntityDescriptor>`;
  expect(read(text)).toEqual([1, 2, 5, 7].map((at) => `https://sp.example/${at}`));
});

const SAML2 = "urn:oasis:names:tc:SAML:2.0:protocol";
const SAML11 = "urn:oasis:names:tc:SAML:1.1:protocol";
const acs = (location: string, more = "") =>
  `<AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${location}" ${more}/>`;
const role = (inside: string, protocols: string | undefined = SAML2, more = "") =>
  `<SPSSODescriptor ${protocols === "" ? "" : `protocolSupportEnumeration="${protocols}"`} ${more}>${inside}</SPSSODescriptor>`;
const entity = (inside: string, more = "") =>
  `<EntityDescriptor xmlns="${METADATA}" entityID="https://sp.example" ${more}>${inside}</EntityDescriptor>`;
const manualOf = (text: string) => readSamlMetadata(Buffer.from(text), NOW).manual;
const ONE = acs("https://sp.example/acs");

describe("a lifetime", () => {
  test.each([
    'validUntil="2026-11-28T08:00:01Z"',
    'validUntil="2026-11-28T09:00:01.500+01:00"',
    'validUntil="2030-01-01T00:00:00"',
    ' validUntil=" 2030-01-01T00:00:00Z\n"',
    'cacheDuration="PT1H"',
    'cacheDuration="P1Y2M3DT4H5M6.7S"',
    'cacheDuration="P7D" validUntil="2030-01-01T00:00:00Z"',
  ])("of %j is accepted, at the entity and at the role", (lifetime) => {
    expect(manualOf(entity(role(ONE), lifetime)).issuer).toBe("https://sp.example");
    expect(manualOf(entity(role(ONE, SAML2, lifetime))).issuer).toBe("https://sp.example");
  });
  test.each([
    ['validUntil="2026-11-28T08:00:00Z"', "It has expired"],
    ['validUntil="2020-01-01T00:00:00Z"', "It has expired"],
    ['validUntil="2026-11-28T08:59:59+01:00"', "It has expired"],
    ['validUntil="next year"', "validUntil"],
    ['validUntil=""', "validUntil"],
    ['validUntil="2030-02-30T00:00:00Z"', "validUntil"],
    ['validUntil="2030-13-01T00:00:00Z"', "validUntil"],
    ['validUntil="2030-01-01"', "validUntil"],
    ['validUntil="1893456000"', "validUntil"],
    ['validUntil="01/02/2030"', "validUntil"],
    ['cacheDuration="3600"', "cacheDuration"],
    ['cacheDuration="1 hour"', "cacheDuration"],
    ['cacheDuration="P"', "cacheDuration"],
    ['cacheDuration="PT"', "cacheDuration"],
    ['cacheDuration="P1DT"', "cacheDuration"],
    ['cacheDuration="-P1D"', "cacheDuration"],
    ['cacheDuration=""', "cacheDuration"],
  ])("of %j is refused, at the entity and at the role", (lifetime, reason) => {
    expect(() => manualOf(entity(role(ONE), lifetime))).toThrow(reason);
    expect(() => manualOf(entity(role(ONE, SAML2, lifetime)))).toThrow(reason);
  });
});

describe("of several role descriptors", () => {
  const old = role(acs("https://old.example/acs"), SAML11);
  test("the one of SAML 2.0 is read, wherever it is", () => {
    const current = role(ONE, `${SAML11} ${SAML2}`);
    for (const both of [old + current, current + old, old + old + role(ONE)]) {
      expect(manualOf(entity(both)).assertionConsumerUrls).toEqual(["https://sp.example/acs"]);
    }
  });
  test("one without consumer services of SAML 1.1 does not refuse the other", () => {
    expect(manualOf(entity(role("", SAML11) + role(ONE))).assertionConsumerUrls).toHaveLength(1);
  });
  test("one that says nothing counts where no other says SAML 2.0", () => {
    expect(manualOf(entity(old + role(ONE, ""))).assertionConsumerUrls).toEqual(["https://sp.example/acs"]);
  });
  test("SAML 1.1 alone is refused, and the sentence says what is missing", () => {
    expect(() => manualOf(entity(old))).toThrow(`protocolSupportEnumeration has ${SAML11}, and must contain ${SAML2}`);
  });
  test("an identity provider alone, and a list of entities, are refused with a sentence", () => {
    const idp = `<IDPSSODescriptor protocolSupportEnumeration="${SAML2}"/>`;
    expect(() => manualOf(entity(idp))).toThrow("It describes an identity provider");
    expect(() => manualOf(entity(""))).toThrow("There is no SPSSODescriptor");
    const many = `<EntitiesDescriptor xmlns="${METADATA}">${entity(role(ONE))}</EntitiesDescriptor>`;
    expect(() => manualOf(many)).toThrow("several entities");
  });
});

test.each([
  ["the first that is the default", ['isDefault="false"', "", 'isDefault="true"', 'isDefault="1"'], 2],
  ["else the first that does not say false", ['isDefault="false"', 'isDefault="0"', "", ""], 2],
  ["else the first", ['isDefault="false"', 'isDefault="false"'], 0],
  ["white space is no part of a boolean", ["", 'isDefault=" true "'], 1],
])("the default of indexed elements is %s (SAML Metadata 2.2.3)", (_, flags, expected) => {
  const services = flags.map((more, at) => acs(`https://sp.example/${at}`, `index="${at}" ${more}`)).join("");
  const attributes = flags.map((more, at) => `<AttributeConsumingService index="${at}" ${more}/>`).join("");
  const manual = manualOf(entity(role(services + attributes)));
  expect(manual.defaultAssertionConsumerUrl).toBe(`https://sp.example/${expected}`);
  expect(manual.singleSignOnProfile?.attributeConsumingServiceIndex).toBe(String(expected));
});

const logout = (binding: string, location: string, more = "") =>
  `<SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${location}" ${more}/>`;
test.each([
  [["SOAP"], "BACKCHANNEL"],
  [["HTTP-Redirect"], "FRONTCHANNEL_HTTP_REDIRECT"],
  [["HTTP-POST"], "FRONTCHANNEL_HTTP_POST"],
  [["HTTP-Redirect", "HTTP-POST"], "FRONTCHANNEL_HTTP_POST"],
  [["HTTP-Redirect", "SOAP"], "BACKCHANNEL"],
])("logout services of %j are %s", (bindings, method) => {
  const services = bindings.map((binding) => logout(binding, `https://sp.example/${binding}`)).join("");
  const { singleLogoutProfile } = manualOf(entity(role(services + ONE)));
  expect(singleLogoutProfile?.logoutMethod).toBe(method);
  const used = {
    BACKCHANNEL: "SOAP",
    FRONTCHANNEL_HTTP_REDIRECT: "HTTP-Redirect",
    FRONTCHANNEL_HTTP_POST: "HTTP-POST",
  };
  expect(singleLogoutProfile?.logoutRequestUrl).toBe(`https://sp.example/${used[method as keyof typeof used]}`);
});
test("a logout service of another binding alone is none", () => {
  expect(manualOf(entity(role(logout("PAOS", "https://sp.example/x") + ONE))).singleLogoutProfile).toBeUndefined();
});

test("white space of xs:anyURI collapses", () => {
  const text = entity(role(acs("\n   https://sp.example/acs\t"))).replace(
    '"https://sp.example"',
    '" https://sp.example\n"',
  );
  expect(manualOf(text)).toMatchObject({
    issuer: "https://sp.example",
    assertionConsumerUrls: ["https://sp.example/acs"],
  });
});
