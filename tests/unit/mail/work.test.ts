/** The queue of mails: sent at least once, whatever fails, and the same work for every name; on the embedded engine. */
import { beforeEach, describe, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import type { MailDeps, Mailed } from "#core/events/mail/deps.ts";
import { MailRefused, type Message } from "#core/events/mail/model.ts";
import { mailDue } from "#core/events/mail/work.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newId } from "#core/kernel/ids.ts";
import { newSeal } from "#core/kernel/seal.ts";
import type { RecoveryContext } from "#core/sign-in/recovery/context.ts";
import { accountRecoveryHandlers } from "#core/sign-in/recovery/handlers.ts";
import { addingMail, waitingMails, waitingTenants } from "#core/tokens/mail-store.ts";
import { testTable } from "#tests/support/engine.ts";

const tenant = "acme.com";
const START = Date.parse("2026-01-01T00:00:00Z");
const MINUTE = 60_000;

let table: Table;
let nowMs: number;
let sent: Message[];
let reports: Mailed[];
let send: () => Promise<void>;

beforeEach(async () => {
  table = (await testTable()).open(newMeter());
  nowMs = START;
  [sent, reports] = [[], []];
  send = async () => undefined;
  const profile = { emails: [{ value: "kim@example.com", primary: true }] };
  await userStore(table).add(tenant, freshUser(newId(), "kim", START, { hasPassword: true, profile }));
});

const deps = (more: Partial<MailDeps> = {}): MailDeps => ({
  table,
  users: userStore(table),
  tenants: { find: async () => ({ active: true }) as never },
  brandOf: () => ({ name: "Acme" }),
  sender: { name: "Acme", address: "no-reply@acme.example" },
  limits: { ofNameMax: 5, ofAddressMax: 3, ofSourceMax: 60 },
  origin: "https://id.example.com",
  send: async (message) => {
    await send();
    sent.push(message);
  },
  clock: { now: () => nowMs },
  report: (mailed) => reports.push(mailed),
  reportMark: () => undefined,
  random: () => 1,
  untilMs: Number.POSITIVE_INFINITY,
  ...more,
});
const run = (only: readonly string[] | "noted" = [tenant], more: Partial<MailDeps> = {}) =>
  mailDue(deps(more), only === "noted" ? undefined : only);
const ask = (about = "kim", kind: "password-link" | "user-names" = "password-link") =>
  table.write(addingMail({ kind, tenant, about, language: "en", askedMs: nowMs }));
const left = async () => (await waitingMails(table, tenant, 10)).length;

describe("a mail", () => {
  test("is sent once, and leaves nothing", async () => {
    await ask();
    await run();
    await run();
    expect([sent.map(({ to }) => to), await left(), await waitingTenants(table)]).toEqual([["kim@example.com"], 0, []]);
    expect(reports).toEqual([{ tenant, kind: "password-link", sent: 1, lagMs: 0 }]);
  });

  test("for an unknown name sends no mail and logs nothing", async () => {
    await ask("unknown");
    await ask("unknown@example.com", "user-names");
    await run();
    expect([sent, await left(), reports]).toEqual([[], 0, []]);
  });

  test("that fails is tried again later, each time with another link, and says nothing of the address", async () => {
    await ask();
    send = async () => {
      throw new Error("kim@example.com: connection reset");
    };
    await run();
    expect(await waitingTenants(table)).toEqual([{ tenant, dueMs: START + 5_000 }]);
    nowMs += 4_000;
    await run("noted");
    expect(reports).toHaveLength(1);
    nowMs += 1_000;
    send = async () => undefined;
    await run("noted");
    expect([sent.length, await left(), await waitingTenants(table)]).toEqual([1, 0, []]);
    expect(reports[0]).toMatchObject({ sent: 0, failure: "The mail could not be sent." });
  });

  test("that always fails is given up after an hour", async () => {
    await ask();
    send = async () => {
      throw new Error("down");
    };
    for (; nowMs < START + 90 * MINUTE && (await left()) > 0; nowMs += MINUTE) await run("noted").then(() => run());
    expect(nowMs - START).toBeLessThanOrEqual(60 * MINUTE);
    expect([sent, reports.at(-1)?.isGivenUp, await left()]).toEqual([[], true, 0]);
  });

  test("that is refused for good is tried once", async () => {
    await ask();
    send = async () => {
      throw new MailRefused("The mail server does not take the recipient.");
    };
    await run();
    expect([await left(), reports.map(({ isGivenUp }) => isGivenUp)]).toEqual([0, [true]]);
  });

  test("is sent by one of several workers", async () => {
    await ask();
    await Promise.all(Array.from({ length: 5 }, () => run()));
    expect([sent.length, await left()]).toEqual([1, 0]);
  });

  test("that a dead worker had taken is sent after its lease", async () => {
    await ask();
    const dead = new Error("the worker has ended");
    send = () => new Promise(() => undefined);
    await Promise.race([run(), new Promise((resolve) => setTimeout(resolve, 300, dead))]);
    send = async () => undefined;
    await run();
    expect(sent).toEqual([]);
    nowMs += 61_000;
    await run();
    expect(sent).toHaveLength(1);
  });

  test("beyond the limit of its address is not sent, in this hour", async () => {
    for (let at = 0; at < 5; at += 1) await ask();
    await run();
    expect([sent.length, await left()]).toEqual([3, 0]);
    nowMs += 60 * MINUTE;
    await ask();
    await run();
    expect(sent).toHaveLength(4);
  });
});

describe("a request", () => {
  /** A table that notes what is asked of it, and the stores of a request on it. */
  const contextOf = (calls: string[], more: Partial<RecoveryContext["tools"]> = {}): RecoveryContext => {
    const noting = <F extends (...given: never[]) => unknown>(name: string, work: F) =>
      ((...given: Parameters<F>) => {
        calls.push(name);
        return work(...given);
      }) as unknown as F;
    const watched: Table = {
      ...table,
      get: noting("get", table.get),
      getMany: noting("getMany", table.getMany),
      query: noting("query", table.query),
      write: noting("write", table.write),
      count: noting("count", table.count),
    };
    const none = () => {
      throw new Error("a request that asks for a mail reads no user");
    };
    return {
      ...{ traceId: "trace", now: nowMs, origin: "https://id.example.com", pathTenant: tenant, sourceIp: "192.0.2.1" },
      reportDefect: none,
      table: watched,
      users: { find: none, idOf: none, idsBy: none },
      tenants: { find: async () => ({ active: true }) as never },
      identitiesAs: none,
      tools: {
        sendsMail: true,
        limits: { ofNameMax: 5, ofAddressMax: 10, ofSourceMax: 4 },
        passwords: { lengthMin: 8, lengthMax: 100, history: 0 },
        brandOf: () => ({}),
        registrationOf: () => undefined,
        seal: newSeal(Buffer.alloc(32, 1)),
        ...more,
      },
    };
  };
  const forget = (username: string, context: RecoveryContext) =>
    accountRecoveryHandlers.forgotPassword(
      { body: { username }, headers: {}, params: undefined, query: undefined },
      context,
    );

  test("does the same for every name, and reads no user", async () => {
    const works = [];
    for (const name of ["kim", "unknown", "kim@example.com", "CORP/kim", "\u0000"]) {
      const calls: string[] = [];
      const { html } = await forget(name, { ...contextOf(calls), sourceIp: `192.0.2.${works.length}` });
      works.push({ calls, html });
    }
    expect(works[0]?.calls).toEqual(["count", "count", "write"]);
    for (const each of works) expect(each).toEqual(works[0]);
  });

  test("of a source beyond its limit is 429, whatever the name", async () => {
    const context = contextOf([]);
    for (let at = 0; at < 4; at += 1) await forget(`name-${at}`, context);
    const refused = await forget("kim", context).catch((error: unknown) => error);
    expect([refused instanceof Fault && refused.row.status, await left()]).toEqual([429, 4]);
    expect((await forget("kim", { ...context, sourceIp: "192.0.2.2" })).status).toBe(200);
  });

  test("is 403, with a sentence, where the deployment sends no mail", async () => {
    const calls: string[] = [];
    const off = await forget("kim", contextOf(calls, { sendsMail: false })).catch((error: unknown) => error);
    expect([off instanceof Fault && off.row.status, String(off), calls]).toEqual([
      403,
      expect.stringContaining("This service sends no e-mail"),
      [],
    ]);
  });
});
