/**
 * One password tried with many names: each source has a few names of a tenant in a quarter of an hour, at all doors
 * together; no account is locked by it, and who has signed in from the source goes on.
 */
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "#core/kernel/clock.ts";
import { WINDOW_MS } from "#core/sign-in/authentication/source-names-store.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { signInOf } from "#tests/support/sign-in.ts";
import { sendFrom } from "#tests/support/sources.ts";
import { APPLICATIONS, basic, world } from "#tests/support/world.ts";

// Hundreds of passwords are hashed, and machines differ.
vi.setConfig({ testTimeout: 180_000 });

/** As documented: different names of one tenant, and of all tenants. */
const [NAMES_MAX, ALL_NAMES_MAX] = [30, 300];
const SPRAYED = "Winter-in-Oslo-26";
const RIGHT = "a-right-Password-1";
const OTHER_SOURCE = "127.0.0.7";

interface Guess {
  readonly username: string;
  readonly password: string;
}
interface Said {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

const api = world();
const { newClient, post } = oauthOf(api);
const { newApplication, requestOf, browser } = signInOf(api);
let client: TestClient;
let application: TestClient;
let made = 0;

const said = ({ status, text, headers }: { status: number; text: string; headers: Headers }): Said => ({
  status,
  // Each form is sealed again, and show the name that was entered.
  text: text.replace(/,?"traceId":"[^"]+"/, "").replace(/ value="[^"]*"/g, ""),
  retryAfter: headers.get("retry-after"),
});
const askAt = (path: string) => async (guess: Guess) => said(await api.ask("GET", path, { as: basic(guess) }));
const introspect = async (guess: Guess) => said(await post("/oauth2/introspect", { token: "x" }, basic(guess)));
const grant = async (guess: Guess) => said(await post(TOKEN, { grant_type: "password", ...guess }, client));
const page = async (guess: Guess) => {
  const shown = browser();
  await shown.open(requestOf(application));
  const { html, ...answer } = await shown.submit({ ...guess });
  return answer.location ? { status: 302, text: "", retryAfter: null } : said({ ...answer, text: html });
};

/** Every door that takes a password, and the status of a wrong one. */
const doors: Readonly<Record<string, { readonly send: (guess: Guess) => Promise<Said>; readonly wrong: number }>> = {
  "Basic, management": { send: askAt(APPLICATIONS), wrong: 401 },
  "Basic, SCIM 1.1": { send: askAt("/svc/scim/Users"), wrong: 401 },
  "Basic, SCIM 2.0": { send: askAt("/scim2/Me"), wrong: 401 },
  "Basic, introspection": { send: introspect, wrong: 401 },
  "the password grant": { send: grant, wrong: 400 },
  "the sign-in page": { send: page, wrong: 400 },
};
const sends = Object.values(doors).map(({ send }) => send);

const newUser = async (password = RIGHT): Promise<string> => {
  made += 1;
  const username = `sprayed-${made}`;
  await addUser(api.service, { username, password, scopes: ["internal_application_mgt_view"] });
  return username;
};
const unknown = () => {
  made += 1;
  return `unknown-${made}`;
};
/** Uses up the names of this source. */
const spray = async (count = NAMES_MAX, nameOf: () => string = unknown) => {
  const statuses = [];
  for (let at = 0; at < count; at += 1) {
    statuses.push((await askAt(APPLICATIONS)({ username: nameOf(), password: SPRAYED })).status);
  }
  return statuses;
};
const isIn = ({ status }: Said) => status === 200 || status === 302;

beforeAll(async () => {
  client = await newClient();
  application = await newApplication();
});
let windows = 0;
beforeEach(() => {
  // Each test begins with a window of its own.
  windows += 1;
  const shiftMs = WINDOW_MS * windows - (Date.now() % WINDOW_MS);
  vi.spyOn(systemClock, "now").mockImplementation(() => Date.now() + shiftMs);
});

describe.each(Object.entries(doors))("%s", (door, { send, wrong }) => {
  test("many names with one password: those after the first thirty are not tried; no account is locked", async () => {
    const names = await Promise.all(Array.from({ length: 6 }, () => newUser()));
    const careless = await newUser(SPRAYED);
    // The fortieth has the password.
    const all = Array.from({ length: door === "Basic, management" ? 480 : 60 }, (_, at) =>
      at === 39 ? careless : (names[at] ?? unknown()),
    );
    const answers: Said[] = [];
    for (const username of all) answers.push(await send({ username, password: SPRAYED }));
    const [tried, rest] = [answers.slice(0, NAMES_MAX), answers.slice(NAMES_MAX)];
    expect(new Set(tried.map(({ status }) => status))).toEqual(new Set([wrong]));
    expect(new Set(rest.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(new Set(["429 900"]));
    expect(new Set(rest.map(({ text }) => text)).size).toBe(1);
    for (const username of names) {
      const authorization = basic({ username, password: RIGHT });
      expect((await sendFrom(OTHER_SOURCE, `${api.url}${APPLICATIONS}`, { authorization })).status).toBe(200);
    }
  });
});

test("names count together at every door, and every door stops then", async () => {
  for (let at = 0; at < NAMES_MAX; at += 1) {
    const answer = await sends[at % sends.length]?.({ username: unknown(), password: SPRAYED });
    expect([400, 401]).toContain(answer?.status);
  }
  const guess = { username: unknown(), password: SPRAYED };
  for (const send of sends) expect((await send(guess)).status).toBe(429);
});

test("each dialect says in one sentence what to do", async () => {
  await spray();
  const told = new Map<string, string>();
  for (const [door, { send }] of Object.entries(doors)) {
    told.set(door, (await send({ username: unknown(), password: SPRAYED })).text);
  }
  for (const text of told.values()) expect(text).toMatch(/Wait (?:15 minutes|a quarter of an hour)/);
  expect(JSON.parse(told.get("the password grant") ?? "")).toMatchObject({ error: "temporarily_unavailable" });
  expect(JSON.parse(told.get("Basic, SCIM 1.1") ?? "")).toMatchObject({ Errors: [{ code: "429" }] });
  expect(JSON.parse(told.get("Basic, management") ?? "")).toMatchObject({ message: "Too Many Requests" });
});

test("who has signed in from the source goes on during a spray, at every door", async () => {
  const username = await newUser();
  expect(isIn(await askAt(APPLICATIONS)({ username, password: RIGHT }))).toBe(true);
  await spray(NAMES_MAX + 5);
  const outcomes = [];
  for (const [door, { send }] of Object.entries(doors)) {
    const { status } = await send({ username, password: RIGHT });
    // This user may read applications, and nothing else.
    outcomes.push([door, status === 429 || status === 401]);
  }
  expect(outcomes).toEqual(Object.keys(doors).map((door) => [door, false]));
});

test("after a quarter of an hour, those who were tried sign in from the same source", async () => {
  const username = await newUser();
  await spray(NAMES_MAX);
  const send = askAt(APPLICATIONS);
  expect((await send({ username, password: RIGHT })).status).toBe(429);
  const now = systemClock.now();
  vi.spyOn(systemClock, "now").mockImplementation(() => now + WINDOW_MS);
  windows += 1;
  expect((await send({ username, password: RIGHT })).status).toBe(200);
});

test.each(Object.keys(doors))("%s: shows nothing of names once the source is stopped", async (door) => {
  const send = doors[door]?.send ?? grant;
  const [known, fresh, locked] = [await newUser(), await newUser(), await newUser()];
  await askAt(APPLICATIONS)({ username: known, password: RIGHT });
  for (let at = 0; at < 11; at += 1) await askAt(APPLICATIONS)({ username: locked, password: "wrong" });
  await spray(NAMES_MAX - 1);
  const answers = [];
  for (const guess of [
    { username: unknown(), password: RIGHT },
    { username: fresh, password: "wrong" },
    { username: fresh, password: RIGHT },
    { username: known, password: "wrong" },
    { username: locked, password: RIGHT },
    { username: `NOPE/${fresh}`, password: RIGHT },
  ]) {
    answers.push(await send(guess));
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.status).toBe(429);
});

test("a tenant that does not exist is stopped as one that does", async () => {
  const { status } = await api.ask("POST", "/api/server/v1/tenants", {
    body: {
      domain: "sprayed.example",
      owners: [
        {
          ...{ username: "owner", password: RIGHT, email: "owner@sprayed.example", firstname: "O", lastname: "W" },
          provisioningMethod: "inline-password",
        },
      ],
    },
  });
  expect(status).toBe(201);
  const here = await spray(NAMES_MAX + 2, () => `${unknown()}@sprayed.example`);
  expect(await spray(NAMES_MAX + 2, () => `${unknown()}@nowhere.example`)).toEqual(here);
  expect(here).toEqual([...Array.from({ length: NAMES_MAX }, () => 401), 429, 429]);
  // Another tenant has names of its own.
  expect((await askAt(APPLICATIONS)({ username: "owner@sprayed.example", password: "x" })).status).toBe(429);
  expect((await askAt(APPLICATIONS)({ username: await newUser(), password: RIGHT })).status).toBe(200);
});

test("a source has a number of names over all tenants, and one row", async () => {
  const tenants = Array.from({ length: ALL_NAMES_MAX / 25 }, (_, at) => `t${at}.example`);
  for (const tenant of tenants) expect(await spray(25, () => `${unknown()}@${tenant}`)).not.toContain(429);
  expect((await askAt(APPLICATIONS)({ username: await newUser(), password: RIGHT })).status).toBe(429);
});

test("a name counts once, and not when its user signs in after all", async () => {
  const one = await newUser();
  for (let at = 0; at < NAMES_MAX + 5; at += 1) await askAt(APPLICATIONS)({ username: one, password: "wrong" });
  for (let at = 0; at < NAMES_MAX + 5; at += 1) {
    const username = await newUser();
    const send = sends[at % sends.length] ?? grant;
    expect([400, 401]).toContain((await send({ username, password: "mistyped" })).status);
    expect((await send({ username, password: RIGHT })).status).not.toBe(429);
  }
  expect(isIn(await askAt(APPLICATIONS)({ username: await newUser(), password: RIGHT }))).toBe(true);
});
