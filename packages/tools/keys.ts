/**
 * `npm run keys -- list | rotate [--now] | drop <id>`: manages the keys that sign access tokens (decision 0020); with
 * `--id-tokens`, the RSA keys that sign ID tokens (decision 0113); with `--events`, those that sign security events
 * (decision 0089).
 *
 * With TABLE_NAME and SEAL_KEY in the environment it works on a deployment, otherwise on the data directory of the
 * local service, which must be stopped. Prints the keys with their states; errors go to standard error. Exit codes: 0
 * done, 1 failed.
 */

import { openTable } from "#core/database/table/dynamo.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { newSeal, type Seal } from "#core/kernel/seal.ts";
import { acceptedUntilMs, LEAD_MS, type Ring, type RingEntry, signerAt } from "#core/tokens/key-ring.ts";
import {
  eventKeys,
  idTokenKeys,
  type KeyStore,
  type RingPlace,
  readRing,
  ringStore,
  tokenKeys,
} from "#core/tokens/key-store.ts";
import { sealingKeys, tableConfig } from "#functions/env.ts";
import { seal as deployedSeal, eventSigningSealOf } from "#functions/seals.ts";
import { openLocalData } from "./local-data.ts";

const TIMEOUTS = { callMs: 9_000, requestMs: 25_000, throttling: "awaited" } as const;

/** A place with keys. */
interface Place {
  readonly table: Table;
  readonly seal: Seal;
  /** Seals the private keys that sign events. */
  readonly eventSeal: Seal;
  close(): Promise<void>;
}

const EVENTS = "--events";
const ID_TOKENS = "--id-tokens";

const USAGE = `npm run keys -- list | rotate [--now] | drop <id> [--id-tokens | --events]

  list             show the keys
  rotate           add a key; it signs new tokens after all containers know it
  rotate --now     add a key that signs new tokens at once
  drop <id>        delete a key: its tokens become invalid
  ... --id-tokens  the same for the RSA keys that sign ID tokens
  ... --events     the same for the keys that sign security events`;

if (import.meta.main) {
  try {
    const place = process.env.TABLE_NAME ? deployment() : await local(process.env);
    try {
      console.log(await manageKeys(process.argv.slice(2), place, systemClock.now()));
    } finally {
      await place.close();
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** Executes a command. Returns the text to print. Throws an `Error` with a message for users. */
export async function manageKeys(
  given: readonly string[],
  { table, seal, eventSeal = seal }: Pick<Place, "table" | "seal"> & Partial<Pick<Place, "eventSeal">>,
  nowMs: number,
): Promise<string> {
  const words = given.filter((word) => word !== EVENTS && word !== ID_TOKENS);
  if (given.length - words.length > 1) throw new Error(USAGE);
  const nowOn = { table, nowMs, words };
  if (given.includes(EVENTS))
    return manage({
      ...nowOn,
      keys: ringStore(table, eventSeal, { place: eventKeys }),
      place: eventKeys,
      signed: "event",
    });
  if (given.includes(ID_TOKENS))
    return manage({
      ...nowOn,
      keys: ringStore(table, seal, { place: idTokenKeys }),
      place: idTokenKeys,
      signed: "ID token",
    });
  return manage({ ...nowOn, keys: ringStore(table, seal, { place: tokenKeys }), place: tokenKeys, signed: "token" });
}

/** A command on one ring. */
interface Work<K extends RingEntry> {
  readonly table: Table;
  readonly keys: KeyStore<K>;
  readonly place: RingPlace<K>;
  /** What the keys sign. */
  readonly signed: "token" | "ID token" | "event";
  readonly words: readonly string[];
  readonly nowMs: number;
}

async function manage<K extends RingEntry>({ table, keys, place, signed, words, nowMs }: Work<K>): Promise<string> {
  const [verb, word] = words;
  const list = async () => {
    const ring = await readRing(table, place);
    return (
      ring.map((key) => `${key.kid}  ${stateOf(ring, key, nowMs)}`).join("\n") ||
      `There are no keys yet. The first ${signed} creates one.`
    );
  };
  if (verb === "list" && words.length === 1) return list();
  if (verb === "rotate" && words.length <= 2 && (word === undefined || word === "--now")) {
    // Creates the first key if there is none.
    await keys.open(nowMs);
    await keys.add(nowMs, word === "--now" ? nowMs : nowMs + LEAD_MS);
    return list();
  }
  if (verb === "drop" && word !== undefined && words.length === 2) {
    if (!(await keys.drop(word, nowMs)))
      throw new Error(`There is no key ${word}. Run "npm run keys -- list" to see the keys.`);
    const effect =
      signed === "event"
        ? "Receivers refuse events of the deleted key when they read the keys again."
        : signed === "ID token"
          ? "Applications refuse ID tokens of the deleted key when they read the keys again."
          : "Tokens of the deleted key become invalid within 30 seconds.";
    return `${await list()}\n${effect}`;
  }
  throw new Error(USAGE);
}

function stateOf<K extends RingEntry>(ring: Ring<K>, key: K, nowMs: number): string {
  if (key.signsFromMs > nowMs) return `signs from ${time(key.signsFromMs)}`;
  if (key === signerAt(ring, nowMs)) return "signs";
  return `is accepted until ${time(acceptedUntilMs(ring, key))}`;
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

function deployment(): Place {
  return {
    table: openTable(tableConfig(TIMEOUTS))(newMeter()),
    seal: deployedSeal(),
    eventSeal: eventSigningSealOf(sealingKeys()),
    close: async () => undefined,
  };
}

async function local(environment: NodeJS.ProcessEnv): Promise<Place> {
  const { config, sealKey, close } = await openLocalData(environment);
  return {
    table: openTable({ ...config, deadlineMs: TIMEOUTS.callMs })(newMeter()),
    seal: newSeal(sealKey),
    eventSeal: eventSigningSealOf({ key: sealKey.toString("base64"), former: [] }),
    close,
  };
}
