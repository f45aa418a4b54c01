/** Where the key ring lies: the public halves in one item, the private ones sealed in another, both changed together. */
import { generateKeyPair, type JsonWebKey } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint } from "jose";
import type { Seal } from "../platform/seal.ts";
import { keys } from "../table/keys.ts";
import { stale, whileStale } from "../table/stale.ts";
import type { Item, Step, Table } from "../table/table.ts";
import { type Ring, type RingKey, signersFrom, withKey, withLife } from "./key-ring.ts";

/** What the private halves are sealed for. */
const OWNER = "signing-keys";

const generate = promisify(generateKeyPair);

/** A private key as it is kept: the secret number of the curve point. */
interface SecretKey {
  readonly kid: string;
  readonly d: string;
}

/** The ring and the private halves of the keys that may sign. */
export interface OpenRing {
  readonly ring: Ring;
  readonly secrets: ReadonlyMap<string, string>;
}

/** The key ring with its private halves: for the token endpoint, and for the people who rotate it. */
export interface KeyStore {
  /** The ring, with a first key where none can sign. One round trip; two more for the first key. */
  open(nowMs: number): Promise<OpenRing>;
  /** Adds a key that signs from then on. Answers its id. */
  add(nowMs: number, signsFromMs: number): Promise<string>;
  /** Lets a key sign tokens of that life. */
  lengthen(kid: string, seconds: number): Promise<OpenRing>;
  /** Takes a key away: what it signed counts no more. Where it was the last that could sign, another takes its place. False when there is none. */
  drop(kid: string, nowMs: number): Promise<boolean>;
}

interface Versioned extends OpenRing {
  readonly ver: number;
}

/** The public halves; empty before the first key was made. One round trip. */
export async function readRing(table: Table): Promise<Ring> {
  return toRing(await table.get(keys.keyRing()));
}

/** Opens the store on a table. */
export function keyStore(table: Table, seal: Seal): KeyStore {
  const read = async (): Promise<Versioned> => {
    const [item, sealed] = await table.snapshot([keys.keyRing(), keys.signingKeys()]);
    const secrets = sealed ? (JSON.parse(seal.open(String(sealed.sealed), OWNER)) as SecretKey[]) : [];
    return {
      ring: toRing(item),
      secrets: new Map(secrets.map(({ kid, d }) => [kid, d])),
      ver: Number(item?.ver ?? 0),
    };
  };

  const write = async (ver: number, after: OpenRing): Promise<OpenRing> => {
    const kept: SecretKey[] = [...after.secrets].map(([kid, d]) => ({ kid, d }));
    const common: Pick<Step, "when" | "otherwise"> = {
      when: ver === 0 ? "absent" : { equal: { ver } },
      otherwise: stale,
    };
    await table.write(
      { put: { ...keys.keyRing(), ver: ver + 1, keys: after.ring as unknown as Item["keys"] }, ...common },
      { put: { ...keys.signingKeys(), ver: ver + 1, sealed: seal.seal(JSON.stringify(kept), OWNER) }, ...common },
    );
    return after;
  };

  return {
    // Of many who find none, one makes the first; the others find it when they look again.
    open: (nowMs) =>
      whileStale(async () => {
        const found = await read();
        return found.secrets.size > 0 ? found : write(found.ver, (await withNewKey(found, nowMs, nowMs)).after);
      }),
    add: (nowMs, signsFromMs) =>
      whileStale(async () => {
        const found = await read();
        const { kid, after } = await withNewKey(found, nowMs, signsFromMs);
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
          secrets.size > 0 ? { ring, secrets } : (await withNewKey({ ring, secrets }, nowMs, nowMs)).after,
        );
        return true;
      }),
  };
}

async function withNewKey({ ring, secrets }: OpenRing, nowMs: number, signsFromMs: number) {
  const { point, d } = await newKey();
  const after = {
    ring: withKey(ring, { ...point, signsFromMs }, nowMs),
    secrets: new Map([...secrets, [point.kid, d]]),
  };
  return { kid: point.kid, after: { ring: after.ring, secrets: neededAt(after, nowMs) } };
}

async function newKey(): Promise<{ readonly point: Pick<RingKey, "kid" | "x" | "y">; readonly d: string }> {
  const { privateKey } = await generate("ec", { namedCurve: "P-256" });
  const { x, y, d }: JsonWebKey = privateKey.export({ format: "jwk" });
  if (!x || !y || !d) throw new Error("a fresh key has no coordinates");
  return { point: { kid: await calculateJwkThumbprint({ kty: "EC", crv: "P-256", x, y }), x, y }, d };
}

/** The private halves that may still be used. */
function neededAt({ ring, secrets }: OpenRing, nowMs: number): ReadonlyMap<string, string> {
  const able = ring.filter(({ kid }) => secrets.has(kid));
  return new Map(signersFrom(able, nowMs).map(({ kid }) => [kid, secrets.get(kid) ?? ""]));
}

function toRing(item: Item | undefined): Ring {
  return (item?.keys as Ring | undefined) ?? [];
}
