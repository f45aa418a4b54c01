/** The `Idempotency-Key` of a request, and what makes two requests the same (decision 0086). Pure. */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { Fault } from "../kernel/faults.ts";
import { callerId, type Principal } from "../kernel/operation/context.ts";
import { newSeal } from "../kernel/seal.ts";
import { type HttpRequest, readQuery } from "./request.ts";

const LENGTH_MAX = 255;

/** A string of structured fields, with parameters, which have no meaning here (RFC 8941 sections 3.1.2 and 3.3.3). */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"(?: *; *[a-z*][a-z0-9_.*-]*(?:=[A-Za-z0-9_:?.+*/-]+)?)*$/;
/** What many clients send instead: visible ASCII. A comma separates the values of a header that is sent twice. */
const BARE = /^[!#-+\--~]+$/;

/** Digests and seals what is stored of a request. The keys are derived from the sealing keys; the first one is used. */
export type AnswerSecrets = ReturnType<typeof newAnswerSecrets>;

/**
 * Reads the header: a string in quotes, or the same without them. Throws `request.invalid` for anything else, and for
 * an empty key or one of more than 255 characters.
 */
export function readIdempotencyKey(header: string): string {
  const given = header.trim();
  const quoted = QUOTED.exec(given)?.[1]?.replace(/\\(["\\])/g, "$1");
  const key = quoted ?? (BARE.test(given) ? given : undefined);
  if (key !== undefined && key.length >= 1 && key.length <= LENGTH_MAX) return key;
  throw new Fault(
    "request.invalid",
    `Idempotency-Key must be one text of 1 to ${LENGTH_MAX} printable ASCII characters in double quotes, such as ` +
      '"8e03978e-40d5-43e8-bc93-6894a57f9324".',
  );
}

/** The name of a caller's key: callers do not share keys, nor do those who act for the same user. */
export function digestOfKey(principal: Principal, key: string): string {
  const actor = principal.kind === "user" ? (principal.actor ?? "") : "";
  const text = JSON.stringify([principal.tenant, callerId(principal), actor, key]);
  return createHash("sha256").update(text).digest("base64url");
}

/**
 * What a request asks for, as a text: method, path, parameters and body, without their order. `body` is decoded and not
 * yet parsed with a schema. Throws `request.invalid` for a query string that cannot be read.
 */
export function textOfRequest({ method, path, rawQuery }: HttpRequest, body: unknown): string {
  return JSON.stringify([method, path, ordered(readQuery(rawQuery)), ordered(body) ?? null]);
}

/** A value whose objects have their members in alphabetical order. Bytes become a text. */
function ordered(value: unknown): unknown {
  if (value instanceof Uint8Array) return ["bytes", Buffer.from(value).toString("base64")];
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [name, ordered(member)]);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Opens the secrets on keys of 32 bytes; the first one seals. Throws `RangeError` without a key. */
export function newAnswerSecrets([key, ...former]: readonly Uint8Array[]) {
  if (!key) throw new RangeError("first answers need a key");
  const current = macKeyOf(key);
  const macs = [current, ...former.map(macKeyOf)];
  return {
    seal: newSeal(key, former),
    /** A digest that tells nothing about a short text, such as a password, to a reader of the table. */
    digest: (text: string): string => macOf(current, text).toString("base64url"),
    /** Whether a digest is that of a text, under any of the keys. */
    isDigestOf(digest: string, text: string): boolean {
      const given = Buffer.from(digest, "base64url");
      return macs
        .map((mac) => macOf(mac, text))
        .some((own) => own.length === given.length && timingSafeEqual(own, given));
    },
  };
}

function macKeyOf(key: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, "", "digests of requests", 32));
}

function macOf(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
