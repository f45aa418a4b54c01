/**
 * The rows of the key ring: one with the public halves, one with the sealed private halves. Both change in one
 * transaction.
 */

import { keys } from "../database/table/keys.ts";
import { json, list, misfit, number, rowCodec, text } from "../database/table/row.ts";
import { stale, whileStale } from "../database/table/stale.ts";
import type { Key, Step, Table } from "../database/table/table.ts";
import { Fault } from "../kernel/faults.ts";
import type { Seal } from "../kernel/seal.ts";
import { type KeyKind, p256, type RsaKey, rsa2048 } from "./key-kinds.ts";
import {
  LIFE_SECONDS,
  type Ring,
  type RingEntry,
  type RingKey,
  signersFrom,
  withinLife,
  withKey,
  withLife,
} from "./key-ring.ts";

/** Where a ring is stored, the kind of its keys, and the owner that their private halves are sealed for. */
export interface RingPlace<K extends RingEntry = RingKey> {
  readonly kind: KeyKind<K>;
  readonly ring: Key;
  readonly secrets: Key;
  readonly owner: string;
}

/** The keys of access tokens. */
export const tokenKeys: RingPlace = {
  kind: p256,
  ring: keys.keyRing(),
  secrets: keys.signingKeys(),
  owner: "signing-keys",
};

/** The RSA keys of ID tokens (decision 0113). */
export const idTokenKeys: RingPlace<RsaKey> = {
  kind: rsa2048,
  ring: keys.idTokenKeyRing(),
  secrets: keys.idTokenSigningKeys(),
  owner: "id-token-signing-keys",
};

/** The keys of security events (decision 0089): what sends events cannot sign a token. */
export const eventKeys: RingPlace = {
  kind: p256,
  ring: keys.eventKeyRing(),
  secrets: keys.eventSigningKeys(),
  owner: "event-signing-keys",
};

/** A private half as it is stored: `d` is the text of its kind (key-kinds.ts). */
interface SecretKey {
  readonly kid: string;
  readonly d: string;
}

/** The ring and the private halves of the keys that may sign, by key id. */
export interface OpenRing<K extends RingEntry = RingKey> {
  readonly ring: Ring<K>;
  readonly secrets: ReadonlyMap<string, string>;
}

/** The key ring with its private halves: for the token endpoint and for the command that rotates keys. */
export interface KeyStore<K extends RingEntry = RingKey> {
  /**
   * The ring; creates a first key where none can sign, and shortens the life of keys above the limit. One round trip;
   * one or two more where it writes. Throws `rehearsal.impossible` where a rehearsal would create a key.
   */
  open(nowMs: number): Promise<OpenRing<K>>;
  /** Adds a key that signs from `signsFromMs` on. Returns its id. */
  add(nowMs: number, signsFromMs: number): Promise<string>;
  /** Allows a key to sign tokens that live for `seconds`. */
  lengthen(kid: string, seconds: number): Promise<OpenRing<K>>;
  /**
   * Removes a key: its tokens become invalid. Adds a new key if none is left to sign. False when the key does not
   * exist.
   */
  drop(kid: string, nowMs: number): Promise<boolean>;
  /** Removes every key and adds one that signs at once: all tokens become invalid. Opens nothing. Returns its id. */
  replaceAll(nowMs: number): Promise<string>;
}

interface Versioned<K extends RingEntry> extends OpenRing<K> {
  readonly ver: number;
}

function ringRowsOf<K extends RingEntry>({ kind }: RingPlace<K>) {
  return rowCodec<{ readonly ver: number; readonly keys: Ring<K> }>("key ring", { ver: number, keys: list(kind.row) });
}
const secretRows = rowCodec<{ readonly ver: number; readonly sealed: string }>("signing keys", {
  ver: number,
  sealed: text,
});
const secretKeys = json<readonly SecretKey[]>("a list of private keys", (parsed): parsed is readonly SecretKey[] =>
  Array.isArray(parsed) ? parsed.every((key) => typeof key?.kid === "string" && typeof key?.d === "string") : false,
);

/** The public halves; empty before the first key exists. One round trip. */
export function readRing(table: Table): Promise<Ring>;
export function readRing<K extends RingEntry>(table: Table, place: RingPlace<K>): Promise<Ring<K>>;
export async function readRing(table: Table, place: RingPlace<RingEntry> = tokenKeys): Promise<Ring<RingEntry>> {
  const item = await table.get(place.ring);
  return item ? ringRowsOf(place).read(item).keys : [];
}

/** How a key store is opened. */
export interface KeyStoreOptions<K extends RingEntry = RingKey> {
  /** No key is accepted for longer than this after it has signed. */
  readonly lifeSecondsMax?: number | undefined;
  readonly place: RingPlace<K>;
}

/** Opens the store of the keys of access tokens on a table. */
export function keyStore(table: Table, seal: Seal, options: Partial<KeyStoreOptions> = {}): KeyStore {
  return ringStore(table, seal, { place: tokenKeys, ...options });
}

/** Opens the store of a ring on a table. */
export function ringStore<K extends RingEntry>(
  table: Table,
  seal: Seal,
  { lifeSecondsMax = Number.POSITIVE_INFINITY, place }: KeyStoreOptions<K>,
): KeyStore<K> {
  const ringRows = ringRowsOf(place);
  const read = async (): Promise<Versioned<K>> => {
    const [item, sealed] = await table.snapshot([place.ring, place.secrets]);
    const { ver, keys: ring } = item ? ringRows.read(item) : { ver: 0, keys: [] };
    const secrets = sealed ? secretKeys.parse(seal.open(secretRows.read(sealed).sealed, place.owner)) : [];
    if (secrets === misfit) throw new Error("the sealed signing keys do not have the expected form");
    return { ring, secrets: new Map(secrets.map(({ kid, d }) => [kid, d])), ver };
  };

  const write = async (ver: number, given: OpenRing<K>): Promise<OpenRing<K>> => {
    const after = { ...given, ring: withinLife(given.ring, lifeSecondsMax) };
    const secrets: readonly SecretKey[] = [...after.secrets].map(([kid, d]) => ({ kid, d }));
    const sealed = seal.seal(JSON.stringify(secrets), place.owner);
    const common: Pick<Step, "when" | "otherwise"> = {
      when: ver === 0 ? "absent" : { equal: { ver } },
      otherwise: stale,
    };
    await table.write(
      { put: { ...place.ring, ...ringRows.write({ ver: ver + 1, keys: after.ring }) }, ...common },
      { put: { ...place.secrets, ...secretRows.write({ ver: ver + 1, sealed }) }, ...common },
    );
    return after;
  };

  return {
    // Of several containers that find no key, one creates it; the others find it when they retry.
    open: (nowMs) =>
      whileStale(async () => {
        const found = await read();
        if (found.secrets.size === 0 && table.keeps === "for good") throw unrehearsable();
        if (found.secrets.size === 0)
          return write(found.ver, (await withNewKey(place.kind, found, nowMs, nowMs)).after);
        return withinLife(found.ring, lifeSecondsMax) === found.ring ? found : write(found.ver, found);
      }),
    add: (nowMs, signsFromMs) =>
      whileStale(async () => {
        const found = await read();
        const { kid, after } = await withNewKey(place.kind, found, nowMs, signsFromMs);
        await write(found.ver, after);
        return kid;
      }),
    lengthen: (kid, seconds) =>
      whileStale(async () => {
        const { ring, secrets, ver } = await read();
        return write(ver, { ring: withLife(ring, kid, seconds), secrets });
      }),
    drop: (kid, nowMs) =>
      whileStale(async () => {
        const found = await read();
        const ring = found.ring.filter((key) => key.kid !== kid);
        if (ring.length === found.ring.length) return false;
        const secrets = new Map([...found.secrets].filter(([id]) => id !== kid));
        await write(
          found.ver,
          secrets.size > 0 ? { ring, secrets } : (await withNewKey(place.kind, { ring, secrets }, nowMs, nowMs)).after,
        );
        return true;
      }),
    replaceAll: (nowMs) =>
      whileStale(async () => {
        const item = await table.get(place.ring);
        const { kid, after } = await withNewKey(place.kind, { ring: [], secrets: new Map() }, nowMs, nowMs);
        await write(item ? ringRows.read(item).ver : 0, after);
        return kid;
      }),
  };
}

/** A rehearsal must not sign with a key that is stored nowhere, and stores none. */
function unrehearsable(): Fault {
  return new Fault(
    "rehearsal.impossible",
    "There is no signing key yet. The first request without dryRun=true creates it; then this one can be rehearsed.",
  );
}

async function withNewKey<K extends RingEntry>(
  kind: KeyKind<K>,
  { ring, secrets }: OpenRing<K>,
  nowMs: number,
  signsFromMs: number,
) {
  const { key, secret } = await kind.generate({ signsFromMs, longestLifeSeconds: LIFE_SECONDS });
  const after = { ring: withKey(ring, key, nowMs), secrets: new Map([...secrets, [key.kid, secret]]) };
  return { kid: key.kid, after: { ring: after.ring, secrets: neededAt(after, nowMs) } };
}

/** The private halves that may still sign. */
function neededAt<K extends RingEntry>({ ring, secrets }: OpenRing<K>, nowMs: number): ReadonlyMap<string, string> {
  const able = ring.filter(({ kid }) => secrets.has(kid));
  return new Map(signersFrom(able, nowMs).map(({ kid }) => [kid, secrets.get(kid) ?? ""]));
}
