/** An answer is fetched up to a minute after the sign-in: what was decided then must still hold. */
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Browser, Shown } from "#tests/support/browsing.ts";
import { saasOf } from "#tests/support/saas.ts";
import { redirectPath, requestXml, samlOf } from "#tests/support/saml.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { ssoOf } from "#tests/support/sso.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const sso = ssoOf(api);
const { newProvider, answerIn, enter, browser } = samlOf(api);
const { newTenant } = saasOf(api);
const LOCAL = "http://wso2.org/claims";
const profile = { attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true } };
const claims = (...names: string[]) => ({
  claimConfiguration: {
    dialect: "LOCAL",
    requestedClaims: names.map((name) => ({ claim: { uri: `${LOCAL}/${name}` }, mandatory: false })),
  },
});
const asking = (...names: string[]) => newProvider(profile, { ...claims(...names), advancedConfigurations: {} });
const patch = async (id: string, body: object) =>
  expect((await api.ask("PATCH", `${APPLICATIONS}/${id}`, { body })).status).toBe(200);
const options = (authenticator: string) => [{ idp: "LOCAL", authenticator }];

let page: Browser;
let kim = "";

beforeAll(async () => {
  const body = { userName: PERSON.username, password: PERSON.password };
  kim = String((await api.ask("POST", "/scim2/Users", { body })).body.id);
  page = browser();
  await page.open(redirectPath(requestXml(await newProvider())));
  answerIn(page, await enter(page));
});

const heldAnswer = (path: string, at = page) => sso.heldAnswer(path, at, "/samlsso/answer");
const expectRefused = (shown: Shown, why: string) => {
  expect([shown.status, shown.html.includes("SAMLResponse")]).toEqual([400, false]);
  expect(shown.alert).toContain(why);
};
const expectChanged = (shown: Shown) => expectRefused(shown, "changed meanwhile");

describe("sendSamlResponse", () => {
  test("sends no assertion after the assignment was taken away", async () => {
    const advancedConfigurations = { skipLoginConsent: true, enableAuthorization: true };
    const provider = await newProvider({}, { advancedConfigurations });
    const at = `${APPLICATIONS}/${provider.id}/assignments`;
    const { id } = (await api.ask("POST", at, { body: { type: "user", id: kim } })).body;
    answerIn(page, await page.open(await heldAnswer(redirectPath(requestXml(provider)))));
    const held = await heldAnswer(redirectPath(requestXml(provider)));
    expect((await api.ask("DELETE", `${at}/${id}`)).status).toBe(204);
    const told = answerIn(page, await page.open(held));
    expect([told.status, told.assertion]).toEqual([["Responder", "RequestDenied"], undefined]);
  });
  test("sends none after the consent was taken back, nor where the application skipped the question", async () => {
    const provider = await asking("username");
    await page.open(redirectPath(requestXml(provider)));
    answerIn(page, await page.submit({ answer: "allow" }));
    const held = await heldAnswer(redirectPath(requestXml(provider)));
    const as = `Basic ${Buffer.from(`${PERSON.username}:${PERSON.password}`).toString("base64")}`;
    expect((await api.ask("DELETE", `/api/users/v1/me/authorized-apps/${provider.id}`, { as })).status).toBe(204);
    expectChanged(await page.open(held));
    const skipping = await newProvider(profile, claims("username"));
    const other = await heldAnswer(redirectPath(requestXml(skipping)));
    await patch(skipping.id, { advancedConfigurations: { skipLoginConsent: false } });
    expectChanged(await page.open(other));
  });
  test("sends none to a user who must choose another password now", async () => {
    const { body } = await api.ask("POST", "/scim2/Users", {
      body: { userName: "lee", password: PERSON.password },
    });
    const provider = await newProvider();
    const lee = browser();
    await lee.open(redirectPath(requestXml(provider)));
    answerIn(lee, await enter(lee, { username: "lee", password: PERSON.password }));
    const held = await heldAnswer(redirectPath(requestXml(provider)), lee);
    const value = { "urn:scim:wso2:schema": { forcePasswordReset: true } };
    const change = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", value }],
    };
    expect((await api.ask("PATCH", `/scim2/Users/${body.id}`, { body: change })).status).toBe(200);
    expectChanged(await lee.open(held));
  });
  test("tells a refusal to the browser alone that was refused", async () => {
    const provider = await newProvider();
    const held = await heldAnswer(redirectPath(requestXml(provider, { IsPassive: "true" })), browser());
    const other = browser();
    await other.open(redirectPath(requestXml(provider)));
    expectRefused(await other.open(held), "another browser");
  });
  test("tells nothing that the user has not agreed to", async () => {
    const provider = await asking("username");
    await page.open(redirectPath(requestXml(provider)));
    answerIn(page, await page.submit({ answer: "allow" }));
    const held = await heldAnswer(redirectPath(requestXml(provider)));
    await patch(provider.id, claims("username", "userid"));
    expectChanged(await page.open(held));
  });
  test("sends none without a step, or a claim, that the application asks for now", async () => {
    const provider = await newProvider();
    const held = await heldAnswer(redirectPath(requestXml(provider)));
    const steps = [
      { id: 1, options: options("BasicAuthenticator") },
      { id: 2, options: options("totp") },
    ];
    await patch(provider.id, { authenticationSequence: { type: "USER_DEFINED", steps } });
    expectChanged(await page.open(held));
    const claiming = await newProvider();
    const other = await heldAnswer(redirectPath(requestXml(claiming)));
    const requestedClaims = [{ claim: { uri: `${LOCAL}/nickname` }, mandatory: true }];
    await patch(claiming.id, { claimConfiguration: { dialect: "LOCAL", requestedClaims } });
    expectChanged(await page.open(other));
  });
  test("a sign-in that begins here has one assertion, and the next one another", async () => {
    const provider = await newProvider({ singleSignOnProfile: { enableIdpInitiatedSingleSignOn: true } });
    const path = `/samlsso?spEntityID=${encodeURIComponent(provider.issuer)}`;
    const held = await heldAnswer(path);
    answerIn(page, await page.open(held));
    expectRefused(await page.open(held), "answered before");
    answerIn(page, await page.open(path));
  });
  test("an answer to a request that was taken hours ago is too late", async () => {
    const provider = await newProvider();
    const ticket = await sso.locationOf(redirectPath(requestXml(provider)));
    const slow = browser();
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const beganMs = Date.now();
      await slow.open(ticket);
      // The button of another language makes the page a new one.
      for (let minutes = 9; minutes <= 126; minutes += 9) {
        vi.setSystemTime(beganMs + minutes * 60_000);
        expect((await slow.submit({ language: minutes % 2 === 0 ? "de" : "en" })).status).toBe(200);
      }
      expectRefused(await enter(slow), "too old");
    } finally {
      vi.useRealTimers();
    }
  });
  test("a guest who gives many claims gets an answer", async () => {
    const tenant = await newTenant("long.example");
    await tenant.newUser("gus");
    const listed = await api.ask("GET", "/api/server/v1/claim-dialects/local/claims");
    const all = listed.body as unknown as readonly { readonly claimURI: string }[];
    const names = all.map(({ claimURI }) => claimURI.slice(LOCAL.length + 1));
    const provider = await newProvider(profile, { ...claims(...names), advancedConfigurations: { saas: true } });
    const guest = browser();
    await guest.open(redirectPath(requestXml(provider), { relayState: "r".repeat(3_600) }));
    await enter(guest, { username: "gus@long.example", password: PERSON.password });
    const { status, nameId } = answerIn(guest, await guest.submit({ answer: "allow" }));
    expect([status, nameId?.endsWith("@long.example")]).toEqual([["Success"], true]);
  });
});
