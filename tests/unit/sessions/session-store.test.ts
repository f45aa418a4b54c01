/** Rows of sessions: found by the cookie, and gone for good once they are removed. */
import { expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Session } from "#core/sign-in/sessions/model.ts";
import {
  addingClient,
  changingSession,
  checkingSession,
  findSession,
  newSessionCookie,
  readOwnSession,
  readSession,
  readSessionCookie,
  removingSession,
  sessionsOf,
  storingSession,
} from "#core/sign-in/sessions/session-store.ts";
import { testTable } from "#tests/support/engine.ts";

const user = { id: "8c5a8c1c-6a5f-4a63-9d5e-5a4a1a7c0001", userName: "kim", userStore: "PRIMARY" };
const session: Session = {
  ...{ tenant: "acme.com", user, sid: "0198c5a8-0000-7000-8000-000000000001" },
  ...{ authSeconds: 1, startedMs: 1_000, seenSeconds: 1, endsAtSeconds: 2_000_000_000, ip: "198.51.100.7" },
};
const ended = () => new Error("ended");

test("a session is found by its cookie, and a use that overlaps its end does not begin it again", async () => {
  const table = (await testTable()).open(newMeter());
  const { value, reference } = newSessionCookie(session);
  expect(readSessionCookie(value)).toEqual(reference);
  const { digest } = reference;
  await table.write(storingSession(digest, session));
  await table.write(changingSession(digest, digest, { ...session, seenSeconds: 61 }, ended));
  expect(await findSession(table, reference)).toEqual({ ...session, seenSeconds: 61 });
  await table.write(removingSession(reference));
  await expect(table.write(changingSession(digest, digest, session, ended))).rejects.toThrow("ended");
  await expect(table.write(checkingSession(reference, ended), addingClient(session, client("a")))).rejects.toThrow();
  expect(await findSession(table, reference)).toBeUndefined();
  expect(await sessionsOf(table, "acme.com", user.id)).toEqual([]);
});

const client = (clientId: string) => ({ clientId, applicationId: `app ${clientId}`, subject: "kim" });

test("a cookie with a secret from before does not count, and changes nothing", async () => {
  const table = (await testTable()).open(newMeter());
  const [before, after] = [newSessionCookie(session).reference, newSessionCookie(session).reference];
  await table.write(storingSession(before.digest, session));
  await table.write(changingSession(before.digest, after.digest, session, ended));
  expect(await findSession(table, before)).toBeUndefined();
  expect(await readOwnSession(table, before)).toBeUndefined();
  expect(await findSession(table, after)).toEqual(session);
  await expect(table.write(changingSession(before.digest, before.digest, session, ended))).rejects.toThrow("ended");
});

test("sessions are read with their clients, whatever the ids of the clients are", async () => {
  const table = (await testTable()).open(newMeter());
  const other = { ...session, sid: "0198c5a8-0000-7000-8000-000000000002" };
  const clients = [client("\u{10FFFF}#"), client("a b"), client("x".repeat(1_200))];
  await table.write(storingSession("d", session), storingSession("e", other));
  await table.write(...clients.map((each) => addingClient(session, each)), addingClient(other, client("a b")));
  const found = await sessionsOf(table, "acme.com", user.id);
  expect(found.map((each) => [each.session.sid, each.digest])).toEqual([
    [session.sid, "d"],
    [other.sid, "e"],
  ]);
  const byId = (of: readonly { clientId: string }[] = []) => of.map(({ clientId }) => clientId).sort();
  expect(byId(found[0]?.clients)).toEqual(byId(clients));
  expect(byId(found[1]?.clients)).toEqual(["a b"]);
  const key = { tenant: "acme.com", userId: user.id };
  expect((await readSession(table, { ...key, sid: other.sid }))?.clients).toEqual([client("a b")]);
  expect(await readSession(table, { ...key, sid: "0198" })).toBeUndefined();
});
