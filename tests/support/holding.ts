/**
 * Holds one transaction of a service of this process back, so that a test decides what happens between what a request
 * has read and what it writes. Bundles have a client of their own: files that use this are under tests/unit.
 */
import { vi } from "vitest";
import { HttpTransport } from "#core/database/table/client/transport.ts";

/**
 * Holds the first transaction whose text a test picks, while `meanwhile` runs. Returns the answer of the request that
 * `send` starts.
 */
export const between = async <R>(
  send: () => Promise<R>,
  picks: (transaction: string) => boolean,
  meanwhile: () => Promise<void>,
): Promise<R> => {
  let isHeld = false;
  let release = (): void => undefined;
  const gate = new Promise<void>((open) => {
    release = open;
  });
  const { send: sending } = HttpTransport.prototype;
  const spy = vi.spyOn(HttpTransport.prototype, "send");
  const arrived = new Promise<void>((reached) => {
    spy.mockImplementation(async function (this: HttpTransport, call) {
      const isTransaction = String(call.headers["x-amz-target"]).endsWith(".TransactWriteItems");
      if (!isHeld && isTransaction && picks(call.body)) {
        isHeld = true;
        reached();
        await gate;
      }
      return sending.call(this, call);
    });
  });
  const answer = send();
  try {
    await Promise.race([
      arrived,
      answer.then(() => {
        throw new Error("the request wrote no such transaction");
      }),
    ]);
    await meanwhile();
    release();
    return await answer;
  } finally {
    release();
    spy.mockRestore();
  }
};
