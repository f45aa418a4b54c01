/**
 * Ids of changes. An id holds the time and a digest of the resource, so that ids sort by time, two resources never
 * share one, and the row of a record is found by its id alone.
 */
import { createHash } from "node:crypto";

const DIGEST_BITS = 40n;
const DIGEST_BYTES = 5;
const DIGITS = 18;
const RADIX = 32;
const LANES = 8n;
const ID = /^[0-9a-v]{18}$/;

/** The number of partitions that the records of a tenant are spread over. */
export const LANE_COUNT = Number(LANES);

/** The digest of a resource in the ids of its changes. */
export function digestOfResource(type: string, id: string): bigint {
  const digest = createHash("sha256").update(`${type}\n${id}`).digest();
  return BigInt(`0x${digest.subarray(0, DIGEST_BYTES).toString("hex")}`);
}

/** The id of a change: 18 digits and lower-case letters. `atMs` is unique among the changes of the resource. */
export function changeIdOf(atMs: number, digest: bigint): string {
  return idOf((BigInt(atMs) << DIGEST_BITS) | digest);
}

/** Whether a text has the form of a change id. */
export function isChangeId(text: string): boolean {
  return ID.test(text);
}

/** The time of a change, in milliseconds since 1970. */
export function timeOfChange(id: string): number {
  return Number(numberOf(id) >> DIGEST_BITS);
}

/** The partition of a record, from 0 to `LANE_COUNT - 1`: all changes of a resource are in one. */
export function laneOfChange(id: string): number {
  return Number(numberOf(id) % LANES);
}

/** The id of another change of the same resource. */
export function changeIdAt(id: string, atMs: number): string {
  return changeIdOf(atMs, numberOf(id) & ((1n << DIGEST_BITS) - 1n));
}

/**
 * The id of the second record of a change of another tenant's resource, in the tenant of who made it. There, changes of
 * several tenants never share one: the ids of resources are unique in their tenant only.
 */
export function idInCallersTenant(id: string, tenant: string): string {
  return changeIdOf(timeOfChange(id), digestOfResource(tenant, changeIdAt(id, 0)));
}

/** The least id of a time: ids of changes at or after the time are not less. */
export function firstIdAt(atMs: number): string {
  return changeIdOf(Math.max(0, atMs), 0n);
}

/** The id right after another one, or right before it; the ends of ranges need not be ids of changes. */
export function idAfter(id: string): string {
  return idOf(numberOf(id) + 1n);
}

export function idBefore(id: string): string {
  return idOf(numberOf(id) - 1n);
}

/** An id as bytes, which sort like ids: the time, then the digest. */
export function bytesOfChange(id: string): Uint8Array {
  return Buffer.from(
    numberOf(id)
      .toString(16)
      .padStart(ID_BYTES * 2, "0"),
    "hex",
  );
}

/** The number of bytes of an id. */
export const ID_BYTES = 6 + DIGEST_BYTES;

/** The id of bytes. */
export function changeOfBytes(bytes: Uint8Array): string {
  return idOf(BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
}

function idOf(number: bigint): string {
  return number.toString(RADIX).padStart(DIGITS, "0");
}

function numberOf(id: string): bigint {
  // Five bits for each digit: BigInt has no parser for this radix.
  let number = 0n;
  for (const digit of id) number = (number << 5n) | BigInt(Number.parseInt(digit, RADIX));
  return number;
}
