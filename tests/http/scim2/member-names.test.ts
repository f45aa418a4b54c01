/** A user in more groups than one transaction renames it in, by both versions of SCIM. */
import { expect, test } from "vitest";
import { scimOf } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

/** One transaction copies a name to 40 groups; the others are renamed on the condition that the name is still current. */
const GROUPS = 43;

const api = world();
const scim = scimOf(api);

test.each([
  ["SCIM 2.0", "PUT", "/scim2/Users"],
  ["SCIM 1.1", "PUT", "/svc/scim/Users"],
])("%s renames a user in all of 43 groups", async (version, method, path) => {
  const before = `many-${version.replace(/\D/g, "")}`;
  const user = await scim.user({ userName: before, password: "Many-groups-1" });
  const names = Array.from({ length: GROUPS }, (_, at) => `${before}-group-${at}`);
  for (const displayName of names) await scim.group({ displayName, members: [{ value: user.id }] });
  const answer = await api.ask(method, `${path}/${user.id}`, { body: { userName: `${before}-after` } });
  expect([answer.status, answer.body.userName]).toEqual([200, `${before}-after`]);
  const filter = encodeURIComponent(`displayName sw "${before}-group-"`);
  const groups = await api.ask("GET", `/scim2/Groups?filter=${filter}&count=100`);
  const shown = groups.body.Resources.map(({ members }: { members: { display: string }[] }) => members[0]?.display);
  expect(shown).toEqual(names.map(() => `${before}-after`));
});
