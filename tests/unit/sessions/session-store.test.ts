/** Rows of sessions: found by the cookie, and gone for good once they are removed. */
import { expect, test } from "vitest";
import type { Session } from "#core/sessions/model.ts";
import {
  changingSession,
  findSession,
  newSessionCookie,
  readSessionCookie,
  removingSession,
  storingSession,
} from "#core/sessions/session-store.ts";
import { newMeter } from "#core/table/meter.ts";
import { testTable } from "#tests/support/engine.ts";

const user = { id: "8c5a8c1c-6a5f-4a63-9d5e-5a4a1a7c0001", userName: "kim", userStore: "PRIMARY" };
const session: Session = {
  ...{ tenant: "acme.com", user, sid: "s" },
  ...{ authSeconds: 1, startedMs: 1_000, seenSeconds: 1, endsAtSeconds: 2_000_000_000 },
};

test("a session is found by its cookie, and a use that overlaps its end does not begin it again", async () => {
  const table = (await testTable()).open(newMeter());
  const { value, reference } = newSessionCookie("acme.com", user);
  expect(readSessionCookie(value)).toEqual(reference);
  const { digest } = reference;
  await table.write(storingSession(digest, session));
  const ended = () => new Error("ended");
  await table.write(changingSession(digest, { ...session, seenSeconds: 61 }, ended));
  expect(await findSession(table, reference)).toEqual({ ...session, seenSeconds: 61 });
  await table.write(removingSession(reference));
  await expect(table.write(changingSession(digest, session, ended))).rejects.toThrow("ended");
  expect(await findSession(table, reference)).toBeUndefined();
});
