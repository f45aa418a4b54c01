/**
 * The secrets of an OAuth client, which are all valid until they expire (decision 0079). Pure.
 */
import { timingSafeEqual } from "node:crypto";
import { Fault } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import type { Seal } from "../../kernel/seal.ts";
import { newSecretText } from "./secret-text.ts";

/** What is known of a secret besides its text. */
export interface SecretFacts {
  readonly secretId: string;
  /** In seconds since 1970. */
  readonly createdAtSeconds: number;
  /** From this second on the secret is refused; absent: it never expires. */
  readonly expiresAtSeconds?: number;
  readonly description?: string;
}

/** A secret, sealed for `tenant/application id`. */
export interface ClientSecret extends SecretFacts {
  readonly sealedSecret: string;
}

/** The secrets of a client as its application stores them. */
export interface StoredSecrets {
  /** The latest one. */
  readonly sealedSecret: string;
  readonly latestSecret: SecretFacts;
  /** The newest first. */
  readonly formerSecrets?: readonly ClientSecret[];
}

/** A secret as the token endpoint needs it. */
export type UsableSecret = Pick<ClientSecret, "sealedSecret" | "expiresAtSeconds">;

/** All secrets of a client, the newest first: at least one. */
export function secretsOf(stored: StoredSecrets): readonly [ClientSecret, ...ClientSecret[]] {
  const { sealedSecret, latestSecret, formerSecrets = [] } = stored;
  return [{ ...latestSecret, sealedSecret }, ...formerSecrets];
}

/** A client with these secrets, the newest first, in place of its own. */
export function withSecrets<C extends StoredSecrets>(
  client: C,
  [latest, ...former]: readonly [ClientSecret, ...ClientSecret[]],
): C {
  const { formerSecrets: _, ...rest } = client;
  return { ...rest, ...storedSecrets([latest, ...former]) } as C;
}

/** The stored form of secrets, the newest first. */
export function storedSecrets([latest, ...former]: readonly [ClientSecret, ...ClientSecret[]]): StoredSecrets {
  const { sealedSecret, ...latestSecret } = latest;
  return { sealedSecret, latestSecret, ...(former.length > 0 && { formerSecrets: former }) };
}

/** What is chosen for a new secret. */
export interface NewSecret {
  /** Its text; generated where it is absent. */
  readonly text?: string | undefined;
  /** 0 or absent: never. */
  readonly expiresAtSeconds?: number | undefined;
  readonly createdAtSeconds: number;
  readonly description?: string | undefined;
}

/** A new secret, sealed for an application. */
export function newSecret(
  { text = newSecretText(), createdAtSeconds, expiresAtSeconds = 0, description }: NewSecret,
  seal: Seal,
  owner: string,
): ClientSecret {
  return {
    secretId: newId(),
    sealedSecret: seal.seal(text, owner),
    createdAtSeconds,
    ...(expiresAtSeconds > 0 && { expiresAtSeconds }),
    ...(description !== undefined && { description }),
  };
}

/** Whether a secret is refused at this time, in milliseconds since 1970. */
export function isExpired({ expiresAtSeconds }: UsableSecret, nowMs: number): boolean {
  return expiresAtSeconds !== undefined && nowMs >= expiresAtSeconds * 1_000;
}

/** Throws `client.invalid`, with this message, for an expiry that is negative or not to come. 0 means never. */
export function checkExpiry(
  expiresAtSeconds: number | undefined,
  nowMs: number,
  member: string,
  message?: string,
): void {
  if (expiresAtSeconds === undefined || expiresAtSeconds === 0) return;
  if (expiresAtSeconds * 1_000 > nowMs) return;
  throw new Fault(
    "client.invalid",
    `${member} must be a time to come, in seconds since 1970, or 0 for a secret that never expires.`,
    message === undefined ? {} : { message },
  );
}

/** The one of these secrets that has a text. Constant time: compares all of them. */
export function secretWithText<S extends UsableSecret>(
  secrets: readonly S[],
  text: string,
  seal: Seal,
  owner: string,
): S | undefined {
  return secrets.filter(({ sealedSecret }) => sameText(seal.open(sealedSecret, owner), text))[0];
}

/** Compares two secrets in constant time. */
export function sameText(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
