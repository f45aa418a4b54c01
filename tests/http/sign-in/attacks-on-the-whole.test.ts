/** Attacks where the parts of sign-in meet: each part alone refuses them, and so must all of them together. */
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import { secretIn, setUp, TWO_STEPS } from "#tests/support/codes.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { fragmentOf, requestsOf } from "#tests/support/requests.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";
import { codeAt, STEP_MS } from "#tools/examples/authenticator.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const { post, newClient } = oauthOf(api);
const { push, opening } = requestsOf(api);
const SYSTEM = "urn:scim:wso2:schema";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const SCOPES = "internal_login internal_user_mgt_update internal_user_mgt_view";
const HYBRID = {
  grantTypes: ["authorization_code", "refresh_token", "implicit"],
  hybridFlow: { enable: true, responseType: "code id_token,code token,code id_token token" },
};
const asks = { advancedConfigurations: { skipLoginConsent: false } };
let plain: TestClient;
let asking: TestClient;
let strict: TestClient;
let count = 0;

beforeAll(async () => {
  plain = await newApplication();
  asking = await newApplication({}, asks);
  strict = await newApplication(HYBRID, TWO_STEPS);
});
afterEach(() => vi.useRealTimers());

interface Person {
  readonly id: string;
  readonly username: string;
  readonly password: string;
}
const newPerson = async (attributes: object = {}): Promise<Person> => {
  count += 1;
  const username = `person-${count}`;
  const { status, body, text } = await api.ask("POST", "/scim2/Users", {
    body: { userName: username, password: PERSON.password, ...attributes },
  });
  if (status !== 201) throw new Error(text);
  return { username, password: PERSON.password, id: body.id };
};
const change = (id: string, value: object) =>
  api.ask("PATCH", `/scim2/Users/${id}`, { body: { schemas: [PATCH_OP], Operations: [{ op: "replace", value }] } });
const atPage = async (person: Person, request: string) => {
  const page = browser();
  await page.open(request);
  return { page, shown: await enter(page, person) };
};
const nextStep = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STEP_MS });
const enrolled = async () => {
  const person = await newPerson();
  const { page, shown } = await atPage(person, requestOf(strict));
  const { secret } = await setUp(page, shown);
  nextStep();
  return { person, secret, page };
};
const send = (from: Browser, path: string, fields: Readonly<Record<string, string>>) =>
  api.ask("POST", path, {
    as: null,
    raw: new URLSearchParams(fields).toString(),
    headers: {
      cookie: [...from.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      "content-type": "application/x-www-form-urlencoded",
    },
  });
const isActive = async (token: string) =>
  (
    await api.ask("POST", "/oauth2/introspect", {
      raw: `token=${token}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    })
  ).body.active;

describe("the page that asks for consent", () => {
  test("proves no new password: one that is required meanwhile is chosen first", async () => {
    const person = await newPerson();
    const { page, shown } = await atPage(person, requestOf(asking));
    expect(shown.title).toContain("asks for access to");
    await change(person.id, { [SYSTEM]: { forcePasswordReset: true } });
    const answer = await page.submit({ answer: "allow" });
    expect([answer.location, answer.title]).toEqual([undefined, expect.stringContaining("Sign in to")]);
    expect((await enter(page, person)).title).toBe("Choose a new password");
  });
  test("proves no second factor: an application that asks for one meanwhile gets no code without it", async () => {
    const client = await newApplication({}, asks);
    const person = await newPerson();
    const { page, shown } = await atPage(person, requestOf(client));
    expect(shown.title).toContain("asks for access to");
    await api.ask("PATCH", `${APPLICATIONS}/${client.applicationId}`, { body: TWO_STEPS });
    expect((await page.submit({ answer: "allow" })).location).toBeUndefined();
    expect((await enter(page, person)).title).toBe("Set up one-time codes");
  });
});

describe("a page of sign-in", () => {
  test("is not answered with tokens that the application may not have any more", async () => {
    const client = await newApplication(HYBRID);
    const person = await newPerson();
    const page = browser();
    await page.open(requestOf(client, { response_type: "id_token token", nonce: "n" }));
    await api.ask("PUT", `${APPLICATIONS}/${client.applicationId}/inbound-protocols/oidc`, {
      body: { grantTypes: ["authorization_code"], callbackURLs: ["https://cars.example.com/back"] },
    });
    const shown = await enter(page, person);
    expect([shown.status, shown.location]).toEqual([400, undefined]);
  });
  test("that was left open does not sign in again after a sign-out", async () => {
    const person = await newPerson();
    const { page, shown } = await atPage(person, requestOf(strict));
    await page.submit({ code: codeAt(secretIn(shown)) });
    const { request = "" } = page.fields();
    expect(answerOf(await page.submit({})).code).toMatch(/^ac_/);
    const { title } = await page.open("/oidc/logout");
    expect(title).toBe("Sign out?");
    await page.submit({});
    const again = await send(page, "/oauth2/codes-saved", { request });
    expect([again.status, again.headers.get("location"), again.headers.getSetCookie()]).toEqual([400, null, []]);
  });
});

describe("the second factor", () => {
  test.each([
    ["acr_values", { acr_values: "pwd" }],
    ["claims", { claims: JSON.stringify({ id_token: { acr: { essential: true, values: ["pwd"] } } }) }],
    ["prompt", { prompt: "login" }],
    ["max_age", { max_age: "100000" }],
    ["a hint", { login_hint: "admin" }],
    ["hybrid", { response_type: "code id_token token", nonce: "n" }],
    ["implicit", { response_type: "id_token token", nonce: "n" }],
    ["form_post", { response_mode: "form_post" }],
  ])("of an application is not talked away by %s", async (_, fields: Record<string, string>) => {
    const { person } = await enrolled();
    for (const path of [requestOf(strict, fields), opening(strict, (await push(strict, fields)).body.request_uri)]) {
      const { page, shown } = await atPage(person, path);
      expect([shown.title, page.cookies.has("__Host-session")]).toEqual(["Enter your code", false]);
      // A session with a password alone is none for this application.
      await page.open(requestOf(plain));
      await enter(page, person);
      expect(page.cookies.has("__Host-session")).toBe(true);
      const later = await page.open(
        path === requestOf(strict, fields) ? path : opening(strict, (await push(strict, fields)).body.request_uri),
      );
      expect(later.title).toMatch(fields.prompt ? /^Sign in to/ : /^Enter your code$/);
    }
  });
  test("is not kept by a session that goes on with a password alone", async () => {
    const { person, page } = await enrolled();
    const silent = requestOf(strict, { prompt: "none" });
    expect(answerOf(await page.open(silent)).code).toMatch(/^ac_/);
    await page.open(requestOf(plain, { prompt: "login" }));
    const { code } = answerOf(await enter(page, person));
    const { body } = await redeem(plain, code);
    expect(claimsIn(body.id_token)).toMatchObject({ acr: "pwd", amr: ["pwd"] });
    expect(answerOf(await page.open(silent)).error).toBe("interaction_required");
  });
  test("that an administrator takes away ends what was proven with it", async () => {
    const { person, page } = await enrolled();
    const { body } = await redeem(strict, answerOf(await page.open(requestOf(strict))).code);
    await change(person.id, { [SYSTEM]: { totpEnabled: "false" } });
    expect(answerOf(await page.open(requestOf(strict, { prompt: "none" }))).error).toBe("login_required");
    const again = await post(
      "/oauth2/token",
      { grant_type: "refresh_token", refresh_token: body.refresh_token },
      strict,
    );
    expect([again.status, again.body.error]).toEqual([400, "invalid_grant"]);
  });
  test("is not taken away by its user, an administrator, with the password alone", async () => {
    const { person } = await enrolled();
    const { Resources } = (await api.ask("GET", '/scim2/v2/Roles?filter=displayName%20eq%20"admin"')).body;
    const add = { op: "add", path: "users", value: [{ value: person.id }] };
    await api.ask("PATCH", `/scim2/v2/Roles/${Resources[0].id}`, { body: { schemas: [PATCH_OP], Operations: [add] } });
    const away = { [SYSTEM]: { totpEnabled: "false" } };
    const patch = { schemas: [PATCH_OP], Operations: [{ op: "replace", value: away }] };
    for (const [method, body] of [
      ["PATCH", patch],
      ["PUT", { userName: person.username, ...away }],
    ] as const) {
      // There, attributes of the account are not the user's to write.
      await api.ask(method, "/scim2/Me", { as: person, body });
      const { status } = await api.ask(method, `/scim2/Users/${person.id}`, { as: person, body });
      expect([method, status]).toEqual([method, 403]);
    }
    expect((await api.ask("GET", `/scim2/Users/${person.id}`)).body[SYSTEM].totpEnabled).toBe("true");
  });
});

test("a required new password is not waived by the user that must choose it", async () => {
  const client = await newClient(SCOPES.split(" "));
  const person = await newPerson();
  const { Resources } = (await api.ask("GET", '/scim2/v2/Roles?filter=displayName%20eq%20"admin"')).body;
  const add = { op: "add", path: "users", value: [{ value: person.id }] };
  await api.ask("PATCH", `/scim2/v2/Roles/${Resources[0].id}`, { body: { schemas: [PATCH_OP], Operations: [add] } });
  const { body } = await post(
    "/oauth2/token",
    { grant_type: "password", username: person.username, password: person.password, scope: SCOPES },
    client,
  );
  await change(person.id, { [SYSTEM]: { forcePasswordReset: true } });
  const waive = { op: "replace", value: { [SYSTEM]: { forcePasswordReset: false } } };
  for (const path of ["/scim2/Me", `/scim2/Users/${person.id}`]) {
    const { status } = await api.ask("PATCH", path, {
      as: `Bearer ${body.access_token}`,
      body: { schemas: [PATCH_OP], Operations: [waive] },
    });
    expect([path, status]).toEqual([path, 200]);
  }
  expect((await api.ask("GET", `/scim2/Users/${person.id}`)).body[SYSTEM].forcePasswordReset).toBe(true);
});

describe("tokens", () => {
  test("PS256 is signed where the application says so: ID tokens, also in hybrid answers, and as hints", async () => {
    const client = await newApplication({ ...HYBRID, idToken: { idTokenSignedResponseAlg: "PS256" } });
    const person = await newPerson();
    const { page, shown } = await atPage(person, requestOf(client, { response_type: "code id_token", nonce: "n" }));
    const front = fragmentOf(shown);
    const { body } = await redeem(client, front.code);
    const keys = createRemoteJWKSet(new URL(`${api.url}/oauth2/jwks`));
    for (const token of [front.id_token ?? "", body.id_token]) {
      expect(decodeProtectedHeader(token).alg).toBe("PS256");
      const { payload } = await jwtVerify(token, keys, { audience: client.clientId, algorithms: ["PS256"] });
      expect(payload.sub).toBe(person.id);
    }
    const hinted = requestOf(client, { prompt: "none", id_token_hint: body.id_token });
    expect(answerOf(await page.open(hinted)).code).toMatch(/^ac_/);
    expect((await page.open(`/oidc/logout?id_token_hint=${body.id_token}`)).title).toContain("signed out");
  });
  test("that a withdrawn consent or an ended session has ended are not shown as active", async () => {
    const client = await newApplication({ accessToken: { revokeTokensWhenIDPSessionTerminated: true } }, asks);
    const person = await newPerson();
    const tokensOf = async () => {
      const { page, shown } = await atPage(person, requestOf(client));
      const done = shown.location ? shown : await page.submit({ answer: "allow" });
      return (await redeem(client, answerOf(done).code)).body.refresh_token as string;
    };
    const first = await tokensOf();
    expect(await isActive(first)).toBe(true);
    await api.ask("DELETE", `/api/users/v1/${person.id}/sessions`);
    expect(await isActive(first)).toBe(false);
    const second = await tokensOf();
    expect(await isActive(second)).toBe(true);
    await api.ask("DELETE", `/api/users/v1/${person.id}/authorized-apps/${client.applicationId}`);
    expect(await isActive(second)).toBe(false);
  });
  test("of a session name its user as it is called now, not as whoever took the former name", async () => {
    const person = await newPerson();
    const { page } = await atPage(person, requestOf(plain));
    await change(person.id, { userName: `${person.username}-renamed` });
    await api.ask("POST", "/scim2/Users", { body: { userName: person.username, password: PERSON.password } });
    const { body } = await redeem(plain, answerOf(await page.open(requestOf(plain, { prompt: "none" }))).code);
    const { username, sub } = (
      await api.ask("POST", "/oauth2/introspect", {
        raw: `token=${body.access_token}`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      })
    ).body;
    expect([username, sub]).toEqual([`${person.username}-renamed@carbon.super`, person.id]);
  });
});
