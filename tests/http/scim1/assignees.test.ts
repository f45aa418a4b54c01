/** SCIM 1.1 has no operations on roles, and still removes the role assignments of what it deletes. */
import { describe, expect, test } from "vitest";
import { fresh } from "#tests/support/scim.ts";
import { scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim1 = scim1Of(api);
const ROLES = "/scim2/v2/Roles";
const VIEW = "internal_application_mgt_view";

/** Creates a role with an assignee; returns its id. */
const roleOf = async (holder: Readonly<Record<string, unknown>>): Promise<string> => {
  const permissions = [{ value: VIEW }];
  const { status, body } = await api.ask("POST", ROLES, {
    body: { displayName: fresh("role"), permissions, ...holder },
  });
  expect(status).toBe(201);
  return body.id;
};
const holdersOf = async (id: string) => {
  const { body } = await api.ask("GET", `${ROLES}/${id}`);
  return { users: body.users ?? [], groups: body.groups ?? [] };
};

describe("deleteScim1User", () => {
  test("removes the role assignments of the user", async () => {
    const { id } = await scim1.user();
    const role = await roleOf({ users: [{ value: id }] });
    expect((await holdersOf(role)).users).toHaveLength(1);
    expect((await scim1.ask("DELETE", `/Users/${id}`)).status).toBe(200);
    expect(await holdersOf(role)).toEqual({ users: [], groups: [] });
  });
});

describe("deleteScim1Group", () => {
  test("removes the role assignments of the group", async () => {
    const { id } = await scim1.group();
    const role = await roleOf({ groups: [{ value: id }] });
    expect((await holdersOf(role)).groups).toHaveLength(1);
    expect((await scim1.ask("DELETE", `/Groups/${id}`)).status).toBe(200);
    expect(await holdersOf(role)).toEqual({ users: [], groups: [] });
  });
});
