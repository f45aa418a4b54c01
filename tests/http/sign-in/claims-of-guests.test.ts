/** What applications of other tenants learn about guests: what the guests agreed to, and no more (decision 0134). */
import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { saasOf } from "#tests/support/saas.ts";
import { claimsIn, PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const saas = saasOf(api);
const { newTenant, newSaas, requestOf, enter, answerOf, redeem, browser, agree, arrive, tokensOf, infoOf, silently } =
  saas;
const ACME = "acme.example";
const KIM = { ...PERSON, username: `kim@${ACME}` };
const TEL = "+41790000000";
const local = (name: string) => ({ uri: `http://wso2.org/claims/${name}` });
/** What the page says of the scope `openid`. */
const AGAIN = "To know you again when you come back";
let kimId = "";

beforeAll(async () => {
  const acme = await newTenant(ACME);
  kimId = await acme.newUser("kim", PERSON.password, {
    emails: [{ value: "kim@mail.example", primary: true }],
    phoneNumbers: [{ type: "mobile", value: TEL }],
    name: { givenName: "Kim", familyName: "K" },
    nickName: "kimmy",
  });
});

const configure = async ({ applicationId }: TestClient, claimConfiguration: object) => {
  const { status, text } = await api.ask("PATCH", `${APPLICATIONS}/${applicationId}`, { body: { claimConfiguration } });
  if (status !== 200) throw new Error(text);
};
/** Names of the application's own, each for a local claim. */
const own = (names: Readonly<Record<string, string>>) => ({
  dialect: "CUSTOM",
  claimMappings: Object.entries(names).map(([name, claim]) => ({ applicationClaim: name, localClaim: local(claim) })),
  requestedClaims: Object.keys(names).map((uri) => ({ claim: { uri } })),
});
const asked = async (client: TestClient, fields = {}) => {
  const page = browser();
  await page.open(requestOf(client, fields));
  const shown = await enter(page, KIM);
  return { page, shown, named: [...shown.html.matchAll(/<li>([^<]*)/g)].map(([, name = ""]) => name.trim()) };
};
const claimsOf = async (client: TestClient, code: string | undefined) => {
  const { body } = await redeem(client, code);
  const info = (await infoOf(body.access_token)).body;
  return { idToken: claimsIn(body.id_token), info, tokens: body };
};

describe("the page of consent names", () => {
  test("claims that the application has names of its own for, by their own names", async () => {
    const client = await newSaas({}, { claimConfiguration: own({ favourite_colour: "mobile" }) });
    const { page, shown, named } = await asked(client);
    expect(named).toEqual([AGAIN, "mobile"]);
    const { idToken, info } = await claimsOf(client, answerOf(await agree(page, shown)).code);
    expect([idToken.favourite_colour, info.favourite_colour]).toEqual([TEL, TEL]);
  });
  test("the claim that is the subject", async () => {
    const subject = { claim: local("nickname"), includeTenantDomain: true };
    const client = await newSaas({}, { claimConfiguration: { subject } });
    const { page, shown, named } = await asked(client);
    expect(named).toEqual([AGAIN, "Your nickname"]);
    const { idToken } = await claimsOf(client, answerOf(await agree(page, shown)).code);
    expect(idToken.sub).toBe(`kimmy@${ACME}`);
  });
  test("standard scopes by what they mean everywhere, and what the tenant has added to them", async () => {
    const theirs = await newTenant("theirs.example");
    const scope = { displayName: "Cookies", description: "only cookies", claims: ["phone_number", "nickname"] };
    expect((await theirs.ask("PUT", "/api/server/v1/oidc/scopes/phone", { body: scope })).status).toBe(200);
    const client = await theirs.newApplication({ advancedConfigurations: { saas: true } });
    const { shown, named } = await asked(client, { scope: "openid phone" });
    expect(named).toEqual([AGAIN, "Your phone number", "Your nickname"]);
    expect(shown.html).not.toContain("ookies");
  });
});

describe("a guest who has agreed", () => {
  const scopes = "/api/server/v1/oidc/scopes";
  const wide = { displayName: "Hello", claims: ["given_name", "email", "phone_number", "roles"] };

  test("gives no claim that a scope gets later, until the page has named it", async () => {
    await api.ask("POST", scopes, { body: { ...wide, name: "hello", claims: ["given_name"] } });
    const client = await newSaas();
    const scope = "openid hello";
    const { page, tokens } = await tokensOf(client, KIM, { scope });
    const { code } = await silently(page, client, { scope });
    await api.ask("PUT", `${scopes}/hello`, { body: wide });
    const sub = `${kimId}@${ACME}`;
    expect((await infoOf(tokens.access_token)).body).toEqual({ sub, given_name: "Kim" });
    const later = await claimsOf(client, code);
    expect([later.idToken.email, later.info]).toEqual([undefined, { sub, given_name: "Kim" }]);
    const { body } = await saas.refresh(client, tokens.refresh_token);
    expect([claimsIn(body.id_token).email, (await infoOf(body.access_token)).body.email]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await silently(page, client, { scope })).toMatchObject({ error: "consent_required" });
    const again = await asked(client, { scope });
    expect(again.named).toEqual([
      ...[AGAIN, "Hello"],
      ...["Your first name", "Your e-mail address", "Your phone number", "Your roles"],
    ]);
    const { code: last } = answerOf(await agree(again.page, again.shown));
    expect((await claimsOf(client, last)).info).toMatchObject({ email: "kim@mail.example" });
  });
  test.each([
    ["under a name of its own", own({ tel: "mobile" })],
    ["as the subject", { subject: { claim: local("mobile"), includeTenantDomain: true } }],
  ])("gives no claim that the application is configured for later: %s", async (_, later) => {
    const client = await newSaas();
    const { page, tokens } = await tokensOf(client, KIM);
    await configure(client, later);
    const sub = `${kimId}@${ACME}`;
    expect((await infoOf(tokens.access_token)).body).toEqual({ sub });
    const { body } = await saas.refresh(client, tokens.refresh_token);
    expect(claimsIn(body.id_token)).toMatchObject({ sub });
    expect(claimsIn(body.id_token)).not.toHaveProperty("tel");
    expect(await silently(page, client)).toMatchObject({ error: "consent_required" });
  });
  test("gives what the page named, where the application changes while it is open", async () => {
    const client = await newSaas({}, { claimConfiguration: own({ tel: "mobile" }) });
    const { page, shown } = await asked(client);
    await configure(client, own({ tel: "nickname", other: "mobile" }));
    const { idToken, info } = await claimsOf(client, answerOf(await agree(page, shown)).code);
    for (const claims of [idToken, info]) {
      expect(claims.other).toBe(TEL);
      expect(claims).not.toHaveProperty("tel");
    }
  });
});

test("which values a guest lacks is not told before the guest has agreed", async () => {
  const { page } = await arrive(await newSaas(), KIM);
  const requires = (name: string) => ({ requestedClaims: [{ claim: local(name), mandatory: true }] });
  const client = await newSaas();
  for (const name of ["department", "nickname"]) {
    await configure(client, requires(name));
    expect(await silently(page, client)).toMatchObject({ error: "consent_required" });
  }
  await configure(client, requires("department"));
  const refused = { error: "access_denied", error_description: expect.stringContaining("department") };
  expect(answerOf(await agree(page, await page.open(requestOf(client))))).toMatchObject(refused);
  expect(await silently(page, client)).toMatchObject(refused);
});

test("an e-mail address or a phone number of a guest is never verified, and the claims say so", async () => {
  const client = await newSaas();
  const { tokens } = await tokensOf(client, KIM, { scope: "openid email phone" });
  expect(claimsIn(tokens.id_token ?? "")).toMatchObject({
    ...{ email: "kim@mail.example", email_verified: false },
    ...{ phone_number: TEL, phone_number_verified: false },
  });
});
