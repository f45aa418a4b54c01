/** Groups and roles that are deleted and restored more than once have the members that they had last. */
import { expect, test } from "vitest";
import { recoveryOf } from "#tests/support/recovery.ts";
import { fresh, scimOf } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api, "wso2");
const { remove, restored } = recoveryOf(api);
const MANY = 100;
const SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

const valuesOf = (elements: readonly { value: string }[] = []) => elements.map(({ value }) => value).sort();

test.each([
  ["group", "/scim2/Groups", "members"],
  ["role", "/scim2/v2/Roles", "users"],
])(
  "a %s of %s",
  async (_, path, attribute) => {
    const users = await Promise.all(Array.from({ length: MANY }, () => scim.user()));
    const members = users.map(({ id }) => ({ value: id }));
    const made = await api.ask("POST", path, { body: { displayName: fresh("again"), [attribute]: members } });
    expect(made.status, made.text).toBe(201);
    const one = `${path}/${made.body.id}`;
    const membersNow = async () => valuesOf((await api.ask("GET", one)).body[attribute]);
    expect(await membersNow()).toEqual(valuesOf(members));

    await remove(one);
    expect((await restored(made.body.id)).leftOut ?? { members: 0 }).toMatchObject({ members: 0 });
    expect(await membersNow()).toEqual(valuesOf(members));

    const ordered = valuesOf(members);
    const gone = [0, 9, 20, 44, 45, 46, 59, 60, 90, 91, 99].flatMap((at) => ordered[at] ?? []);
    const Operations = gone.map((value) => ({ op: "remove", path: `${attribute}[value eq "${value}"]` }));
    const patched = await api.ask("PATCH", one, { body: { schemas: [SCHEMA], Operations } });
    expect(patched.status, patched.text).toBe(200);
    const left = ordered.filter((id) => !gone.includes(id));
    expect(await membersNow()).toEqual(left);

    await remove(one);
    await restored(made.body.id);
    expect(await membersNow()).toEqual(left);
  },
  120_000,
);
