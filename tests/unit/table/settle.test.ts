/** Attempts that meet other writers: room is made in all ranges of a transaction at once. */
import { describe, expect, test } from "vitest";
import { HttpTransport, type Transport } from "#core/database/table/client/transport.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { Crowded, contentionOf, Moved, settle } from "#core/database/table/settle.ts";
import type { Step } from "#core/database/table/table.ts";
import { testTable } from "#tests/support/engine.ts";

const crowd = (range: string, relieved: string[]) => new Crowded(range, async () => void relieved.push(range));

describe("what a transaction ends in that met others", () => {
  test("is nothing where no step says anything", () => {
    expect(contentionOf([])).toBeUndefined();
  });
  test("is the first error where no range is crowded", () => {
    const errors = [new Moved("one"), new Moved("two")];
    expect(contentionOf(errors)).toBe(errors[0]);
  });
  test("makes room in every crowded range, once each, before the next attempt", async () => {
    const relieved: string[] = [];
    const met = [new Moved("founded"), crowd("a", relieved), crowd("a", relieved), crowd("b", relieved)];
    let attempts = 0;
    const done = await settle(1_000, async () => {
      attempts += 1;
      if (attempts === 1) throw contentionOf(met);
      return relieved.toSorted();
    });
    expect([attempts, done]).toEqual([2, ["a", "b"]]);
  });
  test("is all that DynamoDB reports of one transaction", async () => {
    const plain = new HttpTransport();
    const reasons = [{ Code: "TransactionConflict" }, { Code: "None" }, { Code: "TransactionConflict" }];
    let isCancelled = false;
    const transport: Transport = {
      async send(call) {
        if (isCancelled || !String(call.headers["x-amz-target"]).endsWith("TransactWriteItems"))
          return plain.send(call);
        isCancelled = true;
        const body = { __type: "TransactionCanceledException", CancellationReasons: reasons };
        return {
          status: 400,
          headers: { "content-type": "application/x-amz-json-1.0" },
          body: Buffer.from(JSON.stringify(body)),
        };
      },
    };
    const made = await testTable();
    const table = made.reopen({ client: { ...made.client, transport } })(newMeter());
    const relieved: string[] = [];
    const steps = ["a", "b", "c"].map(
      (name): Step => ({
        put: { PK: "settle", SK: name },
        when: "absent",
        otherwise: () => new Error("it exists"),
        contended: () => crowd(name, relieved),
      }),
    );
    await settle(1_000, () => table.write(...steps));
    expect(relieved.toSorted()).toEqual(["a", "c"]);
  });
});
