/** One-time codes as a second factor (RFC 6238), where the application asks for one. */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { secretIn, sequenceOf, setUp, TWO_STEPS, wrongCode } from "#tests/support/codes.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";
import { codeAt, STEP_MS } from "#tools/examples/authenticator.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const SYSTEM = "urn:scim:wso2:schema";
let plain: TestClient;
let strict: TestClient;
let count = 0;

beforeAll(async () => {
  plain = await newApplication();
  strict = await newApplication({}, TWO_STEPS);
});
afterEach(() => vi.useRealTimers());

/** Each code counts once: the next sign-in needs a later one. */
const nextStep = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STEP_MS });

const newPerson = async (attributes: object = {}) => {
  count += 1;
  const person = { username: `person-${count}`, password: PERSON.password };
  const { status, body, text } = await api.ask("POST", "/scim2/Users", {
    body: { userName: person.username, password: person.password, ...attributes },
  });
  if (status !== 201) throw new Error(text);
  return { ...person, id: body.id as string };
};
type Person = Awaited<ReturnType<typeof newPerson>>;

/** At the page after the password. */
const afterPassword = async (person: Person, client = strict, fields = {}) => {
  const page = browser();
  await page.open(requestOf(client, fields));
  return { page, shown: await enter(page, person) };
};

/** A person with one-time codes, signed in. */
const enrolled = async (client = strict) => {
  const person = await newPerson();
  const { page, shown } = await afterPassword(person, client);
  const { secret, codes, done } = await setUp(page, shown);
  nextStep();
  return { person, page, secret, codes, done };
};

const idTokenOf = async (client: TestClient, code: string | undefined) =>
  claimsIn((await redeem(client, code)).body.id_token);

describe("setUpCodes", () => {
  test("where a second factor is needed, a password is not enough", async () => {
    const { page, shown } = await afterPassword(await newPerson());
    expect([shown.title, shown.status]).toEqual(["Set up one-time codes", 200]);
    expect(page.cookies.has("__Host-session")).toBe(false);
    expect(shown.html).toMatch(/<svg [^>]*viewBox/);
    expect(secretIn(shown)).toMatch(/^[A-Z2-7]{32}$/);
    expect(shown.html).toMatch(
      /otpauth:\/\/totp\/carbon.super:person-\d+\?issuer=carbon.super&amp;secret=[A-Z2-7]{32}&amp;/,
    );
    expect(shown.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
  });
  test("sets codes up with a code of the app, shows recovery codes once, and signs in by two factors", async () => {
    const person = await newPerson();
    const { page, shown } = await afterPassword(person, strict, { nonce: "n" });
    const wrong = await page.submit({ code: wrongCode(secretIn(shown)) });
    expect([wrong.status, wrong.title, secretIn(wrong)]).toEqual([400, "Set up one-time codes", secretIn(shown)]);
    const { codes, saved, done } = await setUp(page, wrong);
    expect([saved.title, codes.length, new Set(codes).size]).toEqual(["Save your recovery codes", 8, 8]);
    expect(await idTokenOf(strict, answerOf(done).code)).toMatchObject({
      acr: "mfa",
      amr: ["pwd", "otp", "mfa"],
      nonce: "n",
    });
    const { body } = await api.ask("GET", `/scim2/Users/${person.id}`);
    expect(body[SYSTEM].totpEnabled).toBe("true");
  });
  test("a step that codes can satisfy among others needs a code; what nothing here satisfies is refused", async () => {
    const person = await newPerson();
    const of = async (...steps: readonly (readonly string[])[]) => newApplication({}, sequenceOf(...steps));
    for (const client of [
      await of(["basic"], ["totp", "sms-otp-authenticator"]),
      await of(["IdentifierExecutor"], ["BasicAuthenticator"], ["totp", "backup-code-authenticator"]),
      await of(["BasicAuthenticator", "FIDOAuthenticator"], ["BasicAuthenticator", "totp"]),
    ]) {
      expect((await afterPassword(person, client)).shown.title).toBe("Set up one-time codes");
    }
    for (const [client, missing] of [
      [await of(["basic"], ["push-notification-authenticator", "sms-otp-authenticator"]), "authenticator or sms-otp"],
      [await of(["totp"]), "a step that says who the user is"],
      [await of(["basic"], ["totp"], ["JWTBasicAuthenticator"]), "JWTBasicAuthenticator"],
    ] as const) {
      const answer = answerOf(await browser().open(requestOf(client)));
      expect(answer.error).toBe("unmet_authentication_requirements");
      expect(answer.error_description).toContain(missing);
    }
    const script = {
      authenticationSequence: { ...TWO_STEPS.authenticationSequence, script: "var onLoginRequest = 1;" },
    };
    const scripted = await newApplication({}, script);
    expect(answerOf(await browser().open(requestOf(scripted))).error_description).toContain("adaptive script");
  });
});

describe("enterCode", () => {
  test("takes the code of now, that before and that after; each once, and none before it", async () => {
    const { person, secret } = await enrolled();
    const tried = async (atMs: number) => {
      const { page, shown } = await afterPassword(person);
      expect(shown.title).toBe("Enter your code");
      return page.submit({ code: codeAt(secret, atMs) });
    };
    nextStep();
    nextStep();
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now });
    const results: (number | string)[] = [];
    for (const step of [-2, 2, -1, -1, 1, 0, 1]) results.push((await tried(now + step * STEP_MS)).status);
    expect(results).toEqual([400, 400, 303, 400, 303, 400, 400]);
  });
  test("spaces in a code do not matter; other texts are wrong", async () => {
    const { person, secret } = await enrolled();
    const { page } = await afterPassword(person);
    for (const code of ["12345", "1234567", "abcdef", "１２３４５６", "0x1234", "-"]) {
      expect((await page.submit({ code })).alert).toContain("The code is wrong");
    }
    expect((await page.submit({ code: "" })).alert).toBe("Enter the six digits of the code.");
    const code = codeAt(secret);
    expect((await page.submit({ code: ` ${code.slice(0, 3)} ${code.slice(3)} ` })).status).toBe(303);
  });
  test("of two uses of one code at once, one counts", async () => {
    const { person, secret } = await enrolled();
    const [one, other] = [await afterPassword(person), await afterPassword(person)];
    const code = codeAt(secret);
    const answers = await Promise.all([one.page.submit({ code }), other.page.submit({ code })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
  });
  test("a recovery code counts once in place of a code", async () => {
    const { person, codes } = await enrolled();
    const [first = "", second = ""] = codes;
    const use = async (recovery: string) => (await afterPassword(person)).page.submit({ recovery });
    expect((await use(first.toUpperCase().replaceAll("-", " "))).status).toBe(303);
    expect((await use(first)).alert).toContain("The code is wrong");
    expect((await use("aaaa-aaaa-aaaa-aaaa")).status).toBe(400);
    expect((await use(second)).status).toBe(303);
  });
  test("another app takes the place of the first one after a code of it", async () => {
    const { person, secret, codes: former } = await enrolled();
    const { page } = await afterPassword(person);
    const setup = await page.submit({ code: codeAt(secret), choice: "replace" });
    expect(setup.title).toBe("Set up one-time codes");
    expect(secretIn(setup)).not.toBe(secret);
    const { secret: next, codes, done } = await setUp(page, setup);
    expect(done.status).toBe(303);
    nextStep();
    const again = await afterPassword(person);
    expect((await again.page.submit({ code: codeAt(secret) })).status).toBe(400);
    expect((await again.page.submit({ recovery: former[0] ?? "" })).status).toBe(400);
    expect((await again.page.submit({ recovery: codes[0] ?? "" })).status).toBe(303);
    expect(next).not.toBe(secret);
  });
  test("leads to another account", async () => {
    const { person } = await enrolled();
    const { page } = await afterPassword(person);
    expect((await page.submit({ choice: "other" })).title).toContain("Sign in to");
  });
});

describe("a session", () => {
  test("with a password alone needs the code for an application that asks for it, and not the password", async () => {
    const { person, secret } = await enrolled();
    const { page } = await afterPassword(person, plain);
    const before = page.cookies.get("__Host-session");
    expect(answerOf(await page.open(requestOf(strict, { prompt: "none" }))).error).toBe("interaction_required");
    const asked = await page.open(requestOf(strict));
    expect(asked.title).toBe("Enter your code");
    const first = await idTokenOf(plain, answerOf(await page.open(requestOf(plain))).code);
    await page.open(requestOf(strict));
    const second = await idTokenOf(strict, answerOf(await page.submit({ code: codeAt(secret) })).code);
    expect([first.amr, second.amr, second.auth_time, second.sid]).toEqual([
      ["pwd"],
      ["pwd", "otp", "mfa"],
      first.auth_time,
      first.sid,
    ]);
    // The stronger session has another secret; the one before does not count any more.
    expect(page.cookies.get("__Host-session")).not.toBe(before);
    const thief = browser();
    thief.cookies.set("__Host-session", before ?? "");
    expect((await thief.open(requestOf(plain))).title).toContain("Sign in to");
    // From here on, neither is asked for.
    expect(answerOf(await page.open(requestOf(strict, { prompt: "none" }))).code).toMatch(/^ac_/);
    expect((await idTokenOf(plain, answerOf(await page.open(requestOf(plain))).code)).acr).toBe("mfa");
  });
  test("prompt=login and max_age ask for both factors again", async () => {
    const { person, page } = await enrolled();
    for (const fields of [{ prompt: "login" }, { max_age: "5" }]) {
      expect((await page.open(requestOf(strict, fields))).title).toContain("Sign in to");
      expect((await enter(page, person)).title).toBe("Enter your code");
    }
  });
  test("acr_values and an essential acr ask for a code where the application does not", async () => {
    const { person, secret } = await enrolled();
    const claims = (value: string) => JSON.stringify({ id_token: { acr: { essential: true, value } } });
    for (const fields of [{ acr_values: "mfa pwd" }, { claims: claims("mfa") }]) {
      const { page, shown } = await afterPassword(person, plain, fields);
      expect(shown.title).toBe("Enter your code");
      expect((await idTokenOf(plain, answerOf(await page.submit({ code: codeAt(secret) })).code)).acr).toBe("mfa");
      nextStep();
    }
    for (const fields of [{ acr_values: "pwd mfa" }, { acr_values: "gold" }, { claims: claims("pwd") }]) {
      expect((await afterPassword(person, plain, fields)).shown.status).toBe(303);
    }
  });
  test("a code without the scope openid too", async () => {
    const { done } = await enrolled();
    expect((await redeem(strict, answerOf(done).code)).status).toBe(200);
  });
});

describe("the consent", () => {
  test("is asked after the code", async () => {
    const client = await newApplication({}, { ...TWO_STEPS, advancedConfigurations: { skipLoginConsent: false } });
    const { done, page } = await enrolled(client);
    expect(done.title).toContain("asks for access to");
    expect(answerOf(await page.submit({ answer: "allow" })).code).toMatch(/^ac_/);
  });
});

describe("totpEnabled", () => {
  const patch = (id: string, value: unknown, more: object = {}) =>
    api.ask("PATCH", `/scim2/Users/${id}`, {
      body: {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "replace", value: { [SYSTEM]: { totpEnabled: value }, ...more } }],
      },
    });
  const shownOf = async (id: string) => (await api.ask("GET", `/scim2/Users/${id}`)).body[SYSTEM]?.totpEnabled;

  test("false, from an administrator, takes the codes away: the next sign-in sets up others", async () => {
    const { person, page } = await enrolled();
    expect((await patch(person.id, "false")).status).toBe(200);
    expect(await shownOf(person.id)).toBe("false");
    expect((await afterPassword(person)).shown.title).toBe("Set up one-time codes");
    // What was proven with them has ended.
    expect(answerOf(await page.open(requestOf(strict, { prompt: "none" }))).error).toBe("login_required");
  });
  test("true from a client has no effect, and leaving it out neither", async () => {
    const made = await newPerson({ [SYSTEM]: { totpEnabled: "true", country: "DE" } });
    expect(await shownOf(made.id)).toBeUndefined();
    await patch(made.id, "true");
    expect(await shownOf(made.id)).toBeUndefined();
    const { person, secret } = await enrolled();
    const replaced = await api.ask("PUT", `/scim2/Users/${person.id}`, { body: { userName: person.username } });
    expect([replaced.status, replaced.body[SYSTEM].totpEnabled]).toEqual([200, "true"]);
    const { page, shown } = await afterPassword(person);
    expect(shown.title).toBe("Enter your code");
    expect((await page.submit({ code: codeAt(secret) })).status).toBe(303);
  });
  test("users cannot take their codes away with the password alone", async () => {
    const { person } = await enrolled();
    const own = { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"] };
    for (const [method, body] of [
      ["PATCH", { ...own, Operations: [{ op: "replace", value: { [SYSTEM]: { totpEnabled: "false" } } }] }],
      ["PATCH", { ...own, Operations: [{ op: "remove", path: `${SYSTEM}:totpEnabled` }] }],
      ["PUT", { userName: person.username, [SYSTEM]: { totpEnabled: "false" } }],
    ] as const) {
      await api.ask(method, "/scim2/Me", { as: person, body });
      expect(await shownOf(person.id)).toBe("true");
    }
  });
  test("who may not take over an administrator cannot take the administrator's codes away", async () => {
    const manager = await newPerson();
    const role = { displayName: "managers", permissions: ["internal_user_mgt_update", "internal_user_mgt_view"] };
    const made = await api.ask("POST", "/scim2/v2/Roles", {
      body: { ...role, permissions: role.permissions.map((value) => ({ value })), users: [{ value: manager.id }] },
    });
    expect(made.status).toBe(201);
    const administrator = await newPerson();
    const roles = (await api.ask("GET", '/scim2/v2/Roles?filter=displayName%20eq%20"admin"')).body.Resources;
    await api.ask("PATCH", `/scim2/v2/Roles/${roles[0].id}`, {
      body: {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "add", path: "users", value: [{ value: administrator.id }] }],
      },
    });
    const { page, shown } = await afterPassword(administrator);
    await setUp(page, shown);
    const refused = await api.ask("PATCH", `/scim2/Users/${administrator.id}`, {
      as: manager,
      body: {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "replace", value: { [SYSTEM]: { totpEnabled: "false" } } }],
      },
    });
    expect(refused.status).toBe(403);
    expect(await shownOf(administrator.id)).toBe("true");
  });
  test("the records of changes say who set codes up, and no secret; no answer of the API has it", async () => {
    const { person, secret, codes } = await enrolled();
    const { text } = await api.ask("GET", `/scim2/Users/${person.id}/history`);
    for (const expected of ["totpEnabled", "setUpCodes", `"${person.username}"`]) expect(text).toContain(expected);
    const shown = await api.ask("GET", `/scim2/Users/${person.id}`);
    for (const each of [text, shown.text]) {
      expect(each).not.toContain(secret);
      expect(codes.some((code) => each.includes(code))).toBe(false);
    }
  });
});

describe("a deleted user", () => {
  test("comes back with the same codes", async () => {
    const { person, secret } = await enrolled();
    expect((await api.ask("DELETE", `/scim2/Users/${person.id}`)).status).toBe(204);
    const deleted = await api.ask("GET", "/api/server/v1/deleted-resources?type=user");
    const row = JSON.stringify(deleted.body);
    expect(row).toContain(person.id);
    const restored = await api.ask("POST", `/api/server/v1/deleted-resources/${person.id}/restore`);
    expect(restored.status).toBe(200);
    const { page, shown } = await afterPassword(person);
    expect(shown.title).toBe("Enter your code");
    expect((await page.submit({ code: codeAt(secret) })).status).toBe(303);
  });
});

test("the grant password is refused for an application that asks for more than a password", async () => {
  const person = await newPerson();
  const grantTypes = ["password", "authorization_code"];
  const loose = await newApplication({ grantTypes });
  const client = await newApplication({ grantTypes }, TWO_STEPS);
  const { post } = oauthOf(api);
  const form = { grant_type: "password", username: person.username, password: person.password };
  expect((await post("/oauth2/token", form, loose)).status).toBe(200);
  const refused = await post("/oauth2/token", form, client);
  expect([refused.status, refused.body.error]).toEqual([400, "unauthorized_client"]);
  expect((await post("/oauth2/token", { ...form, password: "wrong" }, client)).body).toEqual(refused.body);
  await api.ask("PATCH", `${APPLICATIONS}/${client.applicationId}`, {
    body: { authenticationSequence: { type: "DEFAULT" } },
  });
  expect((await post("/oauth2/token", form, client)).status).toBe(200);
});
