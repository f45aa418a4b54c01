/** The database cost of roles: in users, and in lists with their users and groups. Counts, not times. */
import { beforeAll, expect, test } from "vitest";
import { pause } from "#core/kernel/clock.ts";
import { fresh, type Shown } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";
import { costOf, listening } from "#tools/bench/calls.ts";

const api = world();
const ROLES = "/scim2/v2/Roles";
const PAGE = 100;
/** Each of the other half has a user and a group. */
const WITHOUT = PAGE / 2;
let user = "";

const sent = async (path: string, body: unknown): Promise<Shown> => {
  const answer = await api.ask("POST", path, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
/** The cost of a read, without that of its authorisation. */
const costs = async (path: string) => {
  const lines = await listening(async () => {
    const answer = await api.ask("GET", path);
    expect(answer.status, answer.text).toBe(200);
  });
  const { roundTrips, readUnits } = costOf(lines.find(({ service }) => service === "scim2"));
  return { roundTrips, readUnits };
};

beforeAll(async () => {
  const password = "good-Passw0rd";
  const made = await sent("/scim2/Users", { userName: fresh("user"), password });
  const group = await sent("/scim2/Groups", { displayName: fresh("group") });
  user = made.id;
  const application = await api.create({ name: fresh("application") });
  for (let at = 0; at < PAGE; at += 1) {
    const isAssigned = at >= WITHOUT;
    await sent(ROLES, {
      displayName: `role ${String(at).padStart(3, "0")}`,
      audience: { type: "application", value: application },
      ...(isAssigned && { users: [{ value: user }], groups: [{ value: group.id }] }),
    });
  }
}, 60_000);

test("a user with 50 roles of applications costs one round trip, and two more after a name changed", async () => {
  const path = `/scim2/Users/${user}`;
  // The user, the entry of its application, and the role and group of each id.
  const first = await costs(path);
  expect(first).toMatchObject({ roundTrips: 3 });
  expect(first.readUnits).toBeLessThanOrEqual(2 + 1 + 2 * (WITHOUT + 1));
  // Names are remembered a second after their last change.
  await pause(1_100);
  await costs(path);
  expect(await costs(path)).toEqual({ roundTrips: 1, readUnits: 2 });
});

test("a list of roles costs a query for the users and groups of each, and none where they are left out", async () => {
  const list = `${ROLES}?filter=displayName+sw+"role"&count=${PAGE}`;
  const bare = await costs(`${list}&excludedAttributes=users,groups`);
  expect(bare.roundTrips).toBe(3);
  expect(bare.readUnits).toBeLessThanOrEqual(PAGE + 10);
  const whole = await costs(list);
  expect(whole.roundTrips).toBe(5);
  // And the user and the group for their names.
  expect(whole.readUnits - bare.readUnits).toBeLessThanOrEqual(PAGE + 2);
  expect((await costs(`${list}&attributes=groups`)).readUnits - bare.readUnits).toBeLessThanOrEqual(PAGE + 1);
});
