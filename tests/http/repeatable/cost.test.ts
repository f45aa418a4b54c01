/** What a key costs in the table (decision 0086). */
import { expect, test } from "vitest";
import { key } from "#tests/support/repeatable.ts";
import { APPLICATIONS, type Ask, world } from "#tests/support/world.ts";
import { costOf, isAuthorizer, listening } from "#tools/bench/calls.ts";

const api = world();
const password = "a-long-password";

/** The cost of one request. */
const cost = async (method: string, path: string, sent: Ask) => {
  let status = 0;
  const lines = await listening(async () => {
    ({ status } = await api.ask(method, path, sent));
  });
  const { roundTrips, readUnits, writeUnits } = costOf(lines.find((line) => !isAuthorizer(line)));
  return { status, roundTrips, readUnits, writeUnits };
};

const requests = {
  application: (name: string) => [APPLICATIONS, { name }] as const,
  user: (name: string) => ["/scim2/Users", { userName: name, password }] as const,
};

test.each(["application", "user"] as const)(
  "a new %s costs three round trips more, and the claim of the key and its answer",
  async (what) => {
    const create = (name: string, headers: Ask["headers"] = {}) => {
      const [path, body] = requests[what](name);
      return cost("POST", path, { body, headers });
    };
    await create("first");
    const plain = await create("plain");
    const keyed = await create("keyed", key(what));
    const again = await create("keyed", key(what));
    expect([plain.status, keyed.status, again.status]).toEqual([201, 201, 201]);
    expect(keyed.roundTrips - plain.roundTrips).toBeLessThanOrEqual(3);
    // The claim is two, and the answer two for each kilobyte: with the scopes of the credential, which decide here.
    expect(keyed.writeUnits - plain.writeUnits).toBeLessThanOrEqual(6);
    // The row of the key, and two for each row that the change depends on: a user has two in each of six indexes. The
    // logs of the two times have three.
    const inIndexes = what === "user" ? 6 * 2 * 2 + 3 : 0;
    expect(keyed.readUnits - plain.readUnits).toBeLessThanOrEqual(12 + inIndexes);
    expect(again).toEqual({ status: 201, roundTrips: 1, readUnits: 1, writeUnits: 0 });
  },
);
