/** Random writers of everything, who share what they know and write down what came of each write. */
import { randomUUID } from "node:crypto";
import type { Ask } from "../world.ts";
import { applicationWrites } from "./application-writes.ts";
import { peopleWrites } from "./people-writes.ts";
import type { Pool, Reply, Sender, Write } from "./pool.ts";
import { subscriberWrites } from "./subscriber-writes.ts";

/** One write and what came of it. */
export interface Sent {
  readonly traceId: string;
  readonly method: string;
  readonly path: string;
  /** 0 where no response came. */
  readonly status: number;
  readonly text: string;
  readonly isChange: boolean;
}

const writes: readonly (readonly [number, (pool: Pool) => Write | undefined])[] = [
  ...applicationWrites,
  ...subscriberWrites,
  // Mostly in the first tenant.
  ...peopleWrites.map(
    ([weight, make]) =>
      [
        weight,
        (pool: Pool) => {
          const [first] = pool.realms;
          const realm = pool.chance(0.85) ? first : pool.pick(pool.realms);
          return realm && make(pool, realm);
        },
      ] as const,
  ),
];
const TOTAL = writes.reduce((sum, [weight]) => sum + weight, 0);

const chosen = (pool: Pool): Write | undefined => {
  let left = pool.upTo(TOTAL - 1);
  for (const [weight, make] of writes) {
    left -= weight;
    if (left < 0) return make(pool);
  }
  return undefined;
};

/** Sends random writes by several writers at once, so many altogether. Returns what was sent. */
export const writeAll = async (
  pool: Pool,
  send: Sender,
  {
    count,
    writers,
    onWrite,
  }: { readonly count: number; readonly writers: number; readonly onWrite?: (at: number) => void },
): Promise<Sent[]> => {
  const sent: Sent[] = [];
  let begun = 0;
  const writer = async (): Promise<void> => {
    while (begun < count) {
      const write = chosen(pool);
      if (!write) continue;
      begun += 1;
      onWrite?.(begun);
      const { method, path, ask = {}, isChange, after } = write;
      const traceId = randomUUID();
      const traced: Ask = { ...ask, headers: { ...ask.headers, "x-correlation-id": traceId } };
      const reply = await send(method, path, traced);
      sent.push({ traceId: traceOf(reply, traceId), method, path, status: reply.status, text: reply.text, isChange });
      if (reply.status >= 200 && reply.status < 300) after?.(reply);
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  return sent;
};

/** What the response says; of a request without a response, what was sent. */
const traceOf = ({ headers, status }: Reply, sent: string): string => {
  if (status === 0) return sent;
  const said = headers.get("x-correlation-id");
  if (said !== sent) throw new Error(`the response says ${said}, the request said ${sent}`);
  return sent;
};
