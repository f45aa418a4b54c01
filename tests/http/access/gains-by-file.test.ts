/**
 * No privilege escalation through files (decision 0061): each change of gains.test.ts, made by the import of the file
 * that an application with this change exports.
 */
import { expect, test } from "vitest";
import { changes } from "#tests/support/application-changes.ts";
import { limitedManagers, manager } from "#tests/support/limited-managers.ts";
import { ADMIN, APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { as, created, authorize, snapshot, getsScope, upload } = limitedManagers(api);

/** Changes that a file has no place for: authorizations, the owner, and the name that finds the application. */
const elsewhere =
  /^(authorizeApi|patchAuthorizedApi|deleteAuthorizedApi|deleteApplication|changeApplicationOwner):|: name /;

test.each(changes.filter(({ name }) => !elsewhere.test(name)))("$name: gain $isGain", async (change) => {
  const donor = await created(change.state);
  const file = async () => (await api.ask("GET", `${APPLICATIONS}/${donor}/export?exportSecrets=true`)).text;
  const original = await file();
  expect((await change.send(as(ADMIN), donor)).status).toBeLessThan(300);
  const changed = await file();
  await api.ask("DELETE", `${APPLICATIONS}/${donor}`);
  const imported = await upload("POST", original, ADMIN);
  expect(imported.status).toBe(201);
  const id = imported.body.applicationId;
  await authorize(id);
  const before = await snapshot(id);
  const { status, body } = await upload("PUT", changed, manager);
  expect([status, body.code]).toEqual(change.isGain ? [403, "APP-60520"] : [200, undefined]);
  if (change.isGain) expect(await snapshot(id)).toEqual(before);
  expect(await getsScope(id)).toBe(false);
});
