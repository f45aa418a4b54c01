/** The public keys that an application has registered, as they are now. */
import type { RegisteredKeys } from "../../applications/registry/client-keys.ts";
import { type KeySet, readKeySet } from "../../tokens/key-set.ts";
import type { RemoteKeySets } from "../../tokens/remote-documents.ts";

/**
 * The registered keys at a time; `undefined` where there are none that count. With `isNewer`, a set at an address is
 * read again because one of its keys is missing.
 */
export async function keySetOf(
  { address, jwks, fromSeconds = 0, untilSeconds = Number.POSITIVE_INFINITY }: Partial<RegisteredKeys>,
  keySets: RemoteKeySets,
  nowMs: number,
  isNewer?: true,
): Promise<KeySet | undefined> {
  if (address !== undefined) return keySets.at(address, isNewer);
  const isValid = fromSeconds * 1_000 <= nowMs && nowMs <= untilSeconds * 1_000;
  return jwks !== undefined && isValid ? readKeySet(jwks) : undefined;
}
