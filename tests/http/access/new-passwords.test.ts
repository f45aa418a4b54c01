/**
 * The rules for new passwords hold at every door that sets one; a password that follows them can be set at each, and
 * signs in. The doors are the operations of the catalogue; a new one that is in no list here fails.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { addUser, idOf } from "#tests/support/people.ts";
import { type Answer, basic, world } from "#tests/support/world.ts";

const api = world();
const FORMER = "former-Password-of-old";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const TENANTS = "/api/server/v1/tenants";
let made = 0;

interface Person {
  readonly userName: string;
  readonly id: string;
}
/** Sets a password for a person. A bulk request answers with the answer of its one operation. */
type Door = (person: Person, password: string) => Promise<Pick<Answer, "status" | "text">>;

const ofBulk = ({ body, text }: Answer) => ({
  status: Number(body.Operations?.[0]?.status?.code ?? body.Operations?.[0]?.status),
  text,
});
const me = ({ userName }: Person) => ({ username: userName, password: FORMER });
const owner = (username: string, password: string) => ({
  ...{ username, password, email: "o@example.com", firstname: "O", lastname: "W" },
  provisioningMethod: "inline-password",
});
const patch = (...Operations: readonly object[]) => ({ schemas: [PATCH_OP], Operations });

/** Gives a person the role `admin`, which the own user of SCIM 1.1 needs. */
const promote = async ({ id }: Person): Promise<void> => {
  const [role] = (await api.ask("GET", "/scim2/v2/Roles?filter=displayName+eq+admin")).body.Resources;
  await api.ask("PATCH", `/scim2/v2/Roles/${role.id}`, {
    body: patch({ op: "add", path: "users", value: [{ value: id }] }),
  });
};

/** Doors that create the person. */
const creating: Readonly<Record<string, (userName: string, password: string) => ReturnType<Door>>> = {
  createUser: (userName, password) => api.ask("POST", "/scim2/Users", { body: { userName, password } }),
  createScim1User: (userName, password) => api.ask("POST", "/svc/scim/Users", { body: { userName, password } }),
  bulk: async (userName, password) =>
    ofBulk(
      await api.ask("POST", "/scim2/Bulk", {
        body: { Operations: [{ method: "POST", path: "/Users", bulkId: "b", data: { userName, password } }] },
      }),
    ),
  scim1Bulk: async (userName, password) =>
    ofBulk(
      await api.ask("POST", "/svc/scim/Bulk", {
        body: { Operations: [{ method: "POST", path: "/Users", bulkId: "b", data: { userName, password } }] },
      }),
    ),
  createTenant: (userName, password) =>
    api.ask("POST", TENANTS, { body: { domain: `${userName}.example`, owners: [owner(userName, password)] } }),
};

/** Doors that change the password of a person. */
const changing: Readonly<Record<string, Door>> = {
  replaceUser: ({ id, userName }, password) => api.ask("PUT", `/scim2/Users/${id}`, { body: { userName, password } }),
  patchUser: ({ id }, password) =>
    api.ask("PATCH", `/scim2/Users/${id}`, { body: patch({ op: "replace", path: "password", value: password }) }),
  "patchUser without a path": ({ id }, password) =>
    api.ask("PATCH", `/scim2/Users/${id}`, { body: patch({ op: "add", value: { password } }) }),
  "bulk with PATCH": async ({ id }, password) =>
    ofBulk(
      await api.ask("POST", "/scim2/Bulk", {
        body: {
          Operations: [{ method: "PATCH", path: `/Users/${id}`, data: patch({ op: "replace", value: { password } }) }],
        },
      }),
    ),
  replaceMe: (person, password) =>
    api.ask("PUT", "/scim2/Me", { body: { userName: person.userName, password }, as: basic(me(person)) }),
  patchMe: (person, password) =>
    api.ask("PATCH", "/scim2/Me", {
      body: patch({ op: "replace", path: "password", value: password }),
      as: basic(me(person)),
    }),
  replaceScim1User: ({ id, userName }, password) =>
    api.ask("PUT", `/svc/scim/Users/${id}`, { body: { userName, password } }),
  patchScim1User: ({ id }, password) => api.ask("PATCH", `/svc/scim/Users/${id}`, { body: { password } }),
  replaceScim1Me: async (person, password) => {
    await promote(person);
    return api.ask("PUT", "/svc/scim/Users/me", {
      body: { userName: person.userName, password },
      as: basic(me(person)),
    });
  },
  patchScim1Me: async (person, password) => {
    await promote(person);
    return api.ask("PATCH", "/svc/scim/Users/me", { body: { password }, as: basic(me(person)) });
  },
  "scim1Bulk with PATCH": async ({ id }, password) =>
    ofBulk(
      await api.ask("POST", "/svc/scim/Bulk", {
        body: { Operations: [{ method: "PATCH", path: `/Users/${id}`, data: { password } }] },
      }),
    ),
};

/** Other operations of these paths, which set no password here: what they do instead. */
const others: Readonly<Record<string, string>> = {
  choosePassword: "tests/http/sign-in/new-password.test.ts",
  resetForgottenPassword: "tests/http/account-recovery/recovery.test.ts",
  resetPassword: "tests/http/account-recovery/recovery.test.ts",
  completeRegistration: "tests/http/account-recovery/registration.test.ts",
  register: "a step before a password is set",
  ...Object.fromEntries(
    ["forgotPassword", "initPasswordRecovery", "recoverPassword", "resendPasswordRecovery", "confirmPasswordRecovery"]
      .concat("initUserNameRecovery", "recoverUserName")
      .map((id) => [id, "a step before a password is set"]),
  ),
  ...Object.fromEntries(["verifyAddress", "resendCode"].map((id) => [id, "sets no password"])),
  updateTenantOwner: "below",
  createMe: "501",
  searchUsers: "reads",
  replaceRoleUsers: "holders of a role",
  patchRoleUsers: "holders of a role",
  updateTenantStatus: "no user",
  restoreTenantVersion: "no password is restored",
  restoreUserVersion: "the password stays",
  testUserStoreConnection: "the password of a directory",
};

/** What is refused for a user of that name, and the words of the sentence. */
const refused: Readonly<Record<string, readonly [(userName: string) => string, RegExp]>> = {
  "seven characters": [() => "q7-Lmx9", /8 to 100 characters/],
  "seven characters of two UTF-16 units": [() => "🌲".repeat(7), /8 to 100 characters/],
  "101 characters": [() => "q7-Lmx9 tree".repeat(9).slice(0, 101), /8 to 100 characters/],
  "a tab": [() => "maple\ttree-42", /control characters/],
  "a common password": [() => "password1", /one of the most common/],
  "a common password in other case": [() => "BaseBall1", /one of the most common/],
  "a common password with blanks around it": [() => " sunshine1 ", /one of the most common/],
  "a common password of wide letters": [() => "ｐａｓｓｗｏｒｄ", /one of the most common/],
  "the own name": [(userName) => userName, /must not be the user name/],
  "the own name in upper case": [(userName) => userName.toUpperCase(), /must not be the user name/],
  "the own name with its store": [(userName) => `PRIMARY/${userName}`, /must not be the user name/],
};
/** What is accepted. */
const accepted: Readonly<Record<string, string>> = {
  "eight characters": "q7-Lmx9z",
  "inner, leading and trailing blanks": "  four maple trees ",
  "100 characters outside the first plane": `${"🌲".repeat(99)}x`,
  "letters with marks": "Bär auf Bäumen ñ",
};

const newName = () => {
  made += 1;
  return `maplewood${String.fromCharCode(97 + Math.floor(made / 676), 97 + (Math.floor(made / 26) % 26), 97 + (made % 26))}`;
};
const newPerson = async (): Promise<Person> => {
  const userName = newName();
  const id = await addUser(api.service, { username: userName, password: FORMER, scopes: ["internal_login"] });
  return { userName, id };
};
const signsIn = async (username: string, password: string) =>
  (await api.ask("GET", "/scim2/Me", { as: basic({ username, password }) })).status !== 401;

test("every operation at these paths is a door here, or sets no password", () => {
  const written = Object.entries(operations)
    .filter(
      ([, { method, path }]) => !["GET", "DELETE"].includes(method) && /Users|\/Me$|Bulk|enants|password/i.test(path),
    )
    .map(([id]) => id);
  const known = [...Object.keys(creating), ...Object.keys(changing), ...Object.keys(others), "patchWebhookMetadata"];
  expect(written.filter((id) => !known.includes(id))).toEqual([]);
  expect(written.length).toBeGreaterThan(20);
});

describe.each(Object.entries(creating))("%s", (id, create) => {
  test.each(Object.entries(refused))("refuses %s, and creates no user", async (_, [passwordOf, sentence]) => {
    const userName = newName();
    const { status, text } = await create(userName, passwordOf(userName));
    expect([status, text]).toEqual([400, expect.stringMatching(sentence)]);
    expect(text).not.toContain(`"${passwordOf(userName)}"`);
    expect(await idOf(api.service, userName)).toBe("");
  });
  test.each(Object.entries(accepted))("accepts %s", async (_, password) => {
    const userName = newName();
    expect((await create(userName, password)).status).toBe(201);
    expect(await signsIn(id === "createTenant" ? `${userName}@${userName}.example` : userName, password)).toBe(true);
  });
});

describe.each(Object.entries(changing))("%s", (_, change) => {
  test.each(Object.entries(refused))("refuses %s, and the former one stays", async (__, [passwordOf, sentence]) => {
    const person = await newPerson();
    const { status, text } = await change(person, passwordOf(person.userName));
    expect([status, text]).toEqual([400, expect.stringMatching(sentence)]);
    expect(await signsIn(person.userName, FORMER)).toBe(true);
  });
  test.each(Object.entries(accepted))("accepts %s", async (__, password) => {
    const person = await newPerson();
    expect([200, 204]).toContain((await change(person, password)).status);
    expect(await signsIn(person.userName, password)).toBe(true);
  });
});

describe("updateTenantOwner", () => {
  let path = "";
  let domain = "";
  beforeAll(async () => {
    const userName = newName();
    domain = `${userName}.example`;
    const { headers } = await api.ask("POST", TENANTS, { body: { domain, owners: [owner("maplekeeper", FORMER)] } });
    const tenant = new URL(headers.get("location") ?? "", api.url).pathname;
    const [{ id }] = (await api.ask("GET", `${tenant}/owners`)).body;
    path = `${tenant}/owners/${id}`;
  });
  const change = (password: string) =>
    api.ask("PUT", path, { body: { email: "o@example.com", firstname: "O", lastname: "W", password } });
  test.each(Object.entries(refused))("refuses %s", async (_, [passwordOf, sentence]) => {
    const { status, text } = await change(passwordOf("maplekeeper"));
    expect([status, text]).toEqual([400, expect.stringMatching(sentence)]);
    expect(await signsIn(`maplekeeper@${domain}`, FORMER)).toBe(true);
  });
  test("refuses the name with the tenant", async () => {
    expect((await change(`maplekeeper@${domain}`)).text).toMatch(/must not be the user name/);
  });
});

describe("one password in several forms of Unicode", () => {
  const composed = "B\u00e4r auf B\u00e4umen";
  const decomposed = composed.normalize("NFD");
  const wideBlanks = composed.replaceAll(" ", "\u2003");
  test.each([composed, decomposed, wideBlanks])("is set as %j and signs in as any of them", async (set) => {
    const userName = newName();
    expect((await creating.createUser?.(userName, set))?.status).toBe(201);
    for (const sent of [composed, decomposed, wideBlanks]) expect(await signsIn(userName, sent)).toBe(true);
  });
});

test("passwords that exist stay valid, whatever the rules say", async () => {
  expect(await signsIn("admin", "admin")).toBe(true);
  for (const password of ["abcde", "password", "with a space"]) {
    const username = newName();
    await addUser(api.service, { username, password });
    expect(await signsIn(username, password)).toBe(true);
  }
});
