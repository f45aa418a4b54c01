/**
 * Ways out of a sign-in, at every page: back to the application without an answer but `access_denied`, and another
 * account. A page that was left counts no more.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { Shown } from "#tests/support/browsing.ts";
import { secretIn, TWO_STEPS } from "#tests/support/codes.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { PASSKEY_STEP } from "#tests/support/passkeys.ts";
import { CALLBACK, signInOf } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";
import { codeAt } from "#tools/examples/authenticator.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, browser } = signInOf(api);
let made = 0;
let plain: TestClient;
let strict: TestClient;
let keys: TestClient;
let asking: TestClient;
let closed: TestClient;
beforeAll(async () => {
  plain = await newApplication();
  strict = await newApplication({}, TWO_STEPS);
  keys = await newApplication({}, PASSKEY_STEP);
  asking = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
  closed = await newApplication({}, { advancedConfigurations: { enableAuthorization: true } });
});

const newPerson = async (more: object = {}) => {
  made += 1;
  const person = { username: `leaver-${made}`, password: `a-good-Password-of-${made}` };
  await api.ask("POST", "/scim2/Users", { body: { userName: person.username, password: person.password, ...more } });
  return person;
};
const opened = async (client: TestClient) => {
  const page = browser();
  return { page, shown: await page.open(requestOf(client, { state: "s-1" })) };
};
const entered = async (client: TestClient, more: object = {}) => {
  const { page } = await opened(client);
  const person = await newPerson(more);
  return { page, person, shown: await enter(page, person) };
};

/** Every page of a sign-in, by its heading, and how the choice is sent from it. */
const pages: Readonly<Record<string, () => Promise<{ page: ReturnType<typeof browser>; shown: Shown }>>> = {
  "Sign in to": () => opened(plain),
  "Set up one-time codes": () => entered(strict),
  async "Enter your code"() {
    const { page, person, shown } = await entered(strict);
    await page.submit({ code: codeAt(secretIn(shown)) });
    await page.submit({});
    const next = browser();
    await next.open(requestOf(strict, { state: "s-1" }));
    return { page: next, shown: await enter(next, person) };
  },
  "Create a passkey": () => entered(keys),
  "Choose a new password": () => entered(plain, { "urn:scim:wso2:schema": { forcePasswordReset: true } }),
};
const atConsent = { "Give access": () => entered(asking), "No access": () => entered(closed) };

describe.each(Object.entries(pages))("%s", (heading, lead) => {
  test("cancel leads back to the application with access_denied, and starts no session", async () => {
    const { page, shown } = await lead();
    expect([shown.title, shown.html]).toEqual([
      expect.stringContaining(heading),
      expect.stringContaining('name="choice" value="cancel"'),
    ]);
    const form = page.fields();
    const cancelled = await page.submit({ choice: "cancel" });
    expect(cancelled.location?.href.startsWith(CALLBACK)).toBe(true);
    const { error, error_description, state, iss, ...rest } = answerOf(cancelled);
    expect([error, error_description, state, Object.keys(rest)]).toEqual([
      ...["access_denied", "The user cancelled the sign-in.", "s-1"],
      [],
    ]);
    expect(iss).toMatch(/\/oauth2\/token$/);
    expect(page.cookies.get("__Host-session") ?? "").toBe("");
    expect(form.request).toBeTruthy();
  });
  test("the form of another browser cancels nothing, nor one that was changed", async () => {
    const { page } = await lead();
    const { request = "" } = page.fields();
    const other = browser();
    await other.open(requestOf(plain));
    expect((await other.submit({ request, choice: "cancel" })).location).toBeUndefined();
    await lead();
    expect((await page.submit({ request: `${request}x`, choice: "cancel" })).status).toBe(400);
  });
  test("nothing is sent to a callback that was removed meanwhile", async () => {
    const { page } = await lead();
    const ofPage =
      heading.startsWith("Set up") || heading.startsWith("Enter")
        ? strict
        : heading.startsWith("Create")
          ? keys
          : plain;
    const path = `${APPLICATIONS}/${ofPage.applicationId}/inbound-protocols/oidc`;
    const { body } = await api.ask("GET", path);
    await api.ask("PUT", path, { body: { ...body, callbackURLs: ["https://other.example.com/back"] } });
    const cancelled = await page.submit({ choice: "cancel" });
    await api.ask("PUT", path, { body });
    expect([cancelled.status, cancelled.location]).toEqual([400, undefined]);
  });
});

const { "Sign in to": _, ...proven } = pages;
describe.each(Object.entries({ ...proven, ...atConsent }))("%s", (heading, lead) => {
  test("another account: asks for a name and a password", async () => {
    const { page, shown } = await lead();
    expect(shown.html).toMatch(/name="(choice|answer)" value="other"/);
    const asked = await page.submit(heading in atConsent ? { answer: "other" } : { choice: "other" });
    expect([asked.status, asked.title]).toEqual([200, expect.stringContaining("Sign in to")]);
    expect(page.fields().username).toBe("");
    const person = await newPerson();
    const after = await enter(page, person);
    expect(after.html).not.toContain("leaver-0");
  });
});

test("a page that was left by cancel leads to no session", async () => {
  const { page, shown } = await entered(plain, { "urn:scim:wso2:schema": { forcePasswordReset: true } });
  const { request = "" } = page.fields();
  expect(shown.title).toContain("Choose a new password");
  expect(answerOf(await page.submit({ choice: "cancel" })).error).toBe("access_denied");
  const again = await page.open(requestOf(plain, { prompt: "none" }));
  expect(answerOf(again).error).toBe("login_required");
  const reopened = await opened(plain);
  expect(reopened.shown.title).toContain("Sign in to");
  await page.open(requestOf(plain));
  // The form of before, sent to its own address.
  const late = await page.post("/oauth2/new-password", {
    request,
    password: "a-late-Password-9",
    repeated: "a-late-Password-9",
  });
  expect([late.location, page.cookies.get("__Host-session") ?? ""]).toEqual([undefined, ""]);
});

describe("the page of an error", () => {
  const german = { "accept-language": "de" };
  const cases: Readonly<Record<string, readonly [() => Promise<Shown>, RegExp, boolean]>> = {
    "an unknown application": [
      () => browser().open("/oauth2/authorize?client_id=none", german),
      /^Die Anwendung hat Sie mit einer Anfrage hierher geschickt/,
      true,
    ],
    "a callback that is not registered": [
      () => browser().open(requestOf(plain, { redirect_uri: "https://evil.example/back" }), german),
      /^Die Anwendung hat Sie mit einer Anfrage hierher geschickt/,
      true,
    ],
    "a form of another browser": [
      async () => {
        const { page } = await opened(plain);
        const { request = "" } = page.fields();
        return browser().post("/oauth2/sign-in", { request, username: "a", password: "b" }, german);
      },
      /^Die Seite war zu lange offen oder wurde in einem anderen Browser geöffnet/,
      false,
    ],
  };
  test.each(Object.entries(cases))(
    "%s: says what to do, without words for developers",
    async (_, [lead, said, hasDetail]) => {
      const shown = await lead();
      expect([shown.status, shown.title, shown.said]).toEqual([400, "Das geht so nicht", expect.stringMatching(said)]);
      const [, folded = ""] = /<details>([\s\S]*?)<\/details>/.exec(shown.html) ?? [];
      expect(folded.includes('id="detail"')).toBe(hasDetail);
      const open = shown.html.replace(/<details>[\s\S]*?<\/details>/, "");
      expect(open).not.toMatch(/client_id|redirect_uri|parameter|_uri/);
    },
  );
});

describe("another language", () => {
  const headings: Readonly<Record<string, string>> = {
    "Sign in to": "Bei ",
    "Set up one-time codes": "Einmalcodes einrichten",
    "Enter your code": "Code eingeben",
    "Create a passkey": "Passkey erstellen",
    "Choose a new password": "Ein neues Passwort wählen",
    "Give access": "bittet um Zugriff",
    "No access": "Kein Zugang",
  };
  test.each(Object.entries({ ...pages, ...atConsent }))(
    "%s: is shown again in it, and goes on",
    async (heading, lead) => {
      const { page, shown } = await lead();
      expect(shown.html).toContain('name="language" value="de" lang="de">Deutsch<');
      const secret = secretIn(shown);
      const { page: _, ...fields } = { page, ...page.fields() };
      const german = await page.submit({ language: "de", password: "", username: "" });
      expect([german.status, german.said, german.title]).toEqual([
        200,
        heading === "No access" ? expect.stringContaining("angemeldet") : undefined,
        expect.stringContaining(headings[heading] ?? "none"),
      ]);
      expect(german.html).toContain('<html lang="de">');
      expect(german.html).toContain('value="en" lang="en">English<');
      expect(secretIn(german)).toBe(secret);
      expect(fields).toBeTruthy();
      // Later pages of this browser have it, whatever the browser prefers and the client says.
      const later = await page.open(requestOf(plain, { prompt: "login", ui_locales: "en" }));
      expect(later.title).toContain("Bei ");
      const english = await page.submit({ language: "en" });
      expect(english.title).toContain("Sign in to");
    },
  );
  test("a language that there is not, and a form of another browser", async () => {
    const { page } = await opened(plain);
    expect((await page.submit({ language: "fr" })).status).toBe(400);
    const { page: again } = await opened(plain);
    const { request = "" } = again.fields();
    expect((await browser().post("/oauth2/sign-in", { request, language: "de" })).status).toBe(400);
  });
  test("a cookie with an unknown value is ignored", async () => {
    const page = browser();
    page.cookies.set("__Host-language", '"><script>');
    const shown = await page.open(requestOf(plain));
    expect([shown.status, shown.title, shown.html.includes("<script>")]).toEqual([
      200,
      expect.stringContaining("Sign in to"),
      false,
    ]);
  });
});
