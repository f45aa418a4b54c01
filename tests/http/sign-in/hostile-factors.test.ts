/** Hostile requests to the pages after the password: nobody gets past the second factor without it. */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import { secretIn, setUp, TWO_STEPS, wrongCode } from "#tests/support/codes.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { PERSON, signInOf, withoutOwnScript } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";
import { codeAt, STEP_MS } from "#tools/examples/authenticator.ts";

const MARKED = '"><script>alert(1)</script>\u202Egro.live';
const LOGO = "https://assets.example.com/a/logo.svg?v=1";
const brand = [
  "[[sign_in.tenant]]",
  'domain = "carbon.super"',
  `name = ${JSON.stringify(MARKED)}`,
  `logo = "${LOGO}"`,
  'colour = "#7a1f5c"',
].join("\n");
const api = world({ deployment: brand });
const { newApplication, requestOf, enter, answerOf, browser } = signInOf(api);
const SYSTEM = "urn:scim:wso2:schema";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
let strict: TestClient;
let plain: TestClient;
let count = 0;

beforeAll(async () => {
  strict = await newApplication({}, { ...TWO_STEPS, advancedConfigurations: { skipLoginConsent: false } });
  plain = await newApplication();
});
afterEach(() => vi.useRealTimers());

const change = (id: string, value: object) =>
  api.ask("PATCH", `/scim2/Users/${id}`, {
    body: { schemas: [PATCH_OP], Operations: [{ op: "replace", value }] },
  });
const newPerson = async (attributes: object = {}, name?: string) => {
  count += 1;
  const userName = name ?? `person-${count}`;
  const { status, body, text } = await api.ask("POST", "/scim2/Users", {
    body: { userName, password: PERSON.password, ...attributes },
  });
  if (status !== 201) throw new Error(text);
  return { username: userName, password: PERSON.password, id: body.id as string };
};
const atPage = async (person: { username: string; password: string }, client = strict) => {
  const page = browser();
  await page.open(requestOf(client));
  return { page, shown: await enter(page, person) };
};
const nextStep = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STEP_MS });
const enrolled = async () => {
  const person = await newPerson();
  const { page, shown } = await atPage(person);
  const { secret } = await setUp(page, shown);
  nextStep();
  return { person, secret, page };
};

/** Sends a form to a path with the cookies of a browser. */
const send = (from: Browser, path: string, fields: Readonly<Record<string, string>>, headers: object = {}) =>
  api.ask("POST", path, {
    as: null,
    raw: new URLSearchParams(fields).toString(),
    headers: {
      cookie: [...from.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      "content-type": "application/x-www-form-urlencoded",
      ...headers,
    },
  });

/** A form of each stage, of one browser and one user, with what each would need to be accepted. */
const formsOfAll = async () => {
  const person = await newPerson();
  const page = browser();
  const forms: Record<string, string> = {};
  const note = (path: string) => {
    forms[path] = page.fields().request ?? "";
  };
  await page.open(requestOf(strict));
  note("/oauth2/sign-in");
  const setup = await enter(page, person);
  note("/oauth2/code-setup");
  const secret = secretIn(setup);
  await page.submit({ code: codeAt(secret) });
  note("/oauth2/codes-saved");
  await page.submit({});
  note("/oauth2/consent");
  await page.open("/oidc/logout");
  note("/oauth2/sign-out");
  await page.open(requestOf(strict, { prompt: "login" }));
  await enter(page, person);
  note("/oauth2/code");
  await change(person.id, { [SYSTEM]: { forcePasswordReset: true } });
  nextStep();
  await page.submit({ code: codeAt(secret) });
  note("/oauth2/new-password");
  return { forms, page, person, secret };
};

const all = {
  ...{ username: "kim", password: "x-Password-1", repeated: "x-Password-1" },
  code: "123456",
  answer: "allow",
};

describe("a form", () => {
  test("of one stage does not count as one of another, whatever is in it", async () => {
    const { forms, page } = await formsOfAll();
    expect(Object.values(forms).every((text) => text.startsWith("s1."))).toBe(true);
    for (const path of Object.keys(forms)) {
      for (const [from, request] of Object.entries(forms)) {
        if (from === path) continue;
        const answer = await send(page, path, { ...all, request });
        expect([from, path, answer.status, answer.headers.get("location")]).toEqual([from, path, 400, null]);
        expect(answer.headers.getSetCookie()).toEqual([]);
      }
    }
  });
  test("of another browser, another site or another tenant does not count, nor one that was changed", async () => {
    const { forms, page } = await formsOfAll();
    const other = browser();
    await other.open(requestOf(plain));
    for (const [path, request] of Object.entries(forms)) {
      const refused = [
        await send(other, path, { ...all, request }),
        await send(browser(), path, { ...all, request }),
        await send(page, path, { ...all, request }, { "sec-fetch-site": "cross-site" }),
        await send(page, path, { ...all, request }, { "sec-fetch-site": "same-site" }),
        await send(page, `/t/acme.com${path}`, { ...all, request }),
        await send(page, path, { ...all, request: `${request.slice(0, -2)}xx` }),
        await send(page, path, { ...all, request: "" }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400, 400]);
    }
  });
  test("of somebody who has proven something counts for ten minutes", async () => {
    const { person, secret } = await enrolled();
    const { page } = await atPage(person);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
    const late = await page.submit({ code: codeAt(secret) });
    expect([late.status, late.alert]).toEqual([400, expect.stringContaining("open for too long")]);
  });
  test("does not outlast a new password, a deactivation or the deletion of its user", async () => {
    for (const end of [
      (id: string) => change(id, { password: "another-Password-9" }),
      (id: string) => change(id, { active: false }),
      (id: string) => change(id, { [SYSTEM]: { accountLocked: true } }),
      (id: string) => api.ask("DELETE", `/scim2/Users/${id}`),
    ]) {
      const { person, secret } = await enrolled();
      const { page } = await atPage(person);
      expect((await end(person.id)).status).toBeLessThan(300);
      const shown = await page.submit({ code: codeAt(secret) });
      expect(shown.title).toContain("Sign in to");
      expect(page.cookies.has("__Host-session")).toBe(false);
    }
  });
  test("for a step up counts for the session that was asked", async () => {
    const { person, secret } = await enrolled();
    const { page } = await atPage(person, plain);
    await page.open(requestOf(strict));
    const { request = "" } = page.fields();
    await page.open(requestOf(plain, { prompt: "login" }));
    await enter(page, await newPerson());
    const answer = await send(page, "/oauth2/code", { request, code: codeAt(secret) });
    expect([answer.status, answer.text.includes('name="password"')]).toEqual([200, true]);
    page.cookies.delete("__Host-session");
    expect((await send(page, "/oauth2/code", { request, code: codeAt(secret) })).text).toContain('name="password"');
  });
});

describe("goOnWithCodes", () => {
  test("proves nothing once the codes are taken away", async () => {
    const person = await newPerson();
    const { page, shown } = await atPage(person);
    await page.submit({ code: codeAt(secretIn(shown)) });
    const { request = "" } = page.fields();
    await change(person.id, { [SYSTEM]: { totpEnabled: "false" } });
    expect((await send(page, "/oauth2/codes-saved", { request })).text).toContain('name="password"');
  });
});

describe("a session", () => {
  test("does not begin before everything is proven", async () => {
    const { person, secret } = await enrolled();
    const { page } = await atPage(person);
    expect([...page.cookies.keys()]).toEqual(["__Host-sign-in"]);
    expect((await page.open(requestOf(plain))).title).toContain("Sign in to");
    await page.open(requestOf(strict));
    await enter(page, person);
    await page.submit({ code: wrongCode(secret) });
    expect([...page.cookies.keys()]).toEqual(["__Host-sign-in"]);
    await page.submit({ code: codeAt(secret) });
    expect(page.cookies.has("__Host-session")).toBe(true);
  });
});

describe("setting up", () => {
  test("a stolen password cannot replace codes that are there", async () => {
    const person = await newPerson();
    const thief = await atPage(person);
    const owner = await atPage(person);
    const { secret } = await setUp(owner.page, owner.shown);
    const shown = await thief.page.submit({ code: codeAt(secretIn(thief.shown)) });
    expect([shown.title, thief.page.cookies.has("__Host-session")]).toEqual(["Enter your code", false]);
    nextStep();
    expect((await thief.page.submit({ code: codeAt(secretIn(thief.shown)) })).status).toBe(400);
    expect((await thief.page.submit({ code: wrongCode(secret), choice: "replace" })).title).toBe("Enter your code");
    expect((await thief.page.submit({ code: "", choice: "replace" })).title).toBe("Enter your code");
    const again = await atPage(person);
    expect((await again.page.submit({ code: codeAt(secret) })).title).toContain("asks for access to");
  });
  test("of two at once, one counts", async () => {
    const person = await newPerson();
    const pages = [await atPage(person), await atPage(person)];
    const answers = await Promise.all(pages.map(({ page, shown }) => page.submit({ code: codeAt(secretIn(shown)) })));
    expect(answers.map(({ title }) => title).sort()).toEqual(["Enter your code", "Save your recovery codes"]);
  });
  test("a form for another app does not count once another one was set up", async () => {
    const { person, secret } = await enrolled();
    const first = await atPage(person);
    const setup = await first.page.submit({ code: codeAt(secret), choice: "replace" });
    nextStep();
    const second = await atPage(person);
    const { secret: latest } = await setUp(
      second.page,
      await second.page.submit({ code: codeAt(secret), choice: "replace" }),
    );
    expect((await first.page.submit({ code: codeAt(secretIn(setup)) })).title).toBe("Enter your code");
    nextStep();
    expect((await first.page.submit({ code: codeAt(latest) })).title).toContain("asks for access to");
  });
});

describe("guesses", () => {
  test("are counted for the user, from every browser; then the right code does not help, and is not told apart", async () => {
    const { person, secret } = await enrolled();
    const alerts: (string | undefined)[] = [];
    const warned: string[] = [];
    const warn = vi.spyOn(console, "warn").mockImplementation((text) => void warned.push(String(text)));
    try {
      for (let at = 0; at < 19; at += 1) {
        const { page } = await atPage(person);
        const sent: Record<string, string> = at % 2 ? { recovery: "aaaa-bbbb-cccc-dddd" } : { code: wrongCode(secret) };
        alerts.push((await page.submit(sent)).alert);
      }
      const { page } = await atPage(person);
      alerts.push(
        (await page.submit({ code: codeAt(secret) })).alert,
        (await page.submit({ code: wrongCode(secret) })).alert,
      );
    } finally {
      warn.mockRestore();
    }
    expect(new Set(alerts.slice(0, 19)).size).toBe(1);
    expect(alerts[0]).toContain("The code is wrong");
    expect(alerts[19]).toContain("Too many wrong codes");
    expect(alerts[20]).toBe(alerts[19]);
    const reasons = [...warned.join("\n").matchAll(/"reason":\s*"([^"]+)"/g)].map(([, reason]) => reason);
    expect(reasons).toEqual([
      ...Array.from({ length: 19 }, () => "one-time code"),
      ...["one-time codes locked", "one-time codes locked"],
    ]);
    expect(warned.join("\n")).not.toContain(codeAt(secret));
    // An administrator helps.
    await change(person.id, { [SYSTEM]: { totpEnabled: "false" } });
    const { page, shown } = await atPage(person);
    expect((await setUp(page, shown)).done.title).toContain("asks for access to");
  });
  test("at once are no more than one after the other", async () => {
    const { person, secret } = await enrolled();
    const { page } = await atPage(person);
    const { request = "" } = page.fields();
    const codes = Array.from({ length: 40 }, () => wrongCode(secret));
    const answers = await Promise.all(codes.map((code) => send(page, "/oauth2/code", { request, code })));
    const judged = answers.filter(({ text }) => text.includes("The code is wrong"));
    expect(judged.length).toBeLessThan(20);
    expect(answers.filter(({ text }) => text.includes("Too many wrong codes"))).toHaveLength(40 - judged.length);
  });
  test("right codes are not counted", async () => {
    const { person, secret } = await enrolled();
    for (let at = 0; at < 22; at += 1) {
      nextStep();
      const { page } = await atPage(person);
      expect((await page.submit({ code: codeAt(secret) })).title).toContain("asks for access to");
    }
  });
});

describe("who has no right password", () => {
  test("sees one page, whether the user exists, has codes, must choose a password, or may not sign in", async () => {
    const { person } = await enrolled();
    const others = [
      await newPerson({ [SYSTEM]: { forcePasswordReset: true } }),
      await newPerson({ active: false }),
      await newPerson(),
      { username: "nobody-here", password: "" },
      person,
    ];
    const pages = new Set<string>();
    for (const { username } of others) {
      const { page, shown } = await atPage({ username, password: "wrong-Password-1" });
      const request = page.fields().request ?? "";
      pages.add(shown.html.replaceAll(request, "").replace(username, ""));
      expect(shown.status).toBe(400);
    }
    expect(pages.size).toBe(1);
  });
  test("costs the same round trips", async () => {
    const { person } = await enrolled();
    const costs = new Set<number>();
    for (const username of [person.username, "nobody-here", (await newPerson()).username]) {
      for (const _ of [1, 2, 3]) {
        const page = browser();
        await page.open(requestOf(strict));
        const lines = await listening(() => enter(page, { username, password: "wrong-Password-1" }));
        const [line] = lines.filter((each: LogLine) => each.service === "sign-in" && each.RoundTrips !== undefined);
        costs.add(Number(line?.RoundTrips));
      }
    }
    expect(costs.size).toBe(1);
  });
});

describe("text of others", () => {
  test("is text on every page: of the user, the application and the tenant", async () => {
    const person = await newPerson({}, "o'neil&lt;i>x\"=");
    await change(person.id, { [SYSTEM]: { forcePasswordReset: true } });
    const page = browser();
    const shown = [await page.open(requestOf(strict)), await enter(page, person)];
    const secret = secretIn(shown[1] ?? ({ html: "" } as never));
    shown.push(
      await page.submit({ code: "000000" }),
      await page.submit({ code: codeAt(secret) }),
      await page.submit({}),
    );
    expect(shown.map(({ title }) => title)).toEqual([
      expect.stringContaining("Sign in to"),
      ...["Set up one-time codes", "Set up one-time codes", "Save your recovery codes", "Choose a new password"],
    ]);
    nextStep();
    const again = await atPage(person);
    shown.push(again.shown, await again.page.submit({ code: "<b>1</b>", recovery: "<b>2</b>" }));
    shown.push(await page.submit({ password: "another-Password-9", repeated: "another-Password-9" }));
    shown.push(await page.open("/oidc/logout"));
    for (const { html, headers } of shown) {
      expect(withoutOwnScript(html)).not.toMatch(/<script|<i>|<b>|\u202E|\son\w+=/);
      expect(headers.get("content-security-policy")).not.toMatch(/unsafe|script-src (?!'self';)/);
      // No browser or cache stores a page with a secret, a form or recovery codes.
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.getSetCookie().every((set) => set.startsWith("__Host-"))).toBe(true);
    }
    expect(shown[1]?.html).toContain("You are signing in as o&#39;neil&amp;lt;i&gt;x&quot;=.");
  });
  test("the brand of a tenant: its logo from its address alone, its colour in a style that the policy names", async () => {
    const { html, headers } = await browser().open(requestOf(strict));
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("; img-src https://assets.example.com/a/logo.svg; form-action 'self'");
    expect(policy).toMatch(/style-src 'sha256-[\w+/=]+' 'sha256-[\w+/=]+';/);
    expect(html).toContain(`<img src="${LOGO}" alt="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;gro.live">`);
    expect(html).toContain("--accent: #7a1f5c;");
  });
  test("another tenant has no brand", async () => {
    const owner = { username: "kim", password: PERSON.password, email: "k@a.example", firstname: "K", lastname: "A" };
    await api.ask("POST", "/api/server/v1/tenants", {
      body: { domain: "acme.example", owners: [{ ...owner, provisioningMethod: "inline-password" }] },
    });
    const as = `Basic ${Buffer.from(`kim@acme.example:${PERSON.password}`).toString("base64")}`;
    const oidc = { grantTypes: ["authorization_code"], callbackURLs: ["https://acme.example/back"] };
    const made = await api.ask("POST", "/t/acme.example/api/server/v1/applications", {
      as,
      body: { name: "Cars", inboundProtocolConfiguration: { oidc } },
    });
    const path = new URL(made.headers.get("location") ?? "").pathname;
    const { clientId } = (await api.ask("GET", `${path}/inbound-protocols/oidc`, { as })).body;
    const client = { ...strict, clientId };
    const shown = await browser().open(
      `/t/acme.example${requestOf(client, { redirect_uri: "https://acme.example/back" })}`,
    );
    expect(shown.title).toBe("Sign in to Cars");
    expect(shown.html).not.toContain("<header>");
    expect(shown.headers.get("content-security-policy")).not.toContain("img-src");
  });
});

test("the code goes to the application alone", async () => {
  const { person, secret } = await enrolled();
  const client = await newApplication({}, TWO_STEPS);
  const { page } = await atPage(person, client);
  expect(answerOf(await page.submit({ code: codeAt(secret) })).code).toMatch(/^ac_/);
});
