/** Answers polls (RFC 8936): acknowledges, waits a little where there is nothing, and signs what is there. */
import type * as z from "zod";
import { elapsed, pause, systemClock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { ScopedContext } from "../../kernel/operation/context.ts";
import type { SubscriberState } from "../delivery/model.ts";
import { type Polled, type Polling, poll } from "./poll.ts";
import { envelopeOf } from "./push.ts";
import { BATCH_MAX, type PollAnswer, type PollRequest } from "./shapes.ts";
import type { SignalStores } from "./stores.ts";
import { streamOf } from "./streams.ts";
import { readableBy } from "./subjects.ts";

/** How long a poll waits for an event, and how often it looks. A function costs money while it waits. */
const WAIT_MS = 5_000;
const LOOK_MS = 1_000;
/** Characters of the SETs of an answer: the gateway accepts about 6 MB. */
const ANSWER_MAX = 3_000_000;
const ATTEMPTS = 5;
/** Records of a page. */
const PASSED_MIN = 100;

type Context = ScopedContext & SignalStores;

/** Answers a poll of a stream, whose current state `find` reads. */
export async function answerPoll(
  { maxEvents = BATCH_MAX, returnImmediately = false, ack = [], setErrs = {} }: z.output<typeof PollRequest>,
  context: Context,
  find: () => Promise<SubscriberState>,
): Promise<z.input<typeof PollAnswer>> {
  const reported = new Set([...ack, ...Object.keys(setErrs)]);
  const most = Math.min(maxEvents, BATCH_MAX);
  const startMs = elapsed();
  let found = await acknowledged({ reported, most }, context, find);
  const mayWait = !returnImmediately && most > 0;
  while (mayWait && found.claims.length === 0 && elapsed() - startMs < WAIT_MS) {
    await pause(LOOK_MS);
    found = await acknowledged({ reported: new Set(), most }, context, find);
  }
  return signed(found, context);
}

/** Stores what was acknowledged. Where another poll of the stream writes at the same time, it reads the state again. */
async function acknowledged(
  polling: Omit<Polling, "nowMs">,
  context: Context,
  find: () => Promise<SubscriberState>,
): Promise<Polled> {
  const { feed, representation, deliveries, origin, scopes } = context;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const state = await find();
    const stream = streamOf(state);
    const reads = { readable: readableBy(scopes), representation };
    const making = { feed, envelope: envelopeOf(stream, origin), reads };
    const found = await poll(stream, making, { ...polling, nowMs: systemClock.now() });
    // The cursor moves with every read; storing it pays where later polls need not read so much again.
    if (polling.reported.size === 0 && found.passed < PASSED_MIN && found.gone === 0) return found;
    if (await deliveries.save(state, found.progress)) return found;
  }
  throw new Fault("resource.contended", "Other polls of this stream keep changing it. Poll again in a moment.");
}

async function signed({ claims, hasMore }: Polled, { table, signer }: Context): Promise<z.input<typeof PollAnswer>> {
  const sets: Record<string, string> = {};
  let [length, isCut] = [0, false];
  for (const one of claims) {
    const token = await signer.sign(table, one, systemClock.now());
    isCut = length > 0 && length + token.length > ANSWER_MAX;
    if (isCut) break;
    length += token.length;
    sets[one.jti] = token;
  }
  return { sets, ...((hasMore || isCut) && { moreAvailable: true }) };
}
