/** What a sign-in by SAML costs: round trips of the table, compared with OpenID Connect. */
import { beforeAll, expect, test } from "vitest";
import { redirectPath, requestXml, samlOf } from "#tests/support/saml.ts";
import { askingXml, soapOf } from "#tests/support/saml-soap.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { tripsOf } from "#tests/support/sso.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const saml = samlOf(api);
const { newProvider, newApplication, requestOf, answerOf, redeem, enter, answerIn, browser } = saml;
const { newKeyed, ask, resolve } = soapOf(api, saml);

beforeAll(async () => {
  const body = { userName: PERSON.username, password: PERSON.password };
  expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
});

test("single sign-on costs at most two round trips more than that of OpenID Connect", async () => {
  const client = await newApplication({ accessToken: { type: "JWT" } });
  const [provider, next] = [await newProvider(), await newProvider()];
  const page = browser();
  await page.open(requestOf(client, { scope: "openid profile email" }));
  await redeem(client, answerOf(await enter(page)).code);
  // Warms the containers.
  answerIn(page, await page.open(redirectPath(requestXml(provider))));
  await redeem(client, answerOf(await page.open(requestOf(client, { scope: "openid profile email" }))).code);

  const openId = await tripsOf(async () => {
    const { code } = answerOf(await page.open(requestOf(client, { scope: "openid profile email" })));
    await redeem(client, code);
  });
  const again = await tripsOf(() => page.open(redirectPath(requestXml(provider))));
  const first = await tripsOf(() => page.open(redirectPath(requestXml(next))));
  expect({ openId, again, first }).toEqual({
    openId: { each: [3, 3], all: 6 },
    again: { each: [2, 1, 2], all: 5 },
    first: { each: [2, 1, 2], all: 5 },
  });
  expect(again.all).toBeLessThanOrEqual(openId.all + 2);
});

test("an artifact costs a sign-in nothing, and four round trips when it is resolved; a query seven", async () => {
  const bindings = ["HTTP_REDIRECT", "ARTIFACT"];
  const on = { enableAssertionQueryProfile: true, attributeProfile: { enabled: true } };
  const requestedClaims = [{ claim: { uri: "http://wso2.org/claims/username" } }];
  const claimConfiguration = { dialect: "LOCAL", requestedClaims };
  const provider = await newKeyed({ singleSignOnProfile: { bindings }, ...on }, { claimConfiguration });
  const page = browser();
  await page.open(redirectPath(requestXml(provider)));
  await enter(page);
  let artifact = "";
  const signIn = await tripsOf(async () => {
    const { location } = await page.open(redirectPath(requestXml(provider)));
    artifact = location?.searchParams.get("SAMLart") ?? "";
  });
  const resolved = await tripsOf(async () => {
    expect((await resolve(provider, artifact)).answer?.nameId).toBe(PERSON.username);
  });
  const query = askingXml(
    "AttributeQuery",
    provider,
    `<saml:Subject><saml:NameID>${PERSON.username}</saml:NameID></saml:Subject>`,
  );
  const queried = await tripsOf(async () => {
    expect((await ask("AttributeQuery", provider, query)).codes).toEqual(["Success"]);
  });
  expect([signIn.each, resolved.each, queried.each]).toEqual([[2, 1, 2], [4], [7]]);
});
