/** Hostile answers to the pages of passkeys: nobody gets past them without a passkey of the user, used here and now. */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import type { Browser } from "#tests/support/browsing.ts";
import { secretIn, setUp, TWO_STEPS } from "#tests/support/codes.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { create, EITHER_STEP, PASSKEY_STEP, use } from "#tests/support/passkeys.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";
import { askedIn, codeAt, type Lies, newAuthenticator, STEP_MS, siteAt } from "#tools/examples/authenticator.ts";

const api = world();
const { newApplication, requestOf, enter, browser } = signInOf(api);
const SYSTEM = "urn:scim:wso2:schema";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const WRONG = "This passkey does not count for your account.";
let strict: TestClient;
let plain: TestClient;
let either: TestClient;
let count = 0;

beforeAll(async () => {
  strict = await newApplication({}, PASSKEY_STEP);
  either = await newApplication({}, EITHER_STEP);
  plain = await newApplication();
});
afterEach(() => vi.useRealTimers());

const change = (id: string, value: object) =>
  api.ask("PATCH", `/scim2/Users/${id}`, { body: { schemas: [PATCH_OP], Operations: [{ op: "replace", value }] } });
const newPerson = async (attributes: object = {}) => {
  count += 1;
  const userName = `person-${count}`;
  const { status, body, text } = await api.ask("POST", "/scim2/Users", {
    body: { userName, password: PERSON.password, ...attributes },
  });
  if (status !== 201) throw new Error(text);
  return { username: userName, password: PERSON.password, id: body.id as string };
};
type Person = Awaited<ReturnType<typeof newPerson>>;

const atPage = async (person: { username: string; password: string }, client = strict) => {
  const page = browser();
  await page.open(requestOf(client));
  return { page, shown: await enter(page, person) };
};
const enrolled = async ({ counts = false, client = strict } = {}) => {
  const person = await newPerson();
  const key = newAuthenticator(api.url, { counts });
  const { page, shown } = await atPage(person, client);
  const done = await create(page, shown, key);
  if (done.status !== 303) throw new Error(done.html);
  return { person, key, page };
};
type Enrolled = Awaited<ReturnType<typeof enrolled>>;

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

/** What the log says about refused sign-ins. */
const warnings = async (work: () => Promise<unknown>): Promise<readonly (string | undefined)[]> => {
  const warned: string[] = [];
  const warn = vi.spyOn(console, "warn").mockImplementation((text) => void warned.push(String(text)));
  try {
    await work();
  } finally {
    warn.mockRestore();
  }
  return [...warned.join("\n").matchAll(/"reason":\s*"([^"]+)"/g)].map(([, reason]) => reason);
};

/** What the row of a user says. */
const rowOf = async ({ id }: Person) => (await tableOf(api.service).get(keys.passkeys(TENANT, id))) as unknown;

const isIn = (page: Browser) => page.cookies.has("__Host-session");

/** The last bit of a signature is turned. */
const flipped = (signature: Buffer) =>
  Buffer.from(signature.map((byte, at) => (at === signature.length - 1 ? byte ^ 1 : byte)));

describe("usePasskey", () => {
  const lies: readonly (readonly [string, Lies | ((of: Enrolled) => Lies)])[] = [
    ["of a foreign origin", { origin: "https://evil.example" }],
    ["of another port", () => ({ origin: `${siteAt(api.url)}0` })],
    ["of the origin without its name", () => ({ origin: api.url })],
    ["of TLS where there is none", () => ({ origin: siteAt(api.url).replace("http:", "https:") })],
    ["of a name below that of the service", () => ({ origin: siteAt(api.url).replace("localhost", "a.localhost") })],
    ["for another relying party", { rpId: "evil.example" }],
    ["for the address as relying party", { rpId: "127.0.0.1" }],
    ["of a frame in another site", { crossOrigin: true }],
    ["of a page below another one", { topOrigin: "https://evil.example" }],
    ["that creates a passkey", { type: "webauthn.create" }],
    ["to no challenge", { challenge: "" }],
    ["to another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
    ["without its user", { flags: 4 }],
    ["with bits of backup that contradict each other", { flags: 1 | 16 }],
    ["with a handle of another user", { userHandle: Buffer.alloc(32).toString("base64url") }],
    [
      "with the user name as handle",
      ({ person }) => ({ userHandle: Buffer.from(person.username).toString("base64url") }),
    ],
    ["with a signature of another bit", { tamper: flipped }],
    ["with an empty signature", { tamper: () => Buffer.alloc(1) }],
    ["with the raw form of a signature", { tamper: () => Buffer.alloc(64, 1) }],
    ["of a passkey that does not exist", { id: Buffer.alloc(32, 7).toString("base64url") }],
  ];
  test.each(lies)("refuses an answer %s, in the same way, and the passkey counts on", async (_, told) => {
    const known = await enrolled();
    const { page, shown } = await atPage(known.person);
    const refused = await use(page, shown, known.key, typeof told === "function" ? told(known) : told);
    expect([refused.status, refused.alert, isIn(page)]).toEqual([400, expect.stringContaining(WRONG), false]);
    expect((await use(page, refused, known.key)).status).toBe(303);
  });
  test("refuses a passkey of another user, and the own one with the key of another", async () => {
    const [owner, thief] = [await enrolled(), await enrolled()];
    const { page, shown } = await atPage(owner.person);
    const own = await use(page, shown, thief.key);
    expect([own.alert, isIn(page)]).toEqual([expect.stringContaining(WRONG), false]);
    const named = await use(page, own, thief.key, { id: owner.key.id, userHandle: undefined });
    expect([named.alert, isIn(page)]).toEqual([expect.stringContaining(WRONG), false]);
  });
  test("refuses the challenge of another page, browser, application or user", async () => {
    const { person, key } = await enrolled();
    const other = await atPage(person);
    const elsewhere = await atPage(person, either);
    const stranger = await atPage((await enrolled()).person);
    for (const { shown: from } of [other, elsewhere, stranger]) {
      const { page } = await atPage(person);
      const refused = await page.submit({ credential: key.get(askedIn(from)) });
      expect([refused.alert, isIn(page)]).toEqual([expect.stringContaining(WRONG), false]);
    }
  });
  test("an answer counts once: sent again, of a browser that has it all, it is refused", async () => {
    for (const counts of [false, true]) {
      const { person, key } = await enrolled({ counts });
      const { page, shown } = await atPage(person);
      const { request = "" } = page.fields();
      const credential = key.get(askedIn(shown));
      const first = await send(page, "/oauth2/passkey", { request, credential });
      expect([first.status, first.headers.getSetCookie().length]).toEqual([303, 2]);
      const again = await send(page, "/oauth2/passkey", { request, credential });
      expect([again.status, again.headers.getSetCookie()]).toEqual([400, []]);
      expect(again.text).toContain("Another page was faster.");
    }
  });
  test("of many that are sent at once, one counts", async () => {
    const { person, key } = await enrolled();
    const { page, shown } = await atPage(person);
    const { request = "" } = page.fields();
    const credential = key.get(askedIn(shown));
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send(page, "/oauth2/passkey", { request, credential })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(400)]);
  });
  test("a counter that stands still or goes back is refused and logged; the passkey counts on when it grows", async () => {
    const { person, key } = await enrolled({ counts: true });
    const { page, shown } = await atPage(person);
    expect((await use(page, shown, key, { counter: 10 })).status).toBe(303);
    const before = await rowOf(person);
    for (const counter of [10, 9, 1, 0]) {
      const at = await atPage(person);
      let alert: string | undefined;
      const logged = await warnings(async () => {
        alert = (await use(at.page, at.shown, key, { counter })).alert;
      });
      expect([alert, isIn(at.page)]).toEqual([expect.stringContaining(WRONG), false]);
      expect(logged).toEqual(["passkey that may be copied: its counter went back"]);
    }
    expect(await rowOf(person)).toEqual(before);
    const last = await atPage(person);
    expect((await use(last.page, last.shown, key, { counter: 11 })).status).toBe(303);
    // A wrong signature with such a counter says nothing about a copy.
    const wrong = await atPage(person);
    const logged = await warnings(() =>
      use(wrong.page, wrong.shown, key, { counter: 1, tamper: () => Buffer.alloc(64, 1) }),
    );
    expect(logged).toEqual(["passkey"]);
  });
  test("attempts are counted for the user, from every browser; then the right passkey does not help", async () => {
    const { person, key } = await enrolled();
    const wrong = newAuthenticator(api.url);
    const alerts: (string | undefined)[] = [];
    const logged = await warnings(async () => {
      for (let at = 0; at < 20; at += 1) {
        const { page, shown } = await atPage(person);
        alerts.push((await use(page, shown, at < 19 ? wrong : key)).alert);
      }
    });
    expect(new Set(alerts.slice(0, 19)).size).toBe(1);
    expect(alerts[19]).toContain("Too many attempts.");
    expect(logged).toEqual([...Array(19).fill("passkey"), "passkeys locked"]);
    // An administrator helps.
    await change(person.id, { [SYSTEM]: { enabledAuthenticators: "none" } });
    const { page, shown } = await atPage(person);
    expect((await create(page, shown, key)).status).toBe(303);
  });
  test("attempts at once are no more than one after the other; right ones are not counted", async () => {
    const { person, key } = await enrolled();
    for (let at = 0; at < 22; at += 1) {
      const { page, shown } = await atPage(person);
      expect((await use(page, shown, key)).status).toBe(303);
    }
    const { page, shown } = await atPage(person);
    const { request = "" } = page.fields();
    const credential = newAuthenticator(api.url).get(askedIn(shown));
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => send(page, "/oauth2/passkey", { request, credential })),
    );
    const judged = answers.filter(({ text }) => text.includes(WRONG));
    expect(judged.length).toBeLessThan(20);
    expect(answers.filter(({ text }) => text.includes("Too many attempts."))).toHaveLength(40 - judged.length);
  });
});

describe("garbage", () => {
  const deep = `${"81".repeat(6_000)}00`;
  const cbor = (hex: string) => Buffer.from(hex, "hex").toString("base64url");
  const answers: readonly (readonly [string, string])[] = [
    ["no JSON", "{"],
    ["null", "null"],
    ["a list", "[]"],
    ["no members", "{}"],
    ["members of other types", JSON.stringify({ id: 1, response: [] })],
    ["a prototype", '{"id":"aa","response":{"__proto__":{"clientDataJSON":"e30"},"constructor":"aa"}}'],
    ["a long text", JSON.stringify({ id: "a", padding: "a".repeat(20_000) })],
    [
      "a long id",
      JSON.stringify({ id: "a".repeat(4_000), response: { clientDataJSON: "e30", attestationObject: "oA" } }),
    ],
  ];
  const objects: readonly (readonly [string, string])[] = [
    ["nothing", ""],
    ["an empty map", "a0"],
    ["a map of 2^64 - 1 members", "bbffffffffffffffff"],
    ["a list of 2^32 - 1 elements", "9affffffff"],
    ["bytes of 2^32 - 1", "5affffffff"],
    ["bytes without an end", "5f41004100"],
    ["lists in lists", deep],
    ["a map with one key twice", "a2616100616100"],
    ["a tag", "c074323031332d30332d32315432303a30343a30305a"],
    ["members of other types", "a363666d74f66761747453746d74f66861757468446174616161"],
    ["authenticator data of 36 bytes", `a1686175746844617461${"5824"}${"00".repeat(36)}`],
    [
      "authenticator data that claims a long id",
      `a1686175746844617461${"5837"}${"00".repeat(32)}41${"00".repeat(20)}ffff`,
    ],
  ];
  const isAnswered = async (path: string, page: Browser, credential: string) => {
    const { request = "" } = page.fields();
    const { status, headers, text } = await send(page, path, { request, credential });
    expect([status, headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
    expect(text).toMatch(/<p role="alert" id="problem">/);
    expect(headers.getSetCookie()).toEqual([]);
  };

  test.each(answers)("in an answer is a page that says so: %s", async (_, credential) => {
    const { person } = await enrolled();
    await isAnswered("/oauth2/passkey", (await atPage(person)).page, credential);
    await isAnswered("/oauth2/passkey-setup", (await atPage(await newPerson())).page, credential);
  });
  test.each(objects)("in the object of an authenticator too: %s", async (_, hex) => {
    const { page, shown } = await atPage(await newPerson());
    const sent = JSON.parse(newAuthenticator(api.url).create(askedIn(shown)));
    const response = { ...sent.response, attestationObject: cbor(hex) };
    await isAnswered("/oauth2/passkey-setup", page, JSON.stringify({ ...sent, response }));
    const known = await enrolled();
    const at = await atPage(known.person);
    const used = JSON.parse(known.key.get(askedIn(at.shown)));
    const changed = { ...used.response, authenticatorData: cbor(hex) || "AA" };
    await isAnswered("/oauth2/passkey", at.page, JSON.stringify({ ...used, response: changed }));
  });
  test("that is larger than a form is refused before it is read", async () => {
    const { page } = await atPage(await newPerson());
    const { request = "" } = page.fields();
    const { status } = await send(page, "/oauth2/passkey-setup", { request, credential: "a".repeat(70_000) });
    expect(status).toBe(413);
  });
});

describe("createPasskey", () => {
  const lies: readonly (readonly [string, Lies | (() => Lies)])[] = [
    ["of a foreign origin", { origin: "https://evil.example" }],
    ["for another relying party", { rpId: "evil.example" }],
    ["of a frame in another site", { crossOrigin: true }],
    ["that uses a passkey", { type: "webauthn.get" }],
    ["to another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
    ["without its user", { flags: 64 }],
    ["without a key", { flags: 1 }],
    [
      "with a key of another algorithm",
      () => ({
        cose: new Map<number, number | Buffer>([
          [1, 2],
          [3, -47],
          [-1, 8],
          [-2, Buffer.alloc(32, 1)],
          [-3, Buffer.alloc(32, 1)],
        ]),
      }),
    ],
    [
      "with a key that is on no curve",
      () => ({
        cose: new Map<number, number | Buffer>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.alloc(32, 1)],
          [-3, Buffer.alloc(32, 2)],
        ]),
      }),
    ],
    [
      "with a curve of another algorithm",
      () => ({
        cose: new Map<number, number | Buffer>([
          [1, 2],
          [3, -7],
          [-1, 2],
          [-2, Buffer.alloc(48, 1)],
          [-3, Buffer.alloc(48, 2)],
        ]),
      }),
    ],
    ...(
      [
        ["a short", 64],
        ["a long", 1_024],
        ["a huge", 8_000],
      ] as const
    ).map(
      ([size, bytes]) =>
        [
          `with ${size} RSA key`,
          {
            cose: new Map<number, number | Buffer>([
              [1, 3],
              [3, -257],
              [-1, Buffer.alloc(bytes, 0xc1)],
              [-2, Buffer.from([1, 0, 1])],
            ]),
          },
        ] as const,
    ),
  ];
  test.each(lies)("refuses an answer %s, and stores nothing", async (_, told) => {
    const person = await newPerson();
    const { page, shown } = await atPage(person);
    const refused = await create(page, shown, newAuthenticator(api.url), typeof told === "function" ? told() : told);
    expect([refused.status, refused.title, isIn(page)]).toEqual([400, "Create a passkey", false]);
    expect(refused.alert).toContain("The passkey could not be saved.");
    expect(await rowOf(person)).toBeUndefined();
  });
  test("reads no attestation: no certificate of a statement is parsed, and no address in it is called", async () => {
    const person = await newPerson();
    const { page, shown } = await atPage(person);
    const statement = new Map<string, number | Buffer | Buffer[]>([
      ["alg", -7],
      ["sig", Buffer.alloc(70, 1)],
      ["x5c", [Buffer.alloc(600, 1)]],
    ]);
    const key = newAuthenticator(api.url);
    expect((await create(page, shown, key, { format: "packed", statement })).status).toBe(303);
    const next = await atPage(person);
    expect((await use(next.page, next.shown, key)).status).toBe(303);
  });
  test("a password alone adds no passkey to one that is there, also at the same moment", async () => {
    const person = await newPerson();
    const [owner, thief] = [await atPage(person), await atPage(person)];
    const own = newAuthenticator(api.url);
    expect((await create(owner.page, owner.shown, own)).status).toBe(303);
    const shown = await create(thief.page, thief.shown, newAuthenticator(api.url));
    expect([shown.title, isIn(thief.page)]).toEqual(["Use your passkey", false]);
    expect(askedIn(shown).allowCredentials?.map(({ id }) => id)).toEqual([own.id]);
    expect((await thief.page.submit({ choice: "add" })).title).toBe("Use your passkey");

    const other = await newPerson();
    const pages = [await atPage(other), await atPage(other), await atPage(other)];
    const created = await Promise.all(
      pages.map(({ page, shown: asked }) => create(page, asked, newAuthenticator(api.url))),
    );
    expect(created.map(({ status }) => status).sort()).toEqual([200, 200, 303]);
    expect(created.filter(({ status }) => status === 200).map(({ title }) => title)).toEqual(
      Array(2).fill("Use your passkey"),
    );
  });
  test("a password alone adds no passkey to codes, and no codes to a passkey, also at the same moment", async () => {
    const person = await newPerson();
    const forCodes = await atPage(person, either);
    const forPasskey = await atPage(person);
    const secret = secretIn(forCodes.shown);
    expect((await create(forPasskey.page, forPasskey.shown, newAuthenticator(api.url))).status).toBe(303);
    const refused = await forCodes.page.submit({ code: codeAt(secret) });
    expect([refused.title, isIn(forCodes.page)]).toEqual(["Use your passkey", false]);

    const other = await newPerson();
    const late = await atPage(other);
    const first = await atPage(other, either);
    await setUp(first.page, first.shown);
    const asked = await create(late.page, late.shown, newAuthenticator(api.url));
    expect([asked.title, isIn(late.page)]).toEqual(["Enter your code", false]);

    for (let at = 0; at < 4; at += 1) {
      const third = await newPerson();
      const [codes, passkey] = [await atPage(third, either), await atPage(third)];
      const titles = await Promise.all([
        codes.page.submit({ code: codeAt(secretIn(codes.shown)) }).then(({ title }) => title),
        create(passkey.page, passkey.shown, newAuthenticator(api.url)).then(({ title }) => title),
      ]);
      expect([
        ["Save your recovery codes", "Enter your code"],
        ["Use your passkey", ""],
      ]).toContainEqual(titles);
    }
  });
  test("an id of another user's passkey neither takes that one over nor hinders it", async () => {
    const owner = await enrolled();
    const thief = await newPerson();
    const own = newAuthenticator(api.url);
    const { page, shown } = await atPage(thief);
    expect((await create(page, shown, own, { id: owner.key.id })).status).toBe(303);
    // The key of the thief does not sign for the owner, and that of the owner not for the thief.
    const first = await atPage(owner.person);
    const refused = await use(first.page, first.shown, own, { id: owner.key.id, userHandle: undefined });
    expect([refused.alert, isIn(first.page)]).toEqual([expect.stringContaining(WRONG), false]);
    expect((await use(first.page, refused, owner.key)).status).toBe(303);
    const second = await atPage(thief);
    expect((await use(second.page, second.shown, owner.key)).alert).toContain(WRONG);
  });
  test("an id that the user has is not stored twice, and a challenge creates one passkey", async () => {
    const { person, key } = await enrolled();
    const { page, shown } = await atPage(person);
    const setup = await use(page, shown, key, {}, { choice: "add" });
    const { request = "" } = page.fields();
    const asked = askedIn(setup);
    const again = await create(page, setup, key);
    expect([again.status, again.alert]).toEqual([400, expect.stringContaining("This passkey is saved already.")]);
    const sent = (credential: string) => send(page, "/oauth2/passkey-setup", { request, credential });
    expect((await sent(newAuthenticator(api.url).create(asked))).status).toBe(303);
    const second = await sent(newAuthenticator(api.url).create(asked));
    expect([second.status, askedIn((await atPage(person)).shown).allowCredentials?.length]).toEqual([400, 2]);
  });
  test("a form that created one counts no more, also after that one was used, and leads to no other form", async () => {
    const { person, key } = await enrolled();
    const { page, shown } = await atPage(person);
    const setup = await use(page, shown, key, {}, { choice: "add" });
    const { request = "" } = page.fields();
    const sent = (credential: string) => send(page, "/oauth2/passkey-setup", { request, credential });
    const [own, thief] = [newAuthenticator(api.url), newAuthenticator(api.url)];
    expect((await sent(own.create(askedIn(setup)))).status).toBe(303);
    const next = await atPage(person);
    expect((await use(next.page, next.shown, own)).status).toBe(303);
    for (const credential of [thief.create(askedIn(setup)), "", "{}"]) {
      const { status, text } = await sent(credential);
      expect([status, text]).toEqual([400, expect.stringContaining("This page was used before. Sign in again.")]);
    }
    const known = askedIn((await atPage(person)).shown).allowCredentials?.map(({ id }) => id);
    expect(known).toEqual([key.id, own.id]);
  });
  test("no more than ten, also of many at once", async () => {
    const { person, key } = await enrolled();
    const open = async () => {
      const { page, shown } = await atPage(person);
      return { page, shown: await use(page, shown, key, {}, { choice: "add" }) };
    };
    const add = ({ page, shown }: Awaited<ReturnType<typeof open>>) => create(page, shown, newAuthenticator(api.url));
    for (let count = 2; count <= 9; count += 1) await add(await open());
    const forms = [await open(), await open(), await open(), await open()];
    expect((await Promise.all(forms.map(add))).map(({ status }) => status)).toEqual(Array(4).fill(303));
    expect((await rowOf(person)) as { readonly keys: readonly unknown[] }).toMatchObject({ keys: { length: 10 } });
  });
  test("the row has public keys and random texts, and no name", async () => {
    const { person } = await enrolled();
    const row = JSON.stringify(await rowOf(person));
    expect(row).not.toContain(person.username);
    expect(row).toMatch(/"handle":"[A-Za-z0-9_-]{70}"/);
  });
});

describe("a form of passkeys", () => {
  test("counts for its stage, browser, tenant, user and session", async () => {
    const { person, key } = await enrolled();
    const { page, shown } = await atPage(person);
    const { request = "" } = page.fields();
    const credential = key.get(askedIn(shown));
    const setup = (await atPage(await newPerson())).page.fields().request ?? "";
    const other = browser();
    await other.open(requestOf(plain));
    const refused = [
      await send(page, "/oauth2/passkey-setup", { request, credential }),
      await send(page, "/oauth2/passkey", { request: setup, credential }),
      await send(page, "/oauth2/code", { request, code: "123456" }),
      await send(page, "/oauth2/codes-saved", { request }),
      await send(page, "/oauth2/new-password", { request, password: "x-Password-1", repeated: "x-Password-1" }),
      await send(page, "/oauth2/consent", { request, answer: "allow" }),
      await send(other, "/oauth2/passkey", { request, credential }),
      await send(page, "/oauth2/passkey", { request, credential }, { "sec-fetch-site": "cross-site" }),
      await send(page, "/t/acme.com/oauth2/passkey", { request, credential }),
      await send(page, "/oauth2/passkey", { request: `${request.slice(0, -2)}xx`, credential }),
    ];
    expect(refused.map(({ status }) => status)).toEqual(Array(10).fill(400));
    for (const { headers } of refused) expect(headers.getSetCookie()).toEqual([]);
    expect((await page.submit({ credential })).status).toBe(303);
  });
  test("skips nothing: without a proof, the passkey is asked for", async () => {
    const person = await newPerson();
    const { page } = await atPage(person);
    expect((await page.submit({ choice: "skip" })).title).toBe("Create a passkey");
    expect(isIn(page)).toBe(false);
    // A password alone cannot turn to codes either, where there is a passkey.
    const { person: known } = await enrolled();
    const { page: at } = await atPage(known, either);
    expect((await at.submit({ choice: "code" })).title).toBe("Use your passkey");
    expect((await at.submit({ choice: "add-codes" })).title).toBe("Use your passkey");
  });
  test("does not outlast a new password, a deactivation, the passkeys or the user; nor ten minutes", async () => {
    for (const end of [
      ({ id }: Person) => change(id, { password: "another-Password-9" }),
      ({ id }: Person) => change(id, { active: false }),
      ({ id }: Person) => change(id, { [SYSTEM]: { enabledAuthenticators: "none" } }),
      ({ id }: Person) => api.ask("DELETE", `/scim2/Users/${id}`),
    ]) {
      const { person, key } = await enrolled();
      const { page, shown } = await atPage(person);
      expect((await end(person)).status).toBeLessThan(300);
      expect((await use(page, shown, key)).title).toContain("Sign in to");
      expect(isIn(page)).toBe(false);
    }
    const { person, key } = await enrolled();
    const { page, shown } = await atPage(person);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
    expect((await use(page, shown, key)).alert).toContain("open for too long");
  });
  test("is not kept alive for longer than an hour after the password, by answers that do not count", async () => {
    const { page, shown } = await atPage((await enrolled()).person);
    let last = shown;
    for (let minutes = 9; minutes <= 63; minutes += 9) {
      expect(last.title).toBe("Use your passkey");
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 9 * 60_000 });
      last = await page.submit({ credential: "{}" });
    }
    expect(last.title).toContain("Sign in to");
  });
  test("for a step up counts for the session that was asked; the session gets another secret", async () => {
    const { person, key } = await enrolled();
    const { page } = await atPage(person, plain);
    const shown = await page.open(requestOf(strict));
    const { request = "" } = page.fields();
    const credential = key.get(askedIn(shown));
    const fixed = page.cookies.get("__Host-session") ?? "";
    // Another person signs in to this browser meanwhile.
    await page.open(requestOf(plain, { prompt: "login" }));
    await enter(page, await newPerson());
    const answer = await send(page, "/oauth2/passkey", { request, credential });
    expect([answer.status, answer.text.includes('name="password"')]).toEqual([200, true]);
    page.cookies.set("__Host-session", fixed);
    const { page: own } = await atPage(person, plain);
    const asked = await own.open(requestOf(strict));
    const before = own.cookies.get("__Host-session") ?? "";
    expect((await use(own, asked, key)).status).toBe(303);
    expect(own.cookies.get("__Host-session")).not.toBe(before);
    const thief = browser();
    thief.cookies.set("__Host-session", before);
    expect((await thief.open(requestOf(plain))).title).toContain("Sign in to");
  });
});

describe("who has no right password", () => {
  test("sees one page and costs the same round trips, whatever protects the user", async () => {
    const { person } = await enrolled();
    const coded = await newPerson();
    const { page, shown } = await atPage(coded, await newApplication({}, TWO_STEPS));
    await setUp(page, shown);
    const pages = new Set<string>();
    const costs = new Set<number>();
    for (const username of [person.username, coded.username, (await newPerson()).username, "nobody-here"]) {
      for (const _ of [1, 2, 3]) {
        const lines = await listening(async () => {
          const at = await atPage({ username, password: "wrong-Password-1" });
          pages.add(at.shown.html.replaceAll(at.page.fields().request ?? "", "").replace(username, ""));
        });
        const ofSignIn = lines.filter((each: LogLine) => each.service === "sign-in" && each.RoundTrips !== undefined);
        costs.add(Number(ofSignIn.at(-1)?.RoundTrips));
      }
    }
    expect([pages.size, costs.size]).toEqual([1, 1]);
  });
});

test("text of others is text on the pages of passkeys, also in what the script reads", async () => {
  const username = "o'neil&lt;i><b>x\"=";
  const made = await api.ask("POST", "/scim2/Users", { body: { userName: username, password: PERSON.password } });
  expect(made.status).toBe(201);
  const key = newAuthenticator(api.url);
  const first = await atPage({ username, password: PERSON.password });
  const lied = { transports: ["<b>", 'usb" onclick="x', "hybrid", 7, "a".repeat(50)] };
  await create(first.page, first.shown, key, lied);
  const second = await atPage({ username, password: PERSON.password });
  for (const { shown } of [first, second]) {
    expect(shown.html).not.toMatch(/<script>|<i>|<b>|\son\w+=/);
    expect(shown.html.match(/<script/g)).toHaveLength(1);
    expect(shown.html).toContain("You are signing in as o&#39;neil&amp;lt;i&gt;&lt;b&gt;x&quot;=.");
  }
  expect(askedIn(first.shown).user?.name).toBe(username);
  expect(askedIn(second.shown).allowCredentials).toEqual([{ type: "public-key", id: key.id, transports: ["hybrid"] }]);
});

test("the answer of a passkey of before a deletion does not count after the user is restored", async () => {
  const { person, key } = await enrolled();
  const { page, shown } = await atPage(person);
  const credential = key.get(askedIn(shown));
  await api.ask("DELETE", `/scim2/Users/${person.id}`);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STEP_MS });
  await api.ask("POST", `/api/server/v1/deleted-resources/${person.id}/restore`);
  expect((await page.submit({ credential })).title).toContain("Sign in to");
  expect(isIn(page)).toBe(false);
  const next = await atPage(person);
  expect((await use(next.page, next.shown, key)).status).toBe(303);
});
