/**
 * Pages of a sign-in that change how a user signs in count for five minutes after the password (decision 0145): also
 * one that was left open, and one that wrong answers bring back.
 */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { signInOperations } from "#core/sign-in/flow/contract.ts";
import type { Browser, Shown } from "#tests/support/browsing.ts";
import { secretIn, setUp, wrongCode } from "#tests/support/codes.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { create, EITHER_STEP, use } from "#tests/support/passkeys.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { codeAt, newAuthenticator } from "#tools/examples/authenticator.ts";

const api = world();
const { newApplication, requestOf, enter, browser } = signInOf(api);
const MINUTE_MS = 60_000;
const SYSTEM = "urn:scim:wso2:schema";
const NEW = "maple-Tree-4242";
let strict: TestClient;
let plain: TestClient;
let count = 0;

beforeAll(async () => {
  strict = await newApplication({}, EITHER_STEP);
  plain = await newApplication();
});
afterEach(() => vi.useRealTimers());

interface Person {
  readonly username: string;
  readonly password: string;
  readonly id: string;
}
const newPerson = async (system: object = {}): Promise<Person> => {
  count += 1;
  const username = `late-${count}`;
  const body = { userName: username, password: PERSON.password, [SYSTEM]: system };
  const { status, body: created, text } = await api.ask("POST", "/scim2/Users", { body });
  if (status !== 201) throw new Error(text);
  return { username, password: PERSON.password, id: created.id };
};
const at = async (client: TestClient, person: Person) => {
  const page = browser();
  await page.open(requestOf(client));
  return { page, shown: await enter(page, person) };
};
/** Time goes on: from now, or from where it was set last. */
const pass = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
const factorsOf = async ({ id }: Person) => (await api.ask("GET", `/scim2/Users/${id}`)).body[SYSTEM];

/** An open page that changes how its user signs in, with an answer that counts, and one that brings it back. */
interface Open {
  readonly page: Browser;
  readonly title: string;
  readonly right: () => Promise<Shown>;
  readonly wrong: () => Promise<Shown>;
}
const ofCodes = (page: Browser, shown: Shown): Open => {
  const secret = secretIn(shown);
  return {
    page,
    title: "Set up one-time codes",
    right: () => page.submit({ code: codeAt(secret) }),
    wrong: () => page.submit({ code: wrongCode(secret) }),
  };
};
const ofPasskey = (page: Browser, first: Shown, key = newAuthenticator(api.url)): Open => {
  let shown = first;
  return {
    page,
    title: "Create a passkey",
    right: () => create(page, shown, key),
    wrong: async () => {
      shown = await page.submit({ credential: "{}" });
      return shown;
    },
  };
};
const pages: Readonly<
  Record<string, { readonly operation: string; readonly open: (person: Person) => Promise<Open> }>
> = {
  "the first app": {
    operation: "setUpCodes",
    open: async (person) => {
      const { page, shown } = await at(strict, person);
      return ofCodes(page, shown);
    },
  },
  "another app": {
    operation: "setUpCodes",
    open: async (person) => {
      const { page, shown } = await at(strict, person);
      const { codes } = await setUp(page, shown);
      const again = await at(strict, person);
      return ofCodes(again.page, await again.page.submit({ recovery: codes[0] ?? "", choice: "replace" }));
    },
  },
  "the first passkey": {
    operation: "createPasskey",
    open: async (person) => {
      const { page } = await at(strict, person);
      return ofPasskey(page, await page.submit({ choice: "passkey" }));
    },
  },
  "another passkey": {
    operation: "createPasskey",
    open: async (person) => {
      const { page } = await at(strict, person);
      const key = newAuthenticator(api.url);
      await create(page, await page.submit({ choice: "passkey" }), key);
      pass(1_000);
      const again = await at(strict, person);
      return ofPasskey(again.page, await use(again.page, again.shown, key, undefined, { choice: "add" }));
    },
  },
  "another password": {
    operation: "choosePassword",
    open: async (person) => {
      const change = {
        schemas: [],
        Operations: [{ op: "replace", value: { [SYSTEM]: { forcePasswordReset: true } } }],
      };
      await api.ask("PATCH", `/scim2/Users/${person.id}`, { body: change });
      const { page } = await at(plain, person);
      return {
        page,
        title: "Choose a new password",
        right: () => page.submit({ password: NEW, repeated: NEW }),
        wrong: () => page.submit({ password: NEW, repeated: "another" }),
      };
    },
  },
};

describe.each(Object.entries(pages))("the page for %s", (_, { open }) => {
  test("is there for almost five minutes", async () => {
    const { title, wrong, right } = await open(await newPerson());
    pass(4 * MINUTE_MS);
    const again = await wrong();
    expect([again.title, again.headers.get("cache-control")]).toEqual([title, "no-store"]);
    pass(0.9 * MINUTE_MS);
    expect((await right()).status).toBeLessThan(400);
  });
  test.each(["a right answer", "a wrong answer"])(
    "then %s asks for the password again, and stores nothing",
    async (answer) => {
      const person = await newPerson();
      const { page, title, right, wrong } = await open(person);
      const before = await factorsOf(person);
      pass(4 * MINUTE_MS);
      expect((await wrong()).title).toBe(title);
      pass(1.1 * MINUTE_MS);
      const shown = await (answer === "a right answer" ? right() : wrong());
      expect([shown.title.startsWith("Sign in to"), shown.alert]).toEqual([
        true,
        "More than five minutes have passed since you entered your password. Enter it again.",
      ]);
      expect(await factorsOf(person)).toEqual(before);
      // The password that was there leads on.
      expect((await enter(page, person)).title).not.toMatch(/^Sign in to/);
    },
  );
});

test("somebody who signed in more than five minutes ago enters the password before a factor is set up", async () => {
  const person = await newPerson();
  const { page } = await at(plain, person);
  pass(5.1 * MINUTE_MS);
  expect((await page.open(requestOf(strict))).title).toMatch(/^Sign in to/);
  expect((await enter(page, person)).title).toBe("Set up one-time codes");
});

test("every form that takes something to store of a user is here", () => {
  // Those that prove, agree or end something.
  const others = [
    ...["signIn", "enterCode", "goOnWithCodes", "usePasskey", "enterMailedCode", "useMailedLink"],
    ...["giveConsent", "signOut"],
  ];
  const taking = Object.entries(signInOperations).filter(
    ([name, { method, ...operation }]) =>
      method === "POST" && !name.startsWith("authorize") && !name.startsWith("endSession") && "body" in operation,
  );
  const here = new Set(Object.values(pages).map(({ operation }) => operation));
  expect(taking.map(([name]) => name).sort()).toEqual([...here, ...others].sort());
});
