/**
 * White space at the ends of names of users, groups and roles: it is not stored, and does not count wherever a name is
 * sent. What is created under one form is found, assigned, signed in and removed under every other.
 */
import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { fresh, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { refusal1, scim1Of } from "#tests/support/scim1.ts";
import { signInOf } from "#tests/support/sign-in.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: TWO_STORES });
const scim = scimOf(api);
const scim1 = scim1Of(api);
const oauth = oauthOf(api);
const { newApplication, requestOf, enter, browser } = signInOf(api);
const password = "a-good-Password-1";
let client: TestClient;
beforeAll(async () => {
  client = await oauth.newClient([], { grantTypes: ["password"] });
});

/** All white space of ECMAScript. */
const SPACES = [..."\t\n\v\f\r \u00a0\u1680\u2000\u2003\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"];
const blanks = fc.string({ unit: fc.constantFrom(...SPACES), maxLength: 3 });
/** A name with white space around it, and inside it behind its store. */
const decoration = fc.record({ before: blanks, within: blanks, after: blanks });
type Decoration = typeof decoration extends fc.Arbitrary<infer T> ? T : never;
const stores = fc.constantFrom("", "PRIMARY/", "SECOND/", "second/");
const decorated = (store: string, name: string, { before, within, after }: Decoration) =>
  `${before}${store}${store && within}${name}${after}`;
const quoted = (text: string) => JSON.stringify(text);
/** As SCIM 1.1 has it: only quotes and backslashes are escaped. */
const quoted1 = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
const shownIn = (store: string, name: string) => (/second/i.test(store) ? `SECOND/${name}` : name);
const many = { numRuns: 3 } as const;

const idsIn = ({ Resources = [] }: Shown) => Resources.map(({ id }: Shown) => id);
const searched = async (path: string, filter: string) => {
  const answer = await scim.ask("POST", `${path}/.search`, { body: { schemas: [URN.search], filter } });
  expect(answer.status, answer.text).toBe(200);
  return idsIn(answer.body);
};
/** The ids that a filter finds in each dialect. */
const found = async (path: string, name: string, value: string): Promise<readonly string[][]> => {
  const filter = `${name} eq ${quoted(value)}`;
  const all = [idsIn(await scim.find(filter, path)), await searched(path, filter)];
  if (path.includes("Roles")) return all;
  return [...all, idsIn(await scim1.list(path, { filter: `${name} Eq ${quoted1(value)}` }))];
};
const patch = (path: string, op: string, target: string, value?: unknown) =>
  scim.ask("PATCH", path, { body: { schemas: [URN.patch], Operations: [{ op, path: target, value }] } });

describe("with white space around its name", () => {
  test(
    "a user is created, found, signed in, renamed, assigned and deleted",
    () =>
      fc.assert(
        fc.asyncProperty(stores, fc.array(decoration, { minLength: 8, maxLength: 8 }), async (store, forms) => {
          const bare = fresh("kim");
          const form = (at: number, name = bare) => decorated(store, name, forms[at] as Decoration);
          const user = await scim.user({ userName: form(0), password });
          expect(user.userName).toBe(shownIn(store, bare));
          const again = await scim.ask("POST", "/Users", {
            body: { schemas: [URN.user], userName: form(1), password },
          });
          expect(refusal(again, 409, "uniqueness")).toContain(`${bare} already`);
          const old = await scim1.ask("POST", "/Users", { body: { userName: form(2), password } });
          expect(refusal1(old, 409)).toContain(`${bare} already`);
          for (const ids of await found("/Users", "userName", form(3))) expect(ids).toEqual([user.id]);
          const between = `userName ge ${quoted(form(4))} and userName le ${quoted(form(5))}`;
          expect(idsIn(await scim.find(between))).toEqual([user.id]);
          expect(idsIn(await scim.find(`not (userName ne ${quoted(form(6))})`))).toEqual([user.id]);
          const me = await api.ask("GET", "/scim2/Me", { as: { username: form(2), password } });
          expect([me.status, me.body.id], me.text).toEqual([200, user.id]);
          const granted = await oauth.post(TOKEN, { grant_type: "password", username: form(3), password }, client);
          expect(granted.status, granted.text).toBe(200);
          const group = await scim.group({ displayName: shownIn(store, fresh("of")), members: [{ value: user.id }] });
          expect(idsIn(await scim.find(`members.display eq ${quoted(form(4))}`, "/Groups"))).toEqual([group.id]);
          const left = await patch(`/Groups/${group.id}`, "remove", `members[display eq ${quoted(form(5))}]`);
          expect([left.status, left.body.members ?? []], left.text).toEqual([200, []]);
          const renamed = await patch(`/Users/${user.id}`, "replace", "userName", form(6, `${bare}-2`));
          expect(renamed.body.userName).toBe(shownIn(store, `${bare}-2`));
          const put = await scim1.ask("PUT", `/Users/${user.id}`, { body: { userName: form(7) } });
          expect(put.status, put.text).toBe(200);
          for (const ids of await found("/Users", "userName", form(1))) expect(ids).toEqual([user.id]);
          expect((await scim.ask("DELETE", `/Users/${user.id}`)).status).toBe(204);
          for (const ids of await found("/Users", "userName", form(0))) expect(ids).toEqual([]);
        }),
        many,
      ),
    120_000,
  );

  test(
    "a group is created, found, named by its members and roles, renamed and deleted",
    () =>
      fc.assert(
        fc.asyncProperty(stores, fc.array(decoration, { minLength: 7, maxLength: 7 }), async (store, forms) => {
          const bare = fresh("crew");
          const form = (at: number, name = bare) => decorated(store, name, forms[at] as Decoration);
          const user = await scim.user({ userName: shownIn(store, fresh("in")) });
          const group = await scim.group({ displayName: form(0), members: [{ value: user.id }] });
          expect(group.displayName).toBe(shownIn(store, bare));
          const again = await scim.ask("POST", "/Groups", { body: { schemas: [URN.group], displayName: form(1) } });
          expect(refusal(again, 409, "uniqueness")).toContain(`: ${shownIn(store, bare)} already`);
          refusal1(await scim1.ask("POST", "/Groups", { body: { displayName: form(2) } }), 409);
          for (const ids of await found("/Groups", "displayName", form(3))) expect(ids).toEqual([group.id]);
          const wild = { filter: `displayName Eq ${quoted1(form(3, `*${bare}*`))}` };
          expect(idsIn(await scim1.list("/Groups", wild))).toEqual([group.id]);
          for (const name of ["groups", "groups.display"]) {
            for (const ids of await found("/Users", name, form(4))) expect(ids).toEqual([user.id]);
          }
          const role = await scim.ask("POST", "/v2/Roles", {
            body: { displayName: fresh("role"), groups: [{ value: group.id }] },
          });
          const after = await patch(`/v2/Roles/${role.body.id}`, "remove", `groups[display eq ${quoted(form(5))}]`);
          expect([after.status, after.body.groups ?? []], after.text).toEqual([200, []]);
          const renamed = await patch(`/Groups/${group.id}`, "replace", "displayName", form(6, `${bare}-2`));
          expect(renamed.body.displayName).toBe(shownIn(store, `${bare}-2`));
          expect((await scim.ask("DELETE", `/Groups/${group.id}`)).status).toBe(204);
        }),
        many,
      ),
    120_000,
  );

  test(
    "a role is created, found, named by its users and groups, renamed and deleted",
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(decoration, { minLength: 6, maxLength: 6 }), async (forms) => {
          const bare = fresh("captain");
          const form = (at: number, name = bare) => decorated("", name, forms[at] as Decoration);
          const [user, group] = await Promise.all([scim.user(), scim.group()]);
          const body = { displayName: form(0), users: [{ value: user.id }], groups: [{ value: group.id }] };
          const role = (await scim.ask("POST", "/v2/Roles", { body })).body;
          expect(role.displayName).toBe(bare);
          for (const path of ["/v2/Roles", "/v3/Roles"]) {
            const again = await scim.ask("POST", path, { body: { displayName: form(1) } });
            expect(refusal(again, 409, "uniqueness")).toContain(`: ${bare} already`);
            for (const ids of await found(path, "displayName", form(2))) expect(ids).toEqual([role.id]);
          }
          expect(idsIn(await scim.find(`roles.display eq ${quoted(form(3))}`, "/Groups"))).toEqual([group.id]);
          for (const name of ["roles", "roles.display"]) {
            expect(idsIn(await scim.find(`${name} eq ${quoted(form(4))}`))).toEqual([user.id]);
          }
          const renamed = await patch(`/v2/Roles/${role.id}`, "replace", "displayName", form(5, `${bare}-2`));
          expect(renamed.body.displayName).toBe(`${bare}-2`);
          expect((await scim.ask("DELETE", `/v2/Roles/${role.id}`)).status).toBe(204);
        }),
        many,
      ),
    120_000,
  );
});

describe("a term on a part of a name", () => {
  const find = async (filter: string) =>
    (await scim.find(filter, "/Groups")).Resources.map(({ displayName }: Shown) => displayName).sort();
  test("keeps the blanks that can be inside the name", async () => {
    for (const displayName of ["zeta crew", "zeta"]) await scim.group({ displayName });
    expect(await find('displayName sw " zeta"')).toEqual(["zeta", "zeta crew"]);
    expect(await find('displayName sw "zeta "')).toEqual(["zeta crew"]);
    expect(await find('displayName sw "PRIMARY/ zeta "')).toEqual(["zeta crew"]);
    expect(await find('displayName ew "zeta "')).toEqual(["zeta"]);
    expect(await find('displayName ew " crew\\t"')).toEqual(["zeta crew"]);
    expect(await find('displayName co "zeta "')).toEqual(["zeta crew"]);
  });
  test.each(["eq", "sw", "ew", "co"])("that is white space alone is at no end of a name: %s", async (operator) => {
    const all = await find(`displayName ${operator} "\\t"`);
    expect(all).toEqual([]);
  });
});

describe("a name of white space alone", () => {
  test.each(SPACES)("is none: %j", async (space) => {
    const users = { body: { schemas: [URN.user], userName: space, password } };
    refusal(await scim.ask("POST", "/Users", users), 400, "invalidValue");
    refusal(
      await scim.ask("POST", "/Users", { body: { ...users.body, userName: `SECOND/${space}` } }),
      400,
      "invalidValue",
    );
    refusal(
      await scim.ask("POST", "/Groups", { body: { schemas: [URN.group], displayName: space } }),
      400,
      "invalidValue",
    );
    refusal(await scim.ask("POST", "/v2/Roles", { body: { displayName: space } }), 400, "invalidValue");
    refusal1(await scim1.ask("POST", "/Users", { body: { userName: space, password } }), 400);
    refusal1(await scim1.ask("POST", "/Groups", { body: { displayName: space } }), 400);
    expect((await api.ask("GET", "/scim2/Me", { as: { username: space, password } })).status).toBe(401);
  });
});

test("the page of sign-in takes what a keyboard adds to the name, and nothing from the password", async () => {
  const userName = fresh("phone");
  await scim.user({ userName, password });
  const application = await newApplication();
  for (const [typed, secret, isIn] of [
    [`${userName} `, password, true],
    [`\u00a0${userName}\u3000`, password, true],
    [userName, `${password} `, false],
  ] as const) {
    const page = browser();
    await page.open(requestOf(application));
    const { location } = await enter(page, { username: typed, password: secret });
    expect(location?.searchParams.has("code") ?? false).toBe(isIn);
  }
});

test("the owner of a tenant is named without it, with the tenant and without", async () => {
  for (const end of ["", "@"]) {
    const domain = `${fresh("owner")}.example`;
    const owners = [{ username: ` kim${end && `${end}${domain}`} `, password, provisioningMethod: "inline-password" }];
    const made = await api.ask("POST", "/api/server/v1/tenants", { body: { domain, owners } });
    expect(made.status, made.text).toBe(201);
    const me = await api.ask("GET", `/t/${domain}/scim2/Me`, { as: { username: ` kim@${domain}\t`, password } });
    expect([me.status, me.body.userName], me.text).toEqual([200, "kim"]);
  }
});
