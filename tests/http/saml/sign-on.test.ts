/** Sign-in to service providers of SAML 2.0, with the unchanged software of others (decision 0195). */
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { setUp, TWO_STEPS } from "#tests/support/codes.ts";
import { saasOf } from "#tests/support/saas.ts";
import {
  base64,
  newProviderKey,
  type Provider,
  type ProviderKey,
  readAnswer,
  redirectPath,
  requestXml,
  samlOf,
  signedXml,
} from "#tests/support/saml.ts";
import { decrypt } from "#tests/support/saml-libraries.js";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newProvider, nodeSaml, answerIn, enter, browser } = samlOf(api);
const { newTenant } = saasOf(api);
const FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:";
const EMAIL = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const MFA = "https://refeds.org/profile/mfa";
const LOCAL = "http://wso2.org/claims/";

let key: ProviderKey;
let kim = "";

beforeAll(async () => {
  key = await newProviderKey();
  const body = {
    userName: PERSON.username,
    password: PERSON.password,
    name: { givenName: "Kim", familyName: '<Jansen> & "Co"' },
    emails: [{ value: "kim@cars.example", primary: true }],
  };
  const made = await api.ask("POST", "/scim2/Users", { body });
  expect(made.status).toBe(201);
  kim = made.body.id;
  const of = [{ value: kim }];
  await api.ask("POST", "/scim2/Groups", { body: { displayName: "drivers", members: of } });
  await api.ask("POST", "/scim2/Groups", { body: { displayName: "crew", members: of } });
});

/** A browser in which the person has a session. */
const signedIn = async () => {
  const page = browser();
  const provider = await newProvider();
  await page.open(redirectPath(requestXml(provider)));
  answerIn(page, await enter(page));
  return page;
};
/** The answer to a request in a browser with a session. */
const answerTo = async (
  provider: Provider,
  attributes: Readonly<Record<string, string>> = {},
  inside = "",
  page?: Awaited<ReturnType<typeof signedIn>>,
) => {
  const used = page ?? (await signedIn());
  return answerIn(used, await used.open(redirectPath(requestXml(provider, attributes, inside))));
};
const certificate = () => ({ type: "PEM", value: Buffer.from(key.certificate).toString("base64") });
const withCertificate = () => ({ advancedConfigurations: { skipLoginConsent: true, certificate: certificate() } });
const policy = (format: string) => `<samlp:NameIDPolicy Format="${format}" AllowCreate="true"/>`;
const context = (comparison: string, ...classes: readonly string[]) =>
  `<samlp:RequestedAuthnContext Comparison="${comparison}">${classes
    .map((each) => `<saml:AuthnContextClassRef>${each}</saml:AuthnContextClassRef>`)
    .join("")}</samlp:RequestedAuthnContext>`;
const claims = (...names: readonly string[]) => ({
  claimConfiguration: {
    dialect: "LOCAL",
    requestedClaims: names.map((name) => ({ claim: { uri: `${LOCAL}${name}` }, mandatory: false })),
  },
});

describe("signOnBySaml, sendSamlResponse, takeSsoRequest", () => {
  test("node-saml signs a person in by redirect, and single signs on", async () => {
    const provider = await newProvider();
    const saml = await nodeSaml(provider);
    const page = browser();
    const shown = await page.open(await saml.getAuthorizeUrlAsync("state & more", undefined, {}));
    expect(shown.title).toContain("Sign in");
    const answer = answerIn(page, await enter(page));
    expect(answer.action).toBe(provider.acs);
    expect(answer.fields.RelayState).toBe("state & more");
    const { profile } = await saml.validatePostResponseAsync(answer.fields);
    expect(profile?.nameID).toBe(PERSON.username);

    const other = await newProvider();
    const elsewhere = await nodeSaml(other);
    const again = answerIn(page, await page.open(await elsewhere.getAuthorizeUrlAsync("", undefined, {})));
    expect((await elsewhere.validatePostResponseAsync(again.fields)).profile?.nameID).toBe(PERSON.username);
  });
  test("node-saml signs its requests by redirect and decrypts the assertion", async () => {
    const provider = await newProvider(
      { requestValidation: {}, singleSignOnProfile: { assertion: { encryption: { enabled: true } } } },
      withCertificate(),
    );
    const options = {
      privateKey: key.key,
      publicCert: key.certificate,
      decryptionPvk: key.key,
      signatureAlgorithm: "sha256",
    };
    const saml = await nodeSaml(provider, options);
    const page = await signedIn();
    const answer = answerIn(page, await page.open(await saml.getAuthorizeUrlAsync("here", undefined, {})));
    expect(answer.assertion).toBeUndefined();
    expect(answer.xml).toContain("xmlenc11#aes256-gcm");
    expect(answer.xml).not.toContain(PERSON.username);
    expect((await saml.validatePostResponseAsync(answer.fields)).profile?.nameID).toBe(PERSON.username);
  });
  test("an assertion is in its encrypted form as it was signed, by each algorithm", async () => {
    for (const assertionEncryptionAlgorithm of [
      "http://www.w3.org/2009/xmlenc11#aes128-gcm",
      "http://www.w3.org/2001/04/xmlenc#aes256-cbc",
    ]) {
      for (const keyEncryptionAlgorithm of [
        "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
        "http://www.w3.org/2009/xmlenc11#rsa-oaep",
      ]) {
        const encryption = { enabled: true, assertionEncryptionAlgorithm, keyEncryptionAlgorithm };
        const provider = await newProvider({ singleSignOnProfile: { assertion: { encryption } } }, withCertificate());
        const { xml } = await answerTo(provider);
        const options = { key: key.key, disallowDecryptionWithInsecureAlgorithm: false };
        const text = await promisify(decrypt)(
          /<xenc:EncryptedData[\s\S]*<\/xenc:EncryptedData>/.exec(xml)?.[0] ?? "",
          options,
        );
        expect(text).toMatch(/^<saml:Assertion xmlns:saml="[^"]*" ID="_/);
        expect(text).toContain(`>${PERSON.username}</saml:NameID>`);
      }
    }
  });
});

describe("signOnBySamlForm", () => {
  test("a form of another site, which comes without the session, single signs on by a GET", async () => {
    const provider = await newProvider({ requestValidation: {} }, withCertificate());
    const page = await signedIn();
    // A browser sends no cookie of ours with a form of another site.
    const sent = await fetch(`${api.url}/samlsso`, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "cross-site" },
      body: new URLSearchParams({
        SAMLRequest: base64(signedXml(requestXml(provider), key)),
        RelayState: "a+b c%20d",
      }),
    });
    expect([sent.status, sent.headers.getSetCookie(), await sent.text()]).toEqual([303, [], ""]);
    const answer = answerIn(page, await page.open(sent.headers.get("location") ?? ""));
    expect([answer.status, answer.nameId, answer.fields.RelayState]).toEqual([
      ["Success"],
      PERSON.username,
      "a+b c%20d",
    ]);
  });
  test("node-saml signs a person in by a signed form", async () => {
    const provider = await newProvider({ requestValidation: {} }, withCertificate());
    const options = { privateKey: key.key, publicCert: key.certificate, signatureAlgorithm: "sha256" };
    // Its digest is SHA-1 by default.
    const saml = await nodeSaml(provider, {
      ...options,
      digestAlgorithm: "sha256",
      authnRequestBinding: "HTTP-POST",
      skipRequestCompression: true,
    });
    const fields = await saml.getAuthorizeMessageAsync("there");
    const page = browser();
    const shown = await page.post("/samlsso", fields, { "sec-fetch-site": "cross-site" });
    expect([shown.title, shown.alert]).toEqual([expect.stringContaining("Sign in"), undefined]);
    const answer = answerIn(page, await enter(page));
    expect((await saml.validatePostResponseAsync(answer.fields)).profile?.nameID).toBe(PERSON.username);
  });
});

describe("an answer", () => {
  test("has what the profile of web browsers asks for", async () => {
    const saml = {
      singleSignOnProfile: {
        assertion: { audiences: ["https://more.example"], recipients: ["https://r.example/acs"] },
      },
    };
    const provider = await newProvider(saml);
    const { xml, root } = await answerTo(provider, { ID: "_the-request" });
    expect(root.attributes.get("Destination")).toBe(provider.acs);
    expect(root.attributes.get("InResponseTo")).toBe("_the-request");
    expect(xml.match(/<saml:Issuer[^>]*>([^<]*)</g)?.map((each) => each.split(">")[1])).toEqual([
      `${api.url}<`,
      `${api.url}<`,
    ]);
    expect(xml).toContain(
      `<saml:Audience>${provider.issuer}</saml:Audience><saml:Audience>https://more.example</saml:Audience>`,
    );
    const confirmations = xml.match(/<saml:SubjectConfirmationData [^>]*>/g) ?? [];
    expect(confirmations).toHaveLength(2);
    for (const [place, recipient] of [provider.acs, "https://r.example/acs"].entries()) {
      expect(confirmations[place]).toMatch(
        new RegExp(`InResponseTo="_the-request" NotOnOrAfter="[^"]*Z" Recipient="${recipient}"`),
      );
    }
    const [, until = ""] = /NotOnOrAfter="([^"]*)"/.exec(xml) ?? [];
    expect(Date.parse(until) - Date.now()).toBeLessThanOrEqual(5 * 60_000);
    expect(xml).toMatch(/SessionIndex="_[0-9a-f]{40}"/);
    expect(xml.match(/<ds:Signature /g)).toHaveLength(2);
  });
  test("is signed by the algorithms of the settings, and the response alone may stay unsigned", async () => {
    const algorithm = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512";
    const provider = await newProvider({
      responseSigning: { enabled: false, signingAlgorithm: algorithm },
      singleSignOnProfile: { assertion: { digestAlgorithm: "http://www.w3.org/2001/04/xmlenc#sha512" } },
    });
    const { xml, fields } = await answerTo(provider);
    expect(xml.match(/<ds:Signature /g)).toHaveLength(1);
    expect(xml).toContain(`<ds:SignatureMethod Algorithm="${algorithm}">`);
    const saml = await nodeSaml(provider, { wantAuthnResponseSigned: false, validateInResponseTo: "never" });
    expect((await saml.validatePostResponseAsync(fields)).profile?.nameID).toBe(PERSON.username);
  });
  test("has the name of the identity provider that the settings say", async () => {
    const provider = await newProvider({ idpEntityIdAlias: "https://alias.example" });
    expect((await answerTo(provider)).xml).toContain("<saml:Issuer>https://alias.example</saml:Issuer>");
  });
  test("goes to the address of the settings, by name or place, or the default one", async () => {
    const urls = ["https://a.example/acs", "https://b.example/acs"];
    const provider = await newProvider({ assertionConsumerUrls: urls, defaultAssertionConsumerUrl: urls[1] });
    const page = await signedIn();
    const actions = [
      await answerTo(provider, {}, "", page),
      await answerTo(provider, { AssertionConsumerServiceURL: urls[0] ?? "" }, "", page),
      await answerTo(provider, { AssertionConsumerServiceIndex: "0" }, "", page),
    ].map(({ action }) => action);
    expect(actions).toEqual([urls[1], urls[0], urls[0]]);
  });
  test("names the user by the format of the request, or of the settings", async () => {
    const page = await signedIn();
    const provider = await newProvider();
    const other = await newProvider({ singleSignOnProfile: { assertion: { nameIdFormat: `${FORMAT}persistent` } } });
    const named = async (of: Provider, format?: string) => {
      const { nameId, format: shown } = await answerTo(of, {}, format && policy(format), page);
      return [nameId, shown];
    };
    expect(await named(provider)).toEqual([PERSON.username, "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"]);
    const mailed = await newProvider({ singleSignOnProfile: { assertion: { nameIdFormat: EMAIL } } });
    expect([await named(mailed), await named(mailed, EMAIL)]).toEqual(Array(2).fill(["kim@cars.example", EMAIL]));
    // An address that users can change is no name unless the settings say so.
    expect((await answerTo(provider, {}, policy(EMAIL), page)).status).toEqual(["Requester", "InvalidNameIDPolicy"]);
    const persistent = await named(provider, `${FORMAT}persistent`);
    expect(await named(provider, `${FORMAT}persistent`)).toEqual(persistent);
    expect(await named(other)).not.toEqual(persistent);
    expect((await named(other))[1]).toBe(`${FORMAT}persistent`);
    const once = await named(provider, `${FORMAT}transient`);
    expect(await named(provider, `${FORMAT}transient`)).toEqual(once);
    const inOther = await answerTo(provider, {}, policy(`${FORMAT}transient`), await signedIn());
    expect([inOther.nameId, inOther.format]).not.toEqual(once);
    const refused = await answerTo(provider, {}, policy(`${FORMAT}kerberos`), page);
    expect([refused.status, refused.assertion]).toEqual([["Requester", "InvalidNameIDPolicy"], undefined]);
  });
  test("has the subject claim of the application as name, where it chose one", async () => {
    const subject = { claimConfiguration: { subject: { claim: { uri: `${LOCAL}emailaddress` } } } };
    expect((await answerTo(await newProvider({}, subject))).nameId).toBe("kim@cars.example");
  });
  test("has the attributes of the claim configuration, each value in an element of its own", async () => {
    const names = claims("lastname", "groups", "emailaddress", "mobile");
    const profile = {
      attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true, nameFormat: "urn:format" },
    };
    const { attributes, xml, fields } = await answerTo(await newProvider(profile, names));
    expect(attributes).toEqual({
      [`${LOCAL}lastname`]: ['<Jansen> & "Co"'],
      [`${LOCAL}groups`]: expect.arrayContaining(["drivers", "crew"]),
      [`${LOCAL}emailaddress`]: ["kim@cars.example"],
    });
    expect(xml).toContain('NameFormat="urn:format"');
    expect(readAnswer(fields.SAMLResponse).xml).toBe(xml);
  });
  test("has roles by the names that the application has for them", async () => {
    const role = { displayName: "dispatcher", users: [{ value: kim }] };
    expect((await api.ask("POST", "/scim2/v2/Roles", { body: role })).status).toBe(201);
    const configuration = claims("roles");
    const mappings = [{ localRole: "dispatcher", applicationRole: "planner" }];
    const profile = { attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true } };
    const { attributes } = await answerTo(
      await newProvider(profile, {
        claimConfiguration: { ...configuration.claimConfiguration, role: { mappings } },
      }),
    );
    expect(attributes[`${LOCAL}roles`]).toContain("planner");
  });
  test("has no roles but those that the application chose", async () => {
    const profile = { attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true } };
    const associatedRoles = { allowedAudience: "APPLICATION" };
    const provider = await newProvider(profile, { ...claims("roles"), associatedRoles });
    const role = {
      displayName: "clerk",
      audience: { type: "application", value: provider.id },
      users: [{ value: kim }],
    };
    expect((await answerTo(provider)).attributes).toEqual({});
    expect((await api.ask("POST", "/scim2/v2/Roles", { body: role })).status).toBe(201);
    expect((await answerTo(provider)).attributes).toEqual({ [`${LOCAL}roles`]: ["clerk"] });
  });
  test("has attributes by the names of the application, and only where settings or request ask for them", async () => {
    const configuration = {
      claimConfiguration: {
        dialect: "CUSTOM",
        claimMappings: [{ applicationClaim: "mail", localClaim: { uri: `${LOCAL}emailaddress` } }],
        requestedClaims: [{ claim: { uri: "mail" } }],
      },
    };
    const sso = { singleSignOnProfile: { attributeConsumingServiceIndex: "7" }, attributeProfile: { enabled: true } };
    const provider = await newProvider(sso, configuration);
    const page = await signedIn();
    const of = async (attributes: Record<string, string>) =>
      (await answerTo(provider, attributes, "", page)).attributes;
    expect(await of({})).toEqual({});
    expect(await of({ AttributeConsumingServiceIndex: "8" })).toEqual({});
    expect(await of({ AttributeConsumingServiceIndex: "7" })).toEqual({ mail: ["kim@cars.example"] });
  });
});

describe("a request", () => {
  test("can forbid pages (IsPassive), and ask for the password again (ForceAuthn)", async () => {
    const provider = await newProvider();
    const page = browser();
    const passive = answerIn(page, await page.open(redirectPath(requestXml(provider, { IsPassive: "true" }))));
    expect([passive.status, passive.assertion]).toEqual([["Responder", "NoPassive"], undefined]);
    const used = await signedIn();
    expect((await answerTo(provider, { IsPassive: "1" }, "", used)).status).toEqual(["Success"]);
    const forced = await used.open(redirectPath(requestXml(provider, { ForceAuthn: "true" })));
    expect(forced.title).toContain("Sign in");
    expect(answerIn(used, await enter(used)).status).toEqual(["Success"]);
    const both = { ForceAuthn: "true", IsPassive: "true" };
    expect((await answerTo(provider, both, "", used)).status).toEqual(["Responder", "NoPassive"]);
  });
  test("names the class of sign-in that it takes", async () => {
    const provider = await newProvider();
    const page = await signedIn();
    const password = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";
    const of = async (...asked: Parameters<typeof context>) => {
      const { status, context: answered } = await answerTo(provider, {}, context(...asked), page);
      return answered ?? status.at(-1);
    };
    expect(await of("exact", password)).toBe(password);
    expect(await of("minimum", password)).toBe(password);
    expect(await of("exact", "urn:oasis:names:tc:SAML:2.0:ac:classes:Kerberos")).toBe("NoAuthnContext");
    expect(await of("better", MFA)).toBe("NoAuthnContext");
    const passive = await answerTo(provider, { IsPassive: "true" }, context("exact", MFA), page);
    expect(passive.status).toEqual(["Responder", "NoPassive"]);
  });
  test("asks for a second factor by its class, as the application can", async () => {
    const body = { userName: "max", password: PERSON.password };
    expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
    const provider = await newProvider({}, TWO_STEPS);
    const page = browser();
    await page.open(redirectPath(requestXml(provider)));
    const set = await enter(page, { username: "max", password: PERSON.password });
    const answer = answerIn(page, (await setUp(page, set)).done);
    expect([answer.status, answer.context]).toEqual([["Success"], MFA]);
    const plain = await newProvider();
    expect((await answerTo(plain, {}, context("minimum", MFA), page)).context).toBe(MFA);
  });
  test("names the only user who may sign in", async () => {
    const provider = await newProvider();
    const page = await signedIn();
    const of = async (name: string) =>
      (await answerTo(provider, {}, `<saml:Subject><saml:NameID>${name}</saml:NameID></saml:Subject>`, page)).status;
    expect(await of(PERSON.username)).toEqual(["Success"]);
    expect(await of("somebody")).toEqual(["Responder", "UnknownPrincipal"]);
  });
  test("of a provider with a qualifier names it beside the message", async () => {
    const { issuer, acs } = await newProvider({ serviceProviderQualifier: "two" });
    const page = await signedIn();
    const path = redirectPath(requestXml({ issuer }));
    expect((await page.open(path)).status).toBe(400);
    const answer = answerIn(page, await page.open(`${path}&spQualifier=two`));
    expect([answer.action, answer.status]).toEqual([acs, ["Success"]]);
  });
  test("by a binding that the settings do not name is refused", async () => {
    const provider = await newProvider({ singleSignOnProfile: { bindings: ["HTTP_POST"] } });
    const page = await signedIn();
    expect((await page.open(redirectPath(requestXml(provider)))).alert).toContain("HTTP_REDIRECT");
    expect((await page.post("/samlsso", { SAMLRequest: base64(requestXml(provider)) })).title).toContain("One moment");
  });
});

describe("a sign-in that begins here", () => {
  test("is offered where the settings say so, to a registered address", async () => {
    const closed = await newProvider();
    const open = await newProvider({ singleSignOnProfile: { enableIdpInitiatedSingleSignOn: true } });
    const page = await signedIn();
    const path = ({ issuer }: Provider, more = "") => `/samlsso?spEntityID=${encodeURIComponent(issuer)}${more}`;
    expect((await page.open(path(closed))).alert).toContain("enableIdpInitiatedSingleSignOn");
    expect((await page.open(path(open, "&acs=https%3A%2F%2Fevil.example"))).status).toBe(400);
    const answer = answerIn(page, await page.open(path(open, "&RelayState=where")));
    expect([answer.status, answer.action, answer.fields.RelayState]).toEqual([["Success"], open.acs, "where"]);
    expect(answer.xml).not.toContain("InResponseTo");
  });
});

describe("who is asked what", () => {
  test("a person agrees once to what an application learns, and may refuse", async () => {
    const profile = { attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true } };
    const provider = await newProvider(profile, { ...claims("emailaddress"), advancedConfigurations: {} });
    const page = await signedIn();
    const asked = await page.open(redirectPath(requestXml(provider)));
    expect(asked.html).toContain("mail");
    const denied = answerIn(page, await page.submit({ answer: "deny" }));
    expect([denied.status, denied.assertion]).toEqual([["Responder", "RequestDenied"], undefined]);
    await page.open(redirectPath(requestXml(provider)));
    expect(answerIn(page, await page.submit({ answer: "allow" })).status).toEqual(["Success"]);
    expect((await answerTo(provider, {}, "", page)).status).toEqual(["Success"]);
  });
  test("somebody who gives the sign-in up leads back with a status", async () => {
    const provider = await newProvider();
    const page = browser();
    await page.open(redirectPath(requestXml(provider)));
    expect(answerIn(page, await page.submit({ choice: "cancel" })).status).toEqual(["Responder", "RequestDenied"]);
  });
  test("an application that asks for an assignment takes the assigned alone", async () => {
    const provider = await newProvider(
      {},
      { advancedConfigurations: { skipLoginConsent: true, enableAuthorization: true } },
    );
    const page = await signedIn();
    expect((await page.open(redirectPath(requestXml(provider)))).title).toContain("access");
    expect(answerIn(page, await page.submit({})).status).toEqual(["Responder", "RequestDenied"]);
    await api.ask("POST", `${APPLICATIONS}/${provider.id}/assignments`, { body: { type: "user", id: kim } });
    expect((await answerTo(provider, {}, "", page)).status).toEqual(["Success"]);
  });
  test("sessions are those of OpenID Connect, and name the application", async () => {
    const page = await signedIn();
    const provider = await newProvider();
    await answerTo(provider, {}, "", page);
    const sessions = (await api.ask("GET", `/api/users/v1/${kim}/sessions`)).body.sessions as {
      applications: { appId: string }[];
    }[];
    expect(sessions.some(({ applications }) => applications.some(({ appId }) => appId === provider.id))).toBe(true);
  });
  test("a tenant has an identity provider of its own, with its own key", async () => {
    const tenant = await newTenant("taxi.example");
    await tenant.newUser("lee");
    const body = (saml: object) => ({
      name: `Provider ${Math.random()}`,
      advancedConfigurations: { skipLoginConsent: true },
      inboundProtocolConfiguration: { saml: { manualConfiguration: saml } },
    });
    const provider = { id: "", issuer: "https://taxi.example/sp", acs: "https://taxi.example/acs" };
    const settings = { issuer: provider.issuer, assertionConsumerUrls: [provider.acs], responseSigning: {} };
    expect((await tenant.ask("POST", APPLICATIONS, { body: body(settings) })).status).toBe(201);
    const saml = await nodeSaml(provider, {}, "/t/taxi.example");
    const page = browser();
    await page.open(await saml.getAuthorizeUrlAsync("", undefined, {}));
    const answer = answerIn(page, await enter(page, { username: "lee", password: PERSON.password }));
    expect((await saml.validatePostResponseAsync(answer.fields)).profile?.nameID).toBe("lee");
    const wrong = await nodeSaml(provider, { idpIssuer: `${api.url}/t/taxi.example`, validateInResponseTo: "never" });
    await expect(wrong.validatePostResponseAsync(answer.fields)).rejects.toThrow(/signature/i);
  });
});

describe("getSamlMetadataOfProvider", () => {
  test("names the identity provider of each tenant that exists", async () => {
    const response = await fetch(`${api.url}/identity/metadata/saml2`);
    expect(response.headers.get("content-type")).toBe("application/samlmetadata+xml");
    const text = await response.text();
    expect(text).toContain(`entityID="${api.url}"`);
    // One for each role of the identity provider.
    expect(text.match(/<ds:X509Certificate>/g)).toHaveLength(2);
    expect(text).toContain(`Location="${api.url}/samlsso"`);
    expect((await fetch(`${api.url}/t/nowhere.example/identity/metadata/saml2`)).status).toBe(400);
  });
});
