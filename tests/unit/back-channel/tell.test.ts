/** Telling clients of sessions that have ended: at least once, whatever fails; on the embedded engine. */
import { beforeEach, expect, test } from "vitest";
import type { Application } from "#core/applications/registry/model.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { Noted } from "#core/kernel/noted.ts";
import { FetchRefused } from "#core/kernel/public-fetch.ts";
import { waitMs } from "#core/sign-in/logout/attempts.ts";
import { type TellDeps, type Told, tellDue } from "#core/sign-in/logout/tell.ts";
import { storingConsent } from "#core/sign-in/sessions/consent-store.ts";
import { addingClient, storingSession } from "#core/sign-in/sessions/session-store.ts";
import {
  addingLogout,
  endingSessionsOf,
  LOGOUT_MS,
  noteWaiting,
  waitingLogouts,
  waitingTenants,
} from "#core/tokens/logout-store.ts";
import type { LogoutOrder, SamlLogoutOrder } from "#core/tokens/logout-token.ts";
import { testTable } from "#tests/support/engine.ts";

const tenant = "acme.com";
const userId = "8c5a8c1c-6a5f-4a63-9d5e-5a4a1a7c0001";
const START = Date.parse("2026-01-01T00:00:00Z");

let table: Table;
let nowMs: number;
let orders: (LogoutOrder | SamlLogoutOrder)[];
let sent: string[];
let reports: Told[];
let respond: (url: string) => Promise<{ status: number; retryAfterMs?: number }>;

beforeEach(async () => {
  table = (await testTable()).open(newMeter());
  nowMs = START;
  [orders, sent, reports] = [[], [], []];
  respond = async () => ({ status: 204 });
});

/** The application of each client has its id and an address; one with `no` in its id has none. */
const applications: TellDeps["applications"] = {
  find: async (_, id) =>
    id.includes("gone")
      ? undefined
      : ({
          id,
          inbound: {
            oidc: {
              clientId: id,
              idToken: {},
              logout: { ...(!id.includes("no") && { backChannelLogoutUrl: `https://${id}.example/out` }) },
            },
          },
        } as unknown as Application),
};
const run = (more: Partial<TellDeps> = {}, only: readonly string[] | "noted" = [tenant]) =>
  tellDue(
    {
      table,
      applications,
      order: async (_, order) => {
        orders.push(order);
        return `token ${orders.length}`;
      },
      post: async ({ url }) => {
        sent.push(new URL(url).hostname.split(".")[0] ?? "");
        return { ...(await respond(url)), text: "" };
      },
      exempt: new Set(),
      clock: { now: () => nowMs },
      report: (told) => void reports.push(told),
      random: () => 1,
      untilMs: nowMs + 40_000,
      ...more,
    },
    only === "noted" ? undefined : only,
  );
let count = 0;
/** A session that has ended, with clients. */
const ended = async (...ids: readonly string[]) => {
  count += 1;
  const sid = `0198c5a8-0000-7000-8000-${String(count).padStart(12, "0")}`;
  const user = { id: userId, userName: "kim", userStore: "PRIMARY" };
  const session = {
    ...{ tenant, user, sid, ip: "198.51.100.7", authSeconds: 1, startedMs: 1_000, seenSeconds: 1 },
    endsAtSeconds: START / 1_000 + 1_000,
  };
  await table.write(
    ...ids.map((id) => addingClient(session, { clientId: id, applicationId: id, subject: "kim" })),
    addingLogout({ kind: "session", tenant, userId, sid, endedMs: nowMs }),
  );
  return { sid, session };
};
const waiting = () => waitingLogouts(table, tenant, 100);

test("every client with an address is told once, and nothing is left", async () => {
  const { sid } = await ended("a", "no-address", "gone", "b");
  await run();
  await run();
  expect([...sent].sort()).toEqual(["a", "b"]);
  expect(orders).toContainEqual({ tenant, clientId: "a", subject: "kim", sid, algorithm: "RS256" });
  expect(await waiting()).toEqual([]);
  expect(reports.map(({ application, told }) => [application, told]).sort()).toEqual([
    ["a", 1],
    ["b", 1],
  ]);
});

test("a session with hundreds of clients is told to each", async () => {
  const ids = Array.from({ length: 130 }, (_, at) => `c${at}`);
  for (let at = 0; at < ids.length; at += 65) {
    count -= at === 0 ? 0 : 1;
    await ended(...ids.slice(at, at + 65));
  }
  await run();
  expect([...new Set(sent)].sort()).toEqual([...ids].sort());
});

test("a failure is tried again after a growing time with a token of its own, and not before", async () => {
  await ended("a");
  respond = async () => ({ status: 500 });
  await run();
  expect(orders).toHaveLength(1);
  const times: number[] = [];
  for (let attempt = 2; attempt <= 5; attempt += 1) {
    const [{ sortKey } = { sortKey: "" }] = await waiting();
    const dueMs = Number(sortKey.split("#")[0]);
    times.push(dueMs - nowMs);
    nowMs = dueMs - 1;
    await run();
    expect(orders).toHaveLength(attempt - 1);
    nowMs = dueMs;
    await run();
    expect(orders).toHaveLength(attempt);
  }
  expect(times).toEqual([5_000, 15_000, 45_000, 135_000]);
  respond = async () => ({ status: 200 });
  nowMs += LOGOUT_MS / 2;
  await run();
  expect(await waiting()).toEqual([]);
  expect(reports.at(-1)).toMatchObject({ told: 1, application: "a" });
  expect(reports[0]).toMatchObject({ told: 0, failure: "The client responded with 500." });
});

test("waits as long as the client asks for, and at most an hour", () => {
  expect(waitMs(1, 0, 0)).toBe(2_500);
  expect(waitMs(1, 60_000, 0)).toBe(60_000);
  expect(waitMs(1, 10 * 3_600_000, 0)).toBe(3_600_000);
  expect(waitMs(30, 0, 1)).toBe(3_600_000);
});

test("a client that fails for a day is given up, and said to be", async () => {
  await ended("a");
  respond = async () => {
    throw new FetchRefused("The connection to the receiver failed (ECONNREFUSED).");
  };
  await run();
  nowMs += LOGOUT_MS;
  await run();
  expect(reports.at(-1)).toMatchObject({ isGivenUp: true, failure: expect.stringContaining("ECONNREFUSED") });
  expect(await waiting()).toEqual([]);
});

test("a worker that dies while it tells a client leaves it to the next one, a minute later", async () => {
  await ended("a");
  class Killed extends Error {}
  const dying = run({
    post: async () => {
      throw new Killed();
    },
    report: () => {
      throw new Killed();
    },
    // The failed attempt is not written either.
    random: () => {
      throw new Killed();
    },
  });
  await expect(dying).rejects.toMatchObject({ cause: expect.any(Killed) });
  expect(sent).toEqual([]);
  await run();
  expect(sent).toEqual([]);
  nowMs += 60_000;
  await run();
  expect(sent).toEqual(["a"]);
  expect(await waiting()).toEqual([]);
});

test("a worker that dies before the clients are known leaves that to the next one", async () => {
  await ended("a", "b");
  const dying = run({
    applications: {
      find: async () => {
        throw new Error("killed");
      },
    },
  });
  await expect(dying).rejects.toMatchObject({ cause: { message: "killed" } });
  nowMs += 60_000;
  await run();
  expect([...sent].sort()).toEqual(["a", "b"]);
});

test("two workers at once tell each client once", async () => {
  await ended("a", "b", "c");
  await Promise.all([run(), run(), run()]);
  nowMs += 60_000;
  await run();
  expect([...sent].sort()).toEqual(["a", "b", "c"]);
});

test("the others of a client that just failed wait with it, and other clients do not", async () => {
  await ended("slow");
  await ended("slow", "quick");
  await ended("slow");
  respond = async (url) => ({ status: url.includes("slow") ? 503 : 204 });
  await run();
  expect([...sent].sort()).toEqual(["quick", "slow"]);
  expect(await waiting()).toHaveLength(3);
});

test("a token that cannot be signed is a defect, and is tried again", async () => {
  await ended("a");
  await run({
    order: async () => {
      throw new Error("the token endpoint answered 503");
    },
  });
  expect(reports).toEqual([expect.objectContaining({ told: 0, defect: expect.any(Error) })]);
  nowMs += 60_000;
  await run();
  expect(sent).toEqual(["a"]);
});

test("sessions that began after the change of an account go on", async () => {
  const { session } = await ended();
  await run();
  await table.write(
    storingSession("d", session),
    addingClient(session, { clientId: "a", applicationId: "a", subject: "kim" }),
    addingLogout({ kind: "user", tenant, userId, endedMs: nowMs }),
  );
  await run();
  expect(sent).toEqual([]);
  expect(await waiting()).toEqual([]);
});

test("nothing begins after the time of a call", async () => {
  await ended("a");
  await run({ untilMs: nowMs });
  expect(sent).toEqual([]);
  await run();
  expect(sent).toEqual(["a"]);
});

test("what waits is noted with its tenant, for a call that names none", async () => {
  await ended("a");
  respond = async () => ({ status: 500 });
  await run();
  expect(await waitingTenants(table)).toEqual([{ tenant, dueMs: nowMs + 5_000 }]);
  // Before its time nothing is read of the tenant.
  await run({}, "noted");
  expect(orders).toHaveLength(1);
  nowMs += 5_000;
  respond = async () => ({ status: 204 });
  await run({}, "noted");
  expect(sent).toEqual(["a", "a"]);
  expect(await waiting()).toEqual([]);
  expect(await waitingTenants(table)).toEqual([]);
});

test("what is left when the time of a call is over is noted as due", async () => {
  await ended("a");
  await run({ untilMs: nowMs });
  expect(await waitingTenants(table)).toEqual([{ tenant, dueMs: nowMs }]);
  await run({}, "noted");
  expect(sent).toEqual(["a"]);
});

test("a tenant whose work cannot be read is noted, and keeps no other tenant waiting", async () => {
  await ended("a");
  const broken: Table = {
    ...table,
    query: (range) => (range.PK.includes("broken.com") ? Promise.reject(new Error("denied")) : table.query(range)),
  };
  const failure = await run({ table: broken }, ["broken.com", tenant]).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Noted);
  expect(failure).toMatchObject({ cause: { message: "denied" } });
  expect(sent).toEqual(["a"]);
  expect(await waitingTenants(table)).toEqual([{ tenant: "broken.com", dueMs: nowMs }]);
});

test("a failure that cannot be noted is thrown as it is", async () => {
  await ended("a");
  const denied = () => Promise.reject(new Error("denied"));
  await expect(run({ table: { ...table, query: denied, write: denied } })).rejects.toThrow("denied");
});

test("an earlier time that is still to come stays noted, and one that has passed does not", async () => {
  const noted = async (dueMs: number) => {
    await noteWaiting(table, { tenant, dueMs }, nowMs);
    return (await waitingTenants(table)).map((each) => each.dueMs - nowMs);
  };
  expect(await noted(nowMs + 900)).toEqual([900]);
  expect(await noted(nowMs + 500)).toEqual([500]);
  expect(await noted(nowMs + 700)).toEqual([500]);
  nowMs += 600;
  expect(await noted(nowMs + 700)).toEqual([700]);
});

test("a person without sessions costs a change of the account no write", async () => {
  const ending = (kind: "user" | "deletion") => endingSessionsOf(table, { tenant, userId, kind, nowMs });
  expect([await ending("user"), await ending("deletion")]).toEqual([[], []]);
  const before = { scopes: [], claims: [], givenMs: 1 };
  await table.write(storingConsent({ tenant, userId, applicationId: "a" }, undefined, before));
  // Consents go with the user; a change of the account keeps them.
  expect([await ending("user"), await ending("deletion")]).toEqual([[], [expect.anything()]]);
  await ended("a");
  expect(await ending("user")).toEqual([
    expect.objectContaining({ put: expect.objectContaining({ PK: `T#${tenant}#OUT`, kind: "user" }) }),
  ]);
});
