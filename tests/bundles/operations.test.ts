/**
 * Every operation of the catalogue once, by the functions as they are deployed: each succeeds with the variables and the
 * rights on the table that its function has on AWS, and no others.
 */
import { beforeAll, expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { world } from "#tests/support/world.ts";
import { callerOf, type Received } from "#tools/operation-units/caller.ts";
import { changes, reads } from "#tools/operation-units/calls.ts";
import { createFixture } from "#tools/operation-units/fixture.ts";
import { settingsForCalls } from "#tools/operation-units/service.ts";

const api = world({ deployment: await settingsForCalls() });
const called = new Map<string, Received>();

/** The data set takes some hundred requests. */
const FIXTURE_MS = 180_000;
beforeAll(async () => {
  const call = callerOf(api.url);
  const fixture = await createFixture(call);
  for (const [id, sent] of [...reads(fixture), ...changes(fixture)]) {
    const made = (earlier: string) => called.get(earlier)?.body ?? {};
    called.set(id, await call(id, typeof sent === "function" ? sent(made) : sent));
  }
}, FIXTURE_MS);

test.each(Object.keys(operations))("%s succeeds with the rights of its function", (id) => {
  expect(called.get(id)?.status).toBeTypeOf("number");
});
