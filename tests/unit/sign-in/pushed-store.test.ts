/** Rows of pushed requests: opened for a minute, answered once. */
import { expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import {
  findPushed,
  isPushedName,
  PUSHED_SECONDS,
  pushedDigest,
  storingPushed,
  usingPushed,
} from "#core/sign-in/flow/pushed-store.ts";
import { testTable } from "#tests/support/engine.ts";

const pushed = { tenant: "acme.com", clientId: "cars", parameters: "{}", isSigned: true, pushedAtSeconds: 1_000 };
const answered = () => new Error("answered before");

test("a request is found for a minute, and used once although its page may be open for longer", async () => {
  const table = (await testTable()).open(newMeter());
  const { requestUri, step } = storingPushed(pushed);
  await table.write(step);
  const digest = pushedDigest(requestUri) ?? "";
  const endMs = (pushed.pushedAtSeconds + PUSHED_SECONDS) * 1_000;
  expect(await findPushed(table, digest, endMs - 1)).toEqual(pushed);
  expect(await findPushed(table, digest, endMs)).toBeUndefined();
  await table.write(usingPushed(digest, answered));
  await expect(table.write(usingPushed(digest, answered))).rejects.toThrow("answered before");
  expect(await findPushed(table, digest, endMs - 1)).toBeUndefined();
});

test("a name that nobody has given is not found, and cannot be used", async () => {
  const table = (await testTable()).open(newMeter());
  expect(await findPushed(table, "unknown", 0)).toBeUndefined();
  await expect(table.write(usingPushed("unknown", answered))).rejects.toThrow("answered before");
  expect([isPushedName("https://cars.example.com/x"), isPushedName(undefined)]).toEqual([false, false]);
  expect(pushedDigest("urn:ietf:params:oauth:request_uri:x")).toBeUndefined();
});
