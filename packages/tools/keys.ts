/**
 * `npm run keys -- list | rotate [--now] | drop <id>`: manages the keys that sign access tokens (decision 0020); with
 * `--id-tokens`, the RSA keys that sign ID tokens (decision 0113); with `--events`, those that sign security events
 * (decision 0089); with `--saml <tenant>`, those that sign the SAML assertions of a tenant (decision 0196).
 *
 * With TABLE_NAME and SEAL_KEY in the environment it works on a deployment, otherwise on the data directory of the
 * local service, which must be stopped. Prints the keys with their states; errors go to standard error. Exit codes: 0
 * done, 1 failed.
 */

import { openTable } from "#core/database/table/dynamo.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
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
import { samlKeysOf } from "#core/tokens/saml-key-store.ts";
import { sealingKeys, tableConfig } from "#functions/env.ts";
import { seal as deployedSeal, eventSigningSealOf, samlSealOf } from "#functions/seals.ts";
import { openLocalData } from "./local-data.ts";

const TIMEOUTS = { callMs: 9_000, requestMs: 25_000, throttling: "awaited" } as const;

/** A place with keys. */
interface Place {
  readonly table: Table;
  readonly seal: Seal;
  /** Seals the private keys that sign events, and assertions of SAML. */
  readonly eventSeal: Seal;
  readonly samlSeal: Seal;
  close(): Promise<void>;
}

const EVENTS = "--events";
const ID_TOKENS = "--id-tokens";
const SAML = "--saml";
/** Service providers are given the next certificate by hand, before it signs. */
const SAML_LEAD_MS = 30 * 86_400_000;

const USAGE = `npm run keys -- list | rotate [--now] | drop <id> [--id-tokens | --events | --saml <tenant>]

  list             show the keys
  rotate           add a key; it signs new tokens after all containers know it
  rotate --now     add a key that signs new tokens at once
  drop <id>        delete a key: its tokens become invalid
  ... --id-tokens  the same for the RSA keys that sign ID tokens
  ... --events     the same for the keys that sign security events
  ... --saml <tenant>
                   the same for the keys that sign the SAML assertions of a tenant: the next one stands in the metadata
                   at once, and signs after 30 days`;

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
  {
    table,
    seal,
    eventSeal = seal,
    samlSeal = seal,
  }: Pick<Place, "table" | "seal"> & Partial<Pick<Place, "eventSeal" | "samlSeal">>,
  nowMs: number,
): Promise<string> {
  const at = given.indexOf(SAML);
  const tenant = at < 0 ? undefined : (given[at + 1] ?? "");
  const others = at < 0 ? given : given.toSpliced(at, 2);
  const words = others.filter((word) => word !== EVENTS && word !== ID_TOKENS);
  const rings = others.length - words.length + (tenant === undefined ? 0 : 1);
  if (rings > 1 || tenant === "" || words.includes(SAML)) throw new Error(USAGE);
  const nowOn = { table, nowMs, words };
  if (tenant !== undefined) {
    if (!(await tenantStore(table).find(tenant))) throw new Error(`There is no tenant ${tenant}.`);
    const place = samlKeysOf(tenant);
    const keys = ringStore(table, samlSeal, { place });
    return manage({ ...nowOn, keys, place, signed: "assertion", leadMs: SAML_LEAD_MS });
  }
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
  readonly signed: "token" | "ID token" | "event" | "assertion";
  /** How long a new key is published before it signs. */
  readonly leadMs?: number;
  readonly words: readonly string[];
  readonly nowMs: number;
}

async function manage<K extends RingEntry>({
  table,
  keys,
  place,
  signed,
  leadMs = LEAD_MS,
  words,
  nowMs,
}: Work<K>): Promise<string> {
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
    await keys.add(nowMs, word === "--now" ? nowMs : nowMs + leadMs);
    return list();
  }
  if (verb === "drop" && word !== undefined && words.length === 2) {
    if (!(await keys.drop(word, nowMs)))
      throw new Error(`There is no key ${word}. Run "npm run keys -- list" to see the keys.`);
    return `${await list()}\n${effects[signed]}`;
  }
  throw new Error(USAGE);
}

/** What the end of a key means, by what it signs. */
const effects = {
  token: "Tokens of the deleted key become invalid within 30 seconds.",
  "ID token": "Applications refuse ID tokens of the deleted key when they read the keys again.",
  event: "Receivers refuse events of the deleted key when they read the keys again.",
  assertion:
    "Service providers refuse assertions of the deleted key when they have the certificate of the next one alone.",
} as const;

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
    samlSeal: samlSealOf(sealingKeys()),
    close: async () => undefined,
  };
}

async function local(environment: NodeJS.ProcessEnv): Promise<Place> {
  const { config, sealKey, close } = await openLocalData(environment);
  return {
    table: openTable({ ...config, deadlineMs: TIMEOUTS.callMs })(newMeter()),
    seal: newSeal(sealKey),
    eventSeal: eventSigningSealOf({ key: sealKey.toString("base64"), former: [] }),
    samlSeal: samlSealOf({ key: sealKey.toString("base64"), former: [] }),
    close,
  };
}
