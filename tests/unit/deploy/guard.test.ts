/** The guard refuses calls beyond the rights of a function, which fails the test of that function. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { credentialStore } from "#core/directory/credentials/store.ts";
import { testTable } from "#tests/support/engine.ts";
import { type Guard, startGuard } from "#tests/support/guard.ts";
import { type FunctionName, plan } from "../../../stacks/plan.ts";
import { statementsOf } from "../../../stacks/statements.ts";

describe.each([
  ["in this process", false],
  ["over a proxy, as bundles need it", true],
])("%s", (_, isProxy) => {
  let guard: Guard;
  let tableOf: (name: FunctionName) => Table;

  beforeAll(async () => {
    const { endpoint, client, reopen } = await testTable();
    guard = await startGuard(endpoint, (name) => statementsOf(plan[name as FunctionName]), { isProxy });
    tableOf = (name) => reopen({ client: { ...client, endpoint: guard.endpointOf(name) } })(newMeter());
  });
  afterAll(() => guard.close());

  const refused = { name: "AccessDeniedException" };
  const otherwise = () => new Error("in use");
  const application = (name: string) => ({ ...keys.application("carbon.super", name), name });
  const credential = (name: string) => ({ ...keys.credential("carbon.super", name), hash: name });

  describe("reading", () => {
    test("the authorizer reads a password hash, the applications do not", async () => {
      expect(await credentialStore(tableOf("authorizer")).find("carbon.super", "nobody")).toBeUndefined();
      await expect(credentialStore(tableOf("applications")).find("carbon.super", "nobody")).rejects.toMatchObject(
        refused,
      );
      expect(guard.refusals.at(-1)).toBe("applications may not GetItem in T#carbon.super#CRED#nobody");
    });
    test("refuses a batch, a range or a snapshot with one item that is not allowed", async () => {
      const table = tableOf("applications");
      const both = [keys.application("carbon.super", "1"), keys.credential("carbon.super", "1")];
      await expect(table.getMany(both)).rejects.toMatchObject(refused);
      await expect(table.snapshot(both)).rejects.toMatchObject(refused);
      await expect(table.query({ PK: both[1]?.PK ?? "", limit: 1 })).rejects.toMatchObject(refused);
      expect(await table.getMany(both.slice(0, 1))).toEqual([undefined]);
    });
  });

  describe("writing", () => {
    test("refuses a transaction with one step that is not allowed, and writes nothing of it", async () => {
      const table = tableOf("applications");
      const steps = [application("2"), credential("2")].map((put) => ({ put, when: "absent" as const, otherwise }));
      await expect(table.write(...steps)).rejects.toMatchObject(refused);
      expect(await table.get(keys.application("carbon.super", "2"))).toBeUndefined();
    });
    test("refuses a transaction whose steps are allowed by different statements", async () => {
      const { endpoint, client, reopen } = await testTable();
      const writing = (on: string) => statementsOf({ ...plan.applications, writes: { calls: ["PutItem"], on: [on] } });
      const statements = [...writing("T#*#A#*"), ...writing("T#*#CRED#*")];
      const own = await startGuard(endpoint, () => statements, { isProxy });
      const table = reopen({ client: { ...client, endpoint: own.endpointOf("applications") } })(newMeter());
      const steps = [application("4"), credential("4")].map((put) => ({ put, when: "absent" as const, otherwise }));
      for (const step of steps) await table.write(step);
      const again = [application("5"), credential("5")].map((put) => ({ put, when: "absent" as const, otherwise }));
      await expect(table.write(...again)).rejects.toMatchObject(refused);
      await own.close();
    });
    test("a function that sets passwords writes hashes and does not read them", async () => {
      const table = tableOf("bootstrap");
      await table.write({ put: credential("3"), when: "absent", otherwise });
      await expect(table.get(keys.credential("carbon.super", "3"))).rejects.toMatchObject(refused);
      await expect(table.count(keys.credential("carbon.super", "3"), { n: 1 })).rejects.toMatchObject(refused);
    });
    test("a caller's text in a key neither removes nor grants a right", async () => {
      const odd = keys.application("carbon.super", "x#CRED#y");
      expect(await tableOf("applications").get(odd)).toBeUndefined();
      await expect(tableOf("application-templates").get(odd)).rejects.toMatchObject(refused);
    });
  });
});
