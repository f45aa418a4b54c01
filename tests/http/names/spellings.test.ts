/**
 * One name in several spellings: each that a filter of a list accepts also selects in a PATCH. A removal that names an
 * element which is not there says so; that of an id may be repeated.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { fresh, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { refusal1, scim1Of } from "#tests/support/scim1.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: TWO_STORES });
const scim = scimOf(api);
const scim1 = scim1Of(api);
const quoted = (text: string) => JSON.stringify(text);
const patch = (path: string, ...Operations: readonly Shown[]) =>
  scim.ask("PATCH", path, { body: { schemas: [URN.patch], Operations } });
const remove = (path: string, value?: unknown) => ({ op: "remove", path, ...(value !== undefined && { value }) });
const idsIn = (list: readonly Shown[] = []) => list.map(({ value }) => value).sort();
let users: Readonly<Record<string, Shown>>;
let groups: Readonly<Record<string, Shown>>;

beforeAll(async () => {
  const [kim, lee, far] = await Promise.all(["Kim", "lee", "SECOND/Kim"].map((userName) => scim.user({ userName })));
  const [staff, labs, crew] = await Promise.all(
    ["Staff", "R&D / Labs", "SECOND/Staff"].map((displayName) => scim.group({ displayName })),
  );
  users = { Kim: kim as Shown, lee: lee as Shown, "SECOND/Kim": far as Shown };
  groups = { Staff: staff as Shown, "R&D / Labs": labs as Shown, "SECOND/Staff": crew as Shown };
});

const newRole = async () => {
  const body = {
    displayName: fresh("role"),
    users: Object.values(users).map(({ id }) => ({ value: id })),
    groups: Object.values(groups).map(({ id }) => ({ value: id })),
  };
  const made = await scim.ask("POST", "/v2/Roles", { body });
  expect(made.status, made.text).toBe(201);
  return made.body;
};

/** The spellings of a name with its store. */
const spellingsOf = (name: string): readonly string[] => {
  const all = name.startsWith("SECOND/")
    ? [name, name.replace("SECOND", "second")]
    : [name, `PRIMARY/${name}`, `primary/${name}`];
  return all.flatMap((each) => [each, each.toUpperCase(), each.toLowerCase(), ` ${each}\t`]);
};
const wholly = (list: string, name: string) => spellingsOf(name).map((each) => `${list}[display eq ${quoted(each)}]`);
const partly = (list: string, name: string) =>
  spellingsOf(name).flatMap((each) => [
    `${list}[display sw ${quoted(each.trimEnd())} and display ew ${quoted(name.replace("SECOND/", ""))}]`,
    `${list}[display ge ${quoted(each)} and display le ${quoted(each)}]`,
    `${list}[not (display ne ${quoted(each)})]`,
  ]);

describe.each(["users", "groups"] as const)("the %s of a role", (list) => {
  const all = () => (list === "users" ? users : groups);
  const names = list === "users" ? ["Kim", "lee", "SECOND/Kim"] : ["Staff", "R&D / Labs", "SECOND/Staff"];
  test.each(names)("are removed by each spelling of %s", async (name) => {
    const id = all()[name]?.id;
    const rest = Object.values(all()).flatMap((one) => (one.id === id ? [] : [one.id]));
    const { id: role } = await newRole();
    for (const path of [...wholly(list, name), ...partly(list, name)]) {
      const after = await patch(`/v2/Roles/${role}`, remove(path));
      expect([after.status, path, idsIn(after.body[list])], after.text).toEqual([200, path, rest.sort()]);
      await patch(`/v2/Roles/${role}`, { op: "add", path: list, value: [{ value: id }] });
    }
    const v3 = `/v3/Roles/${role}/${list === "users" ? "Users" : "Groups"}`;
    const short = await patch(v3, remove(`display eq ${quoted(spellingsOf(name)[4] ?? "")}`));
    expect(short.status, short.text).toBe(200);
    expect(idsIn((await scim.read(`/v2/Roles/${role}`))[list])).toEqual(rest.sort());
  });
  test("say that a removal matches no member", async () => {
    const { id: role } = await newRole();
    const other = list === "users" ? "max" : "nothing";
    for (const path of [
      `${list}[display eq "${other}"]`,
      `${list}[display eq "THIRD/${names[0]}"]`,
      `${list}[display eq "${names[0]}" and value eq "${UNKNOWN_ID}"]`,
      `${list}[$ref eq "https://elsewhere.example/scim2/Users/${all()[names[0] ?? ""]?.id}"]`,
      `${list}[value eq "${names[0]}"]`,
      `${list}[value eq "PRIMARY/${names[0]}"]`,
    ]) {
      expect(refusal(await patch(`/v2/Roles/${role}`, remove(path)), 400, "noTarget")).toContain(list);
    }
    const named = remove(list, [{ value: `PRIMARY/${names[0]}` }]);
    refusal(await patch(`/v2/Roles/${role}`, named), 400, "noTarget");
    expect(idsIn((await scim.read(`/v2/Roles/${role}`))[list])).toHaveLength(3);
  });
  test("say nothing where an id is removed again", async () => {
    const { id: role, [list]: shown } = await newRole();
    const [{ value, $ref }] = shown;
    for (const path of [
      `${list}[value eq "${value}"]`,
      `${list}[$ref eq "${$ref}"]`,
      `${list}[value eq "${UNKNOWN_ID}"]`,
    ]) {
      for (const _ of ["first", "second"]) expect((await patch(`/v2/Roles/${role}`, remove(path))).status).toBe(200);
    }
    expect((await patch(`/v2/Roles/${role}`, remove(list, [{ value }]))).status).toBe(200);
    expect(idsIn((await scim.read(`/v2/Roles/${role}`))[list])).toHaveLength(2);
  });
});

describe.each([
  ["", ["Kim", "PRIMARY/Kim", "primary/kim", " KIM "]],
  ["SECOND/", ["Kim", "SECOND/Kim", "second/KIM", " second/ kim "]],
])("the members of a group of the store %j", (store, spellings) => {
  const one = () => users[`${store}Kim`] as Shown;
  const newGroup = () => scim.group({ displayName: `${store}${fresh("crew")}`, members: [{ value: one().id }] });
  test.each(spellings)("are found and removed as %j", async (spelling) => {
    const group = await newGroup();
    for (const filter of [`members.display eq ${quoted(spelling)}`, `members[display eq ${quoted(spelling)}]`]) {
      const found = await scim.find(`${filter} and displayName eq ${quoted(group.displayName)}`, "/Groups");
      expect(found.Resources.map(({ id }: Shown) => id)).toEqual([group.id]);
    }
    for (const path of [
      `members[display eq ${quoted(spelling)}]`,
      `members[display sw ${quoted(spelling.trim().slice(0, -1))}]`,
      `members[not (display ne ${quoted(spelling)})]`,
    ]) {
      const after = await patch(`/Groups/${group.id}`, remove(path));
      expect([after.status, after.body.members ?? []], after.text).toEqual([200, []]);
      await patch(`/Groups/${group.id}`, { op: "add", path: "members", value: [{ value: one().id }] });
    }
  });
  test("say that a removal matches no member, in both versions of SCIM, and take a repeated id", async () => {
    const group = await newGroup();
    for (const path of [
      'members[display eq "lee"]',
      'members[display eq "THIRD/Kim"]',
      'members[value eq "PRIMARY/Kim"]',
      'members[value eq "Kim"]',
      `members[$ref eq "/Users/${one().id}"]`,
    ]) {
      refusal(await patch(`/Groups/${group.id}`, remove(path)), 400, "noTarget");
    }
    refusal(await patch(`/Groups/${group.id}`, remove("members", [{ value: "Kim" }])), 400, "noTarget");
    const marked = (value: string) => ({ members: [{ value, operation: "delete" }] });
    const old = await scim1.ask("PATCH", `/Groups/${group.id}`, { body: marked("PRIMARY/Kim") });
    expect(refusal1(old, 400)).toContain('"PRIMARY/Kim"');
    expect(idsIn((await scim.read(`/Groups/${group.id}`)).members)).toEqual([one().id]);
    await scim1.patch(`/Groups/${group.id}`, marked(one().id));
    await scim1.patch(`/Groups/${group.id}`, marked(one().id));
    for (const path of [`members[value eq "${one().id}"]`, "members"]) {
      expect((await patch(`/Groups/${group.id}`, remove(path))).status).toBe(200);
    }
  });
});

test("a name without a store in the users of a role is that of PRIMARY, as responses show it", async () => {
  const { id: role } = await newRole();
  const after = await patch(`/v2/Roles/${role}`, remove('users[display eq "kim"]'));
  expect(idsIn(after.body.users)).toEqual([users.lee?.id, users["SECOND/Kim"]?.id].sort());
  refusal(await patch(`/v2/Roles/${role}`, remove('users[display eq "kim"]')), 400, "noTarget");
});
