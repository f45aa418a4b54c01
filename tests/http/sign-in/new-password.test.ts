/** Users who must choose a new password. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { setUp, TWO_STEPS } from "#tests/support/codes.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";
import { world } from "#tests/support/world.ts";
import { codeAt, STEP_MS } from "#tools/examples/authenticator.ts";

const SYSTEM = "urn:scim:wso2:schema";
const NEW = "another-good-Password-2";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

describe("choosePassword", () => {
  const api = world();
  const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
  const { post } = oauthOf(api);
  let plain: TestClient;
  let count = 0;
  beforeAll(async () => {
    plain = await newApplication({ grantTypes: ["authorization_code", "password", "refresh_token"] });
  });
  afterEach(() => vi.useRealTimers());

  const newPerson = async (mustChange: boolean) => {
    count += 1;
    const person = { username: `person-${count}`, password: PERSON.password };
    const { body } = await api.ask("POST", "/scim2/Users", {
      body: { userName: person.username, password: person.password, [SYSTEM]: { forcePasswordReset: mustChange } },
    });
    return { ...person, id: body.id as string };
  };
  const require = (id: string) =>
    api.ask("PATCH", `/scim2/Users/${id}`, {
      body: { schemas: [PATCH_OP], Operations: [{ op: "replace", value: { [SYSTEM]: { forcePasswordReset: true } } }] },
    });
  const flagOf = async (id: string) => (await api.ask("GET", `/scim2/Users/${id}`)).body[SYSTEM]?.forcePasswordReset;
  const atPage = async (person: { username: string; password: string }, client = plain) => {
    const page = browser();
    await page.open(requestOf(client));
    return { page, shown: await enter(page, person) };
  };

  test("choose one after the right one, and are signed in", async () => {
    const person = await newPerson(true);
    const { page, shown } = await atPage(person);
    expect([shown.title, page.cookies.has("__Host-session")]).toEqual(["Choose a new password", false]);
    const done = await page.submit({ password: NEW, repeated: NEW });
    const { body } = await redeem(plain, answerOf(done).code);
    expect(claimsIn(body.id_token).sub).toBe(person.id);
    expect(await flagOf(person.id)).toBeUndefined();
    expect((await atPage(person)).shown.status).toBe(400);
    expect((await atPage({ ...person, password: NEW })).shown.status).toBe(303);
    expect(answerOf(await page.open(requestOf(plain, { prompt: "none" }))).code).toMatch(/^ac_/);
  });
  test("a wrong password shows nothing of it", async () => {
    const person = await newPerson(true);
    expect((await atPage({ ...person, password: "wrong-password" })).shown.alert).toContain("is wrong");
  });
  test("the new password follows the rules, is repeated and is another one", async () => {
    const person = await newPerson(true);
    const { page } = await atPage(person);
    for (const [password, repeated, problem] of [
      ["", "", "Enter a new password, twice."],
      [NEW, `${NEW}x`, "The two passwords are not the same."],
      ["seven77", "seven77", "8 to 100 characters"],
      ["with a\ttab in it", "with a\ttab in it", "control character"],
      ["Sunshine1", "Sunshine1", "most common passwords"],
      [person.username.toUpperCase(), person.username.toUpperCase(), "must not be your user name"],
      [PERSON.password, PERSON.password, "the password that you have now"],
    ] as const) {
      const shown = await page.submit({ password, repeated });
      expect([shown.status, shown.title, shown.alert]).toEqual([
        ...[400, "Choose a new password"],
        expect.stringContaining(problem),
      ]);
      if (password) expect(shown.html).not.toContain(password);
    }
  });
  test("a session of before asks for the password again, and ends with it, as tokens do", async () => {
    const person = await newPerson(false);
    const { page, shown } = await atPage(person);
    const { body } = await redeem(plain, answerOf(shown).code);
    await require(person.id);
    expect(answerOf(await page.open(requestOf(plain, { prompt: "none" }))).error).toBe("login_required");
    const other = await atPage(person);
    await other.page.submit({ password: NEW, repeated: NEW });
    expect((await page.open(requestOf(plain))).title).toContain("Sign in to");
    expect((await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${body.access_token}` })).status).toBe(401);
    const refreshed = { grant_type: "refresh_token", refresh_token: body.refresh_token };
    expect((await post("/oauth2/token", refreshed, plain)).body.error).toBe("invalid_grant");
  });
  test("the record of the change names the user and not the password", async () => {
    const person = await newPerson(true);
    const { page } = await atPage(person);
    await page.submit({ password: NEW, repeated: NEW });
    const { text } = await api.ask("GET", `/scim2/Users/${person.id}/history`);
    expect(text).toContain("choosePassword");
    expect(text).toContain(`"${person.username}"`);
    expect(text).not.toContain(NEW);
  });
  test("Basic and the grant password say so after the right password only", async () => {
    const person = await newPerson(true);
    const grant = (password: string) =>
      post("/oauth2/token", { grant_type: "password", username: person.username, password }, plain);
    const call = (password: string) => api.ask("GET", "/scim2/Me", { as: { ...person, password } });
    const [right, wrong] = [await grant(person.password), await grant("wrong-password")];
    expect([right.status, right.body.error, wrong.body.error]).toEqual([400, "invalid_grant", "invalid_grant"]);
    expect(right.text).toContain("must be changed");
    expect(wrong.text).not.toContain("must be changed");
    const [known, unknown] = [await call(person.password), await call("wrong-password")];
    expect([known.status, unknown.status]).toEqual([401, 401]);
    expect(known.text).toContain("must be changed");
    expect(unknown.text).not.toContain("must be changed");
    const { page } = await atPage(person);
    await page.submit({ password: NEW, repeated: NEW });
    expect((await call(NEW)).status).toBe(200);
    expect((await grant(NEW)).status).toBe(200);
  });
  test("a password that the user sets at /Me counts; one of an administrator does not end it", async () => {
    const person = await newPerson(false);
    const { body } = await post(
      "/oauth2/token",
      { grant_type: "password", username: person.username, password: person.password },
      plain,
    );
    await require(person.id);
    const set = (path: string, as: string | undefined, password: string) =>
      api.ask("PATCH", path, {
        ...(as !== undefined && { as }),
        body: { schemas: [PATCH_OP], Operations: [{ op: "replace", path: "password", value: password }] },
      });
    expect((await set(`/scim2/Users/${person.id}`, undefined, "temporary-Password-3")).status).toBe(200);
    expect(await flagOf(person.id)).toBe(true);
    expect(body.access_token).toBeTruthy();
  });
  test("who has one-time codes enters one first, whatever the application asks for", async () => {
    const strict = await newApplication({}, TWO_STEPS);
    const person = await newPerson(false);
    const { page, shown } = await atPage(person, strict);
    const { secret } = await setUp(page, shown);
    await require(person.id);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STEP_MS });
    const again = await atPage(person);
    expect(again.shown.title).toBe("Enter your code");
    expect((await again.page.submit({ code: codeAt(secret) })).title).toBe("Choose a new password");
    const done = await again.page.submit({ password: NEW, repeated: NEW });
    const { body } = await redeem(plain, answerOf(done).code);
    expect(claimsIn(body.id_token).amr).toEqual(["pwd", "otp", "mfa"]);
  });
  test("a form counts once its user must not choose any more, for nothing but to go on", async () => {
    const person = await newPerson(true);
    const [one, other] = [await atPage(person), await atPage(person)];
    await one.page.submit({ password: NEW, repeated: NEW });
    const late = await other.page.submit({ password: "a-third-Password-3", repeated: "a-third-Password-3" });
    expect(late.title).toContain("Sign in to");
    expect((await atPage({ ...person, password: "a-third-Password-3" })).shown.status).toBe(400);
  });
});

describe.runIf(hasSlapd)("in a directory", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  afterAll(() => slapd.close());
  afterEach(() => vi.useRealTimers());
  for (const isReadOnly of [false, true]) {
    describe(isReadOnly ? "that is only read" : "that takes passwords", () => {
      const store = directoryStore(slapd.url);
      const api = world({ deployment: isReadOnly ? store.replace(/read_only = \w+|$/, "read_only = true") : store });
      const { newApplication, requestOf, enter, browser } = signInOf(api);
      test.runIf(!isReadOnly)("the directory gets the new one, and codes are set up", async () => {
        const person = { username: "CORP/kim", password: PERSON.password };
        const { status, body, text } = await api.ask("POST", "/scim2/Users", {
          body: {
            ...{ userName: person.username, password: person.password, name: { givenName: "Kim", familyName: "Park" } },
            [SYSTEM]: { forcePasswordReset: true },
          },
        });
        expect([status, text]).toEqual([201, expect.any(String)]);
        const page = browser();
        await page.open(requestOf(await newApplication({}, TWO_STEPS)));
        const setup = await enter(page, person);
        expect(setup.title).toBe("Set up one-time codes");
        const { done } = await setUp(page, setup);
        expect(done.title).toBe("Choose a new password");
        expect((await page.submit({ password: NEW, repeated: NEW })).status).toBe(303);
        const shown = (await api.ask("GET", `/scim2/Users/${body.id}`)).body[SYSTEM];
        expect([shown.totpEnabled, shown.forcePasswordReset]).toEqual(["true", undefined]);
        expect((await api.ask("GET", "/scim2/Me", { as: { ...person, password: NEW } })).status).toBe(200);
      });
      test.runIf(!isReadOnly)(
        "codes are set up by a person who has the name of one who left the directory",
        async () => {
          const person = { username: "CORP/robin", password: PERSON.password };
          const entry = `uid=robin,${PEOPLE}`;
          const add = () =>
            slapd.connected((client) =>
              client.add(entry, {
                ...{ objectClass: "inetOrgPerson", uid: "robin", cn: "Robin", sn: "Ash" },
                userPassword: person.password,
              }),
            );
          const idOf = async () =>
            (await api.ask("GET", '/scim2/Users?filter=userName%20eq%20"CORP/robin"')).body.Resources[0].id;
          await add();
          const former = await idOf();
          const number = { op: "replace", path: "externalId", value: "4711" };
          const noted = await api.ask("PATCH", `/scim2/Users/${former}`, {
            body: { schemas: [PATCH_OP], Operations: [number] },
          });
          expect(noted.body.externalId).toBe("4711");
          await slapd.connected((client) => client.del(entry));
          await add();

          const page = browser();
          await page.open(requestOf(await newApplication({}, TWO_STEPS)));
          expect((await setUp(page, await enter(page, person))).done.status).toBe(303);
          const id = await idOf();
          expect(id).not.toBe(former);
          const shown = (await api.ask("GET", `/scim2/Users/${id}`)).body;
          expect([shown[SYSTEM].totpEnabled, shown.externalId]).toEqual(["true", undefined]);
          const found = await api.ask("GET", '/scim2/Users?filter=externalId%20eq%20"4711"');
          expect(found.body.totalResults).toBe(0);
        },
      );
      test.runIf(isReadOnly)("the page says what to do; codes are set up all the same", async () => {
        const person = { username: "CORP/kim", password: NEW };
        const { Resources } = (await api.ask("GET", '/scim2/Users?filter=userName%20eq%20"CORP/kim"')).body;
        const id = Resources?.[0]?.id;
        const page = browser();
        await page.open(requestOf(await newApplication({}, TWO_STEPS)));
        const setup = await enter(page, person);
        const { secret, done } = await setUp(page, setup);
        expect(done.status).toBe(303);
        const flagged = await api.ask("PATCH", `/scim2/Users/${id}`, {
          body: {
            schemas: [PATCH_OP],
            Operations: [{ op: "replace", value: { [SYSTEM]: { forcePasswordReset: true } } }],
          },
        });
        expect(flagged.status).toBe(200);
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STEP_MS });
        const other = browser();
        await other.open(requestOf(await newApplication()));
        await enter(other, person);
        const asked = await other.submit({ code: codeAt(secret) });
        expect([asked.status, asked.title, asked.html.includes('type="password"')]).toEqual([
          400,
          "Choose a new password",
          false,
        ]);
        expect(asked.alert).toContain("belongs to a directory");
        const reset = await api.ask("PATCH", `/scim2/Users/${id}`, {
          body: { schemas: [PATCH_OP], Operations: [{ op: "replace", value: { [SYSTEM]: { totpEnabled: "false" } } }] },
        });
        expect(reset.body[SYSTEM].totpEnabled).toBe("false");
      });
    });
  }
});
