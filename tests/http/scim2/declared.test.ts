/** What `/Schemas` declares of roles, answers keep: users with their roles, and roles with their audience and assignees. */
import { expect, test } from "vitest";
import { asScim, fresh, type Shown } from "#tests/support/scim.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const ROLES = "/scim2/v2/Roles";
const sent = async (method: string, path: string, body?: unknown): Promise<Shown> => {
  const answer = await api.ask(method, path, body === undefined ? {} : { body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};
const user = () => sent("POST", "/scim2/Users", { userName: fresh("declared"), password: "good-Passw0rd" });
const roleOf = (displayName: string, application: string, users: readonly string[]) =>
  sent("POST", ROLES, {
    displayName,
    audience: { type: "application", value: application },
    users: users.map((value) => ({ value })),
  });
const sorted = (list: readonly Shown[], by: string) => list.toSorted((a, b) => (a[by] < b[by] ? -1 : 1));

test("roles of one name differ by their audience, with the name of the application, also after it changes", async () => {
  const [first, second] = [fresh("Dispatch"), fresh("Billing")];
  const [one, two] = [await api.create({ name: first }), await api.create({ name: second })];
  const { id } = await user();
  const role = await roleOf("auditor", one, [id]);
  await roleOf("auditor", two, [id]);
  await sent("POST", ROLES, { displayName: "auditor", users: [{ value: id }] });
  const expected = (name: string) => [
    ["application", one, name],
    ["application", two, second],
    ["organization", "carbon.super", "carbon.super"],
  ];
  const partsOf = (roles: readonly Shown[]) =>
    roles
      .map((each) => [each.audienceType, each.audienceValue, each.audienceDisplay])
      .toSorted(([, a], [, b]) => (a === one ? -1 : b === one ? 1 : String(a) < String(b) ? -1 : 1));
  const everywhere = async () => [
    (await sent("GET", `/scim2/Users/${id}`)).roles,
    (await sent("GET", `/scim2/Users?filter=id+eq+"${id}"`)).Resources[0].roles,
    (await sent("PATCH", `/scim2/Users/${id}`, { Operations: [{ op: "replace", path: "title", value: fresh("t") }] }))
      .roles,
    (await sent("GET", `/scim2/Users?filter=roles.audienceValue+eq+"${one}"+and+id+eq+"${id}"`)).Resources[0].roles,
  ];
  const sortedAs = (name: string) =>
    partsOf(
      expected(name).map(([audienceType, audienceValue, audienceDisplay]) => ({
        audienceType,
        audienceValue,
        audienceDisplay,
      })),
    );
  for (const roles of await everywhere()) expect(partsOf(roles)).toEqual(sortedAs(first));

  const renamed = fresh("Despatch");
  await sent("PATCH", `${APPLICATIONS}/${one}`, { name: renamed });
  for (const roles of await everywhere()) expect(partsOf(roles)).toEqual(sortedAs(renamed));
  const audience = { type: "application", value: one, display: renamed };
  expect((await sent("GET", `${ROLES}/${role.id}`)).audience).toEqual(audience);
  const listed = (await sent("GET", `${ROLES}?filter=audience.display+eq+"${renamed}"`)).Resources;
  expect(listed).toMatchObject([{ id: role.id, audience }]);
  // Another application takes the name that this one had.
  await api.create({ name: first });
  expect((await sent("GET", `${ROLES}/${role.id}`)).audience).toEqual(audience);
  const other = (await sent("GET", `${ROLES}?filter=associatedApplications.value+eq+"${two}"`)).Resources;
  expect(other).toMatchObject([
    { audience: { value: two }, associatedApplications: [{ value: two, display: second }] },
  ]);
  const link = new URL(other[0].associatedApplications[0].$ref);
  expect(await sent("GET", link.pathname)).toMatchObject({ id: two, name: second });
  await api.ask("DELETE", `${APPLICATIONS}/${two}`);
  const orphan = await sent("GET", `${ROLES}/${other[0].id}`);
  expect([orphan.audience.display, orphan.associatedApplications]).toEqual([second, undefined]);
  expect((await sent("GET", `/scim2/Users/${id}`)).roles).toHaveLength(3);
});

test("roles of one name differ by their display where roles have no audience, and filters find what is shown", async () => {
  const names = [fresh("Dispatch"), fresh("Billing")];
  const { id, userName } = await user();
  for (const name of names) await roleOf("planner", await api.create({ name }), [id]);
  await sent("POST", ROLES, { displayName: "planner", users: [{ value: id }] });
  const ask = async (path: string) => (await api.ask("GET", path, { headers: asScim })).body;
  const expected = ["planner", ...names.map((name) => `planner (${name})`)].sort();
  const shown = (await ask(`/scim2/Users/${id}`)).roles;
  expect(shown.map(({ display }: Shown) => display).sort()).toEqual(expected);
  expect(shown.map(({ value }: Shown) => value)).toEqual(["planner", "planner", "planner"]);
  for (const display of expected) {
    const filter = encodeURIComponent(`roles.display eq "${display}" and userName eq "${userName}"`);
    expect((await ask(`/scim2/Users?filter=${filter}`)).Resources).toMatchObject([{ id, roles: shown }]);
  }
  // What was read is written back, and assigns nothing.
  const put = await api.ask("PUT", `/scim2/Users/${id}`, { headers: asScim, body: await ask(`/scim2/Users/${id}`) });
  expect([put.status, put.body.roles], put.text).toEqual([200, shown]);
});

test("lists of roles show users and groups as a read does, or mark a role that has too many of them", async () => {
  const { id, userName } = await user();
  const group = await sent("POST", "/scim2/Groups", { displayName: fresh("crew") });
  const displayName = fresh("listed");
  const role = await sent("POST", ROLES, { displayName, users: [{ value: id }], groups: [{ value: group.id }] });
  const filter = `filter=displayName+eq+"${displayName}"`;
  const found = async (query = "") => (await sent("GET", `${ROLES}?${filter}${query}`)).Resources[0];
  expect(await found()).toEqual(await sent("GET", `${ROLES}/${role.id}`));
  expect((await found()).users).toMatchObject([{ value: id, display: userName }]);
  expect((await sent("POST", `${ROLES}/.search`, { filter: `displayName eq "${displayName}"` })).Resources).toEqual([
    await found(),
  ]);
  expect(await found("&attributes=groups")).toMatchObject({ groups: [{ value: group.id }] });
  expect(await found("&attributes=groups")).not.toHaveProperty("users");
  expect(await found("&excludedAttributes=users,groups")).not.toHaveProperty("groups");

  const Operations = Array.from({ length: 50 }, (_, at) => ({
    method: "POST",
    path: "/Users",
    bulkId: `b${at}`,
    data: { userName: fresh("many"), password: "good-Passw0rd" },
  }));
  const { Operations: made } = await sent("POST", "/scim2/Bulk", { Operations });
  const value = made.map(({ location }: Shown) => ({ value: location.split("/").at(-1) }));
  await sent("PATCH", `${ROLES}/${role.id}`, { Operations: [{ op: "add", path: "users", value }] });
  const mark = "urn:scim:identity-admin:schema:RoleAssignees";
  const many = await found();
  expect([many.users, many[mark], many.groups.length]).toEqual([undefined, { usersOmitted: true }, 1]);
  expect(many.schemas).toContain(mark);
  expect((await sent("GET", `${ROLES}/${role.id}`)).users).toHaveLength(51);
  const back = await api.ask("PUT", `${ROLES}/${role.id}`, { body: many });
  expect([back.status, back.body.detail]).toEqual([400, expect.stringContaining("users of this role were left out")]);
  expect(sorted((await sent("GET", `${ROLES}/${role.id}`)).users, "value")).toHaveLength(51);
});
