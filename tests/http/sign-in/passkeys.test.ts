/** Passkeys (WebAuthn) as a second factor, where the application asks for one. */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { addingCredential, newCredential } from "#core/directory/credentials/store.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { newId } from "#core/kernel/ids.ts";
import { secretIn, sequenceOf, setUp, TWO_STEPS } from "#tests/support/codes.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { create, EITHER_STEP, PASSKEY_STEP, use } from "#tests/support/passkeys.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { type Algorithm, askedIn, codeAt, newAuthenticator, STEP_MS } from "#tools/examples/authenticator.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const SYSTEM = "urn:scim:wso2:schema";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
let plain: TestClient;
let strict: TestClient;
let codes: TestClient;
let either: TestClient;
let count = 0;

beforeAll(async () => {
  plain = await newApplication();
  strict = await newApplication({}, PASSKEY_STEP);
  codes = await newApplication({}, TWO_STEPS);
  either = await newApplication({}, EITHER_STEP);
});
afterEach(() => vi.useRealTimers());

/** Each one-time code counts once, and each challenge is later than the one before. */
const later = (ms = STEP_MS) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

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
  if (vi.isFakeTimers()) later(1);
  const page = browser();
  await page.open(requestOf(client, fields));
  return { page, shown: await enter(page, person) };
};

/** A person with a passkey, signed in. */
const enrolled = async (client = strict, settings: { algorithm?: Algorithm; counts?: boolean } = {}) => {
  const person = await newPerson();
  const key = newAuthenticator(api.url, settings);
  const { page, shown } = await afterPassword(person, client);
  const done = await create(page, shown, key);
  return { person, page, key, done };
};

/** A person whose attributes name passkeys that were never created. */
const imported = async (): Promise<Person> => {
  count += 1;
  const { username, password } = { username: `imported-${count}`, password: PERSON.password };
  const profile = { [SYSTEM]: { enabledAuthenticators: "FIDOAuthenticator" } };
  const { id, ...rest } = freshUser(newId(), username, Date.now(), { hasPassword: true, profile });
  const taken = () => new Error("taken");
  const steps = [addingCredential(TENANT, id, await newCredential(password), taken)];
  await userStore(tableOf(api.service)).add(TENANT, { id, ...rest }, { steps, taken });
  return { username, password, id };
};

const idTokenOf = async (client: TestClient, code: string | undefined) =>
  claimsIn((await redeem(client, code)).body.id_token);
const shownOf = async (id: string) => (await api.ask("GET", `/scim2/Users/${id}`)).body[SYSTEM]?.enabledAuthenticators;
const patch = (id: string, value: unknown, as?: Person) =>
  api.ask("PATCH", `/scim2/Users/${id}`, {
    ...(as && { as }),
    body: {
      schemas: [PATCH_OP],
      Operations: [{ op: "replace", value: { [SYSTEM]: { enabledAuthenticators: value } } }],
    },
  });

describe("createPasskey", () => {
  test("where a passkey is needed, a password is not enough; the browser is asked for one of this host", async () => {
    const person = await newPerson();
    const { page, shown } = await afterPassword(person);
    expect([shown.title, shown.status]).toEqual(["Create a passkey", 200]);
    expect(page.cookies.has("__Host-session")).toBe(false);
    const asked = askedIn(shown);
    expect(asked).toMatchObject({
      rp: { id: "localhost", name: "carbon.super" },
      user: { name: person.username, displayName: person.username },
      pubKeyCredParams: [{ alg: -7 }, { alg: -8 }, { alg: -257 }],
      excludeCredentials: [],
      attestation: "none",
    });
    for (const random of [asked.challenge, asked.user?.id]) expect(random).toMatch(/^[A-Za-z0-9_-]{43,70}$/);
    const again = askedIn((await afterPassword(person)).shown);
    expect([again.challenge === asked.challenge, again.user?.id === asked.user?.id]).toEqual([false, false]);
    expect(shown.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]+; script-src 'self'; form-action [^;]+; base-uri 'none'/,
    );
    expect(shown.html).toMatch(/<script src="\/oauth2\/page-script\?v=[0-9a-f]{16}" defer><\/script>/);
    expect(shown.html.match(/<script/g)).toHaveLength(1);
    expect(shown.html).toContain("<noscript><p>Passkeys need JavaScript.");
  });
  test.each(["ES256", "EdDSA", "RS256"] as const)(
    "stores one of %s, and signs in by two factors",
    async (algorithm) => {
      const { person, key, done } = await enrolled(strict, { algorithm });
      const factors = { acr: "mfa", amr: ["pwd", "pop", "user", "mfa"] };
      expect(await idTokenOf(strict, answerOf(done).code)).toMatchObject(factors);
      expect(await shownOf(person.id)).toBe("FIDOAuthenticator");
      const { page, shown } = await afterPassword(person, strict, { nonce: "n" });
      expect(shown.title).toBe("Use your passkey");
      expect(askedIn(shown)).toMatchObject({
        rpId: "localhost",
        allowCredentials: [{ type: "public-key", id: key.id, transports: ["internal", "hybrid"] }],
        userVerification: "preferred",
      });
      const used = await use(page, shown, key);
      expect(await idTokenOf(strict, answerOf(used).code)).toMatchObject({ ...factors, nonce: "n" });
    },
  );
  test("a browser that sends none is told what to do", async () => {
    const { page, shown } = await afterPassword(await newPerson());
    const asked = askedIn(shown);
    const missing = await page.submit({});
    expect([missing.status, missing.alert]).toEqual([400, expect.stringContaining("Allow JavaScript")]);
    // A page has a challenge of its own.
    expect(askedIn(missing).challenge).not.toBe(asked.challenge);
    expect((await page.submit({ choice: "other" })).title).toContain("Sign in to");
  });
  test("in the order of the options: passkey or code, whichever the person chooses", async () => {
    const first = await newApplication({}, sequenceOf(["basic"], ["fido", "totp"]));
    const { page, shown } = await afterPassword(await newPerson(), first);
    expect(shown.title).toBe("Create a passkey");
    expect((await page.submit({ choice: "code" })).title).toBe("Set up one-time codes");
    expect((await page.submit({ choice: "passkey" })).title).toBe("Create a passkey");
    expect((await page.submit({ choice: "code" })).title).toBe("Set up one-time codes");
    const { page: other, shown: setup } = await afterPassword(await newPerson(), either);
    expect([setup.title, setup.html.includes("Use a passkey instead")]).toEqual(["Set up one-time codes", true]);
    const created = await create(other, await other.submit({ choice: "passkey" }), newAuthenticator(api.url));
    expect((await idTokenOf(either, answerOf(created).code)).amr).toEqual(["pwd", "pop", "user", "mfa"]);
    // An application that takes one of the two offers that one alone.
    const { shown: only } = await afterPassword(await newPerson(), codes);
    expect(only.html).not.toContain("passkey");
    expect((await afterPassword(await newPerson())).shown.html).not.toContain("authenticator app");
  });
  test("two steps need two factors", async () => {
    const both = await newApplication({}, sequenceOf(["basic"], ["totp"], ["FIDOAuthenticator"]));
    const person = await newPerson();
    const key = newAuthenticator(api.url);
    const { page, shown } = await afterPassword(person, both);
    const { secret, done } = await setUp(page, shown);
    expect(done.title).toBe("Create a passkey");
    const amr = ["pwd", "otp", "pop", "user", "mfa"];
    expect((await idTokenOf(both, answerOf(await create(page, done, key)).code)).amr).toEqual(amr);
    later();
    const { page: next } = await afterPassword(person, both);
    const asked = await next.submit({ code: codeAt(secret) });
    expect(asked.title).toBe("Use your passkey");
    expect((await idTokenOf(both, answerOf(await use(next, asked, key)).code)).amr).toEqual(amr);
  });
});

describe("usePasskey", () => {
  test("one that is there satisfies either; a page offers what the person has", async () => {
    const { person, key } = await enrolled();
    const { page, shown } = await afterPassword(person, either);
    expect([shown.title, shown.html.includes("Use a one-time code instead")]).toEqual(["Use your passkey", false]);
    expect((await idTokenOf(either, answerOf(await use(page, shown, key)).code)).acr).toBe("mfa");
  });
  test("who has both chooses", async () => {
    const person = await newPerson();
    const key = newAuthenticator(api.url);
    const { page, shown } = await afterPassword(person, codes);
    const { secret } = await setUp(page, shown);
    later();
    const { page: second } = await afterPassword(person, either);
    const created = await second.submit({ code: codeAt(secret), choice: "add-passkey" });
    expect(created.title).toBe("Create a passkey");
    expect((await create(second, created, key)).status).toBe(303);
    later();
    const { page: third, shown: code } = await afterPassword(person, either);
    expect([code.title, code.html.includes("Use a passkey instead")]).toEqual(["Enter your code", true]);
    const passkey = await third.submit({ choice: "passkey" });
    expect(passkey.html).toContain("Use a one-time code instead");
    expect((await third.submit({ choice: "code" })).title).toBe("Enter your code");
    expect((await third.submit({ code: codeAt(secret) })).status).toBe(303);
    later();
    const { page: fourth } = await afterPassword(person, either);
    expect((await use(fourth, await fourth.submit({ choice: "passkey" }), key)).status).toBe(303);
    // An application that takes codes alone takes no passkey in their place.
    const { page: fifth, shown: alone } = await afterPassword(person, codes);
    expect([alone.title, alone.html.includes("passkey")]).toEqual(["Enter your code", false]);
    expect((await fifth.submit({ choice: "passkey" })).title).toBe("Enter your code");
  });
  test("leads to one more passkey, up to ten; each of them signs in", async () => {
    const { person, key } = await enrolled();
    const keys = [key];
    for (let at = 1; at < 10; at += 1) {
      const { page, shown } = await afterPassword(person);
      expect(shown.html).toContain("add another one");
      const setup = await use(page, shown, keys[at - 1] ?? key, {}, { choice: "add" });
      expect([setup.title, setup.html.includes("Go on without another passkey")]).toEqual(["Create a passkey", true]);
      const asked = askedIn(setup);
      expect(asked.excludeCredentials?.map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
      const one = newAuthenticator(api.url);
      keys.push(one);
      expect((await create(page, setup, one)).status).toBe(303);
    }
    for (const each of [keys[0], keys[9]]) {
      const { page, shown } = await afterPassword(person);
      expect(shown.html).not.toContain("add another one");
      expect((await use(page, shown, each ?? key, {}, { choice: "add" })).status).toBe(303);
    }
    expect(new Set(keys.map(({ id }) => id)).size).toBe(10);
  });
  test("who does not want one more after all goes on", async () => {
    const { person, key } = await enrolled();
    const { page, shown } = await afterPassword(person);
    expect((await use(page, shown, key, {}, { choice: "add" })).title).toBe("Create a passkey");
    expect(answerOf(await page.submit({ choice: "skip" })).code).toMatch(/^ac_/);
  });
  test("leads to one-time codes where the application takes them too", async () => {
    const { person, key } = await enrolled();
    const { page, shown } = await afterPassword(person, either);
    const setup = await use(page, shown, key, {}, { choice: "add-codes" });
    expect(setup.title).toBe("Set up one-time codes");
    const { codes: recovery, done } = await setUp(page, setup);
    expect((await idTokenOf(either, answerOf(done).code)).amr).toEqual(["pwd", "pop", "user", "otp", "mfa"]);
    later();
    // With their recovery codes.
    const { page: next } = await afterPassword(person, codes);
    expect((await next.submit({ recovery: recovery[0] ?? "" })).status).toBe(303);
  });
  test("a counter that grows counts, and so does none at all", async () => {
    const { person, key } = await enrolled(strict, { counts: true });
    for (let at = 0; at < 3; at += 1) {
      const { page, shown } = await afterPassword(person);
      expect((await use(page, shown, key)).status).toBe(303);
    }
  });
  test("a key that cannot verify its user, and one that names no user, count after the password", async () => {
    const { person, key } = await enrolled();
    for (const lies of [{ flags: 1 }, { userHandle: undefined }]) {
      const { page, shown } = await afterPassword(person);
      expect((await use(page, shown, key, lies)).status).toBe(303);
    }
  });
});

describe("a factor of the other kind", () => {
  test("is proven before an application that takes the first kind alone has it set up", async () => {
    const { person, key } = await enrolled();
    const { page, shown } = await afterPassword(person, codes);
    expect(shown.title).toBe("Use your passkey");
    const setup = await use(page, shown, key);
    expect(setup.title).toBe("Set up one-time codes");
    const { secret, done } = await setUp(page, setup);
    expect((await idTokenOf(codes, answerOf(done).code)).amr).toContain("otp");
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);

    const other = await newPerson();
    const first = await afterPassword(other, codes);
    const { secret: app } = await setUp(first.page, first.shown);
    later();
    const second = await afterPassword(other);
    expect(second.shown.title).toBe("Enter your code");
    const asked = await second.page.submit({ code: codeAt(app) });
    expect(asked.title).toBe("Create a passkey");
    expect((await create(second.page, asked, newAuthenticator(api.url))).status).toBe(303);
    expect(await shownOf(other.id)).toBe("FIDOAuthenticator");
  });
  test("is proven before a password that must be changed", async () => {
    const { person, key } = await enrolled();
    await api.ask("PATCH", `/scim2/Users/${person.id}`, {
      body: {
        schemas: [PATCH_OP],
        Operations: [{ op: "replace", value: { [SYSTEM]: { forcePasswordReset: true } } }],
      },
    });
    const { page, shown } = await afterPassword(person, plain);
    expect(shown.title).toBe("Use your passkey");
    expect((await use(page, shown, key)).title).toBe("Choose a new password");
    const password = "another-Password-7";
    expect((await page.submit({ password, repeated: password })).status).toBe(303);
  });
});

describe("a session", () => {
  test("with a password alone needs the passkey for an application that asks for it, and not the password", async () => {
    const { person, key } = await enrolled();
    const { page } = await afterPassword(person, plain);
    const before = page.cookies.get("__Host-session");
    const refused = answerOf(await page.open(requestOf(strict, { prompt: "none" })));
    expect(refused.error).toBe("interaction_required");
    const first = await idTokenOf(plain, answerOf(await page.open(requestOf(plain))).code);
    const asked = await page.open(requestOf(strict));
    expect(asked.title).toBe("Use your passkey");
    const second = await idTokenOf(strict, answerOf(await use(page, asked, key)).code);
    expect([first.amr, second.amr, second.auth_time, second.sid]).toEqual([
      ["pwd"],
      ["pwd", "pop", "user", "mfa"],
      first.auth_time,
      first.sid,
    ]);
    // The stronger session has another secret; the one before does not count any more.
    expect(page.cookies.get("__Host-session")).not.toBe(before);
    const thief = browser();
    thief.cookies.set("__Host-session", before ?? "");
    expect((await thief.open(requestOf(plain))).title).toContain("Sign in to");
    expect(answerOf(await page.open(requestOf(strict, { prompt: "none" }))).code).toMatch(/^ac_/);
    // A passkey is no code.
    expect(answerOf(await page.open(requestOf(codes, { prompt: "none" }))).error).toBe("interaction_required");
    expect(answerOf(await page.open(requestOf(either, { prompt: "none" }))).code).toMatch(/^ac_/);
  });
  test("prompt=login and max_age ask for both again", async () => {
    const { person, page } = await enrolled();
    later();
    for (const fields of [{ prompt: "login" }, { max_age: "5" }]) {
      expect((await page.open(requestOf(strict, fields))).title).toContain("Sign in to");
      expect((await enter(page, person)).title).toBe("Use your passkey");
    }
  });
  test("acr_values=mfa and an essential acr are satisfied by either", async () => {
    const { person, key } = await enrolled();
    const claims = JSON.stringify({ id_token: { acr: { essential: true, value: "mfa" } } });
    for (const fields of [{ acr_values: "mfa" }, { claims }]) {
      const { page, shown } = await afterPassword(person, plain, fields);
      expect(shown.title).toBe("Use your passkey");
      expect((await idTokenOf(plain, answerOf(await use(page, shown, key)).code)).acr).toBe("mfa");
    }
    expect((await afterPassword(person, plain, { acr_values: "pwd mfa" })).shown.status).toBe(303);
    const { shown } = await afterPassword(await newPerson(), plain, { acr_values: "mfa" });
    expect([shown.title, shown.html.includes("Use a passkey instead")]).toEqual(["Set up one-time codes", true]);
  });
});

describe("enabledAuthenticators", () => {
  test("none, from an administrator, takes the passkeys away; sessions and tokens end", async () => {
    const { person, page, key } = await enrolled();
    expect((await patch(person.id, "none")).status).toBe(200);
    expect(await shownOf(person.id)).toBe("none");
    expect(answerOf(await page.open(requestOf(strict, { prompt: "none" }))).error).toBe("login_required");
    const { page: next, shown } = await afterPassword(person);
    expect(shown.title).toBe("Create a passkey");
    // The user has another handle now; the passkey of before can be created again.
    expect((await create(next, shown, key)).status).toBe(303);
    expect(await shownOf(person.id)).toBe("FIDOAuthenticator");
  });
  test("every other value has no effect, and leaving it out neither; other names are kept", async () => {
    const made = await newPerson({ [SYSTEM]: { enabledAuthenticators: "TOTP, FIDOAuthenticator", country: "DE" } });
    expect(await shownOf(made.id)).toBe("TOTP");
    const { person, key } = await enrolled();
    const replaced = await api.ask("PUT", `/scim2/Users/${person.id}`, { body: { userName: person.username } });
    expect([replaced.status, replaced.body[SYSTEM].enabledAuthenticators]).toEqual([200, "FIDOAuthenticator"]);
    const removed = { op: "remove", path: `${SYSTEM}:enabledAuthenticators` };
    await api.ask("PATCH", `/scim2/Users/${person.id}`, { body: { schemas: [PATCH_OP], Operations: [removed] } });
    await patch(person.id, "TOTP");
    expect(await shownOf(person.id)).toBe("TOTP,FIDOAuthenticator");
    await patch(person.id, "TOTP,fidoauthenticator");
    expect(await shownOf(person.id)).toBe("TOTP,fidoauthenticator");
    const { page, shown } = await afterPassword(person);
    expect((await use(page, shown, key)).status).toBe(303);
  });
  test("one change takes all second factors away", async () => {
    const { person, key } = await enrolled();
    const { page, shown } = await afterPassword(person, either);
    await setUp(page, await use(page, shown, key, {}, { choice: "add-codes" }));
    const value = { [SYSTEM]: { totpEnabled: "false", enabledAuthenticators: "none" } };
    const { status } = await api.ask("PATCH", `/scim2/Users/${person.id}`, {
      body: { schemas: [PATCH_OP], Operations: [{ op: "replace", value }] },
    });
    expect(status).toBe(200);
    expect((await afterPassword(person)).shown.title).toBe("Create a passkey");
    expect((await afterPassword(person, codes)).shown.title).toBe("Set up one-time codes");
  });
  test("users cannot take their own away, whatever rights they have", async () => {
    const { person } = await enrolled();
    const operations = [{ op: "replace", value: { [SYSTEM]: { enabledAuthenticators: "none" } } }];
    for (const [method, body] of [
      ["PATCH", { schemas: [PATCH_OP], Operations: operations }],
      ["PUT", { userName: person.username, [SYSTEM]: { enabledAuthenticators: "None" } }],
    ] as const) {
      await api.ask(method, "/scim2/Me", { as: person, body });
      expect(await shownOf(person.id)).toBe("FIDOAuthenticator");
    }
  });
  test("who may not take over an administrator cannot take the administrator's passkeys away", async () => {
    const manager = await newPerson();
    const permissions = ["internal_user_mgt_update", "internal_user_mgt_view"].map((value) => ({ value }));
    const role = { displayName: "managers", permissions, users: [{ value: manager.id }] };
    expect((await api.ask("POST", "/scim2/v2/Roles", { body: role })).status).toBe(201);
    const { person: administrator } = await enrolled();
    const roles = (await api.ask("GET", '/scim2/v2/Roles?filter=displayName%20eq%20"admin"')).body.Resources;
    const adding = [{ op: "add", path: "users", value: [{ value: administrator.id }] }];
    await api.ask("PATCH", `/scim2/v2/Roles/${roles[0].id}`, { body: { schemas: [PATCH_OP], Operations: adding } });
    expect((await patch(administrator.id, "none", manager)).status).toBe(403);
    expect(await shownOf(administrator.id)).toBe("FIDOAuthenticator");
  });
  test("the records of changes say who created a passkey", async () => {
    const { person } = await enrolled();
    const { text } = await api.ask("GET", `/scim2/Users/${person.id}/history`);
    for (const expected of ["enabledAuthenticators", "createPasskey", `"${person.username}"`]) {
      expect(text).toContain(expected);
    }
  });
});

describe("a deleted user", () => {
  test("comes back with the same passkeys", async () => {
    const { person, key } = await enrolled();
    expect((await api.ask("DELETE", `/scim2/Users/${person.id}`)).status).toBe(204);
    expect((await api.ask("POST", `/api/server/v1/deleted-resources/${person.id}/restore`)).status).toBe(200);
    const { page, shown } = await afterPassword(person);
    expect(shown.title).toBe("Use your passkey");
    expect((await use(page, shown, key)).status).toBe(303);
  });
});

test("a user whose attribute names passkeys that were never created creates one", async () => {
  const { page, shown } = await afterPassword(await imported());
  expect((await create(page, shown, newAuthenticator(api.url))).status).toBe(303);
});

test("the grant password is refused for an application that asks for a passkey", async () => {
  const person = await newPerson();
  const client = await newApplication({ grantTypes: ["password", "authorization_code"] }, PASSKEY_STEP);
  const { post } = oauthOf(api);
  const form = { grant_type: "password", username: person.username, password: person.password };
  const refused = await post("/oauth2/token", form, client);
  expect([refused.status, refused.body.error]).toEqual([400, "unauthorized_client"]);
});

test("in the step of the password, a password is enough", async () => {
  const progressive = await newApplication({}, sequenceOf(["BasicAuthenticator", "FIDOAuthenticator"]));
  expect((await afterPassword(await newPerson(), progressive)).shown.status).toBe(303);
});

describe("getPageScript", () => {
  test("is JavaScript of this service that caches keep, at an address of its text", async () => {
    const { shown } = await afterPassword(await newPerson());
    const [, path = ""] = /<script src="([^"]+)"/.exec(shown.html) ?? [];
    const { status, headers, text } = await api.ask("GET", path, { as: null });
    expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(headers.get("cache-control")).toBe("public, max-age=86400");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(() => new Function(text)).not.toThrow();
    expect(text).not.toMatch(/innerHTML|eval|fetch|XMLHttpRequest|document\.write/);
  });
});

test("codes of a person who has some can be replaced as before, next to passkeys", async () => {
  const { person, key } = await enrolled();
  const { page, shown } = await afterPassword(person, either);
  const { secret } = await setUp(page, await use(page, shown, key, {}, { choice: "add-codes" }));
  later();
  const { page: next } = await afterPassword(person, codes);
  const setup = await next.submit({ code: codeAt(secret), choice: "replace" });
  expect(setup.title).toBe("Set up one-time codes");
  expect(secretIn(setup)).not.toBe(secret);
});
