/** The key whose possession a token request proves: its tokens are bound to it (decision 0078). */
import type { Client } from "../applications/registry/client-store.ts";
import { Fault } from "../platform/faults.ts";
import type { Step } from "../table/table.ts";
import { type Confirmation, confirmationOfCertificate, isSameKey } from "../tokens/confirmation.ts";
import type { OAuthContext } from "./context.ts";

/** What a token request proves. */
export interface Possession {
  /** The key that its tokens are bound to; empty for unbound tokens. */
  readonly bound: { readonly cnf?: Confirmation };
  /** The steps that use the proof up: they belong to the write that issues the token. */
  readonly steps: readonly Step[];
}

/**
 * The key that a token request proves to have. Throws `request.invalid` where the application issues only bound tokens
 * and the proof is missing.
 */
export function possessionOf({ settings: { binding } }: Client, { sent }: OAuthContext): Possession {
  if (binding === undefined) return { bound: {}, steps: [] };
  const cnf =
    binding === "certificate" && sent.certificate !== undefined
      ? confirmationOfCertificate(sent.certificate)
      : undefined;
  if (!cnf) {
    throw new Fault(
      "request.invalid",
      `The tokens of this application are bound (bindingType ${binding}). Send the request with the proof of a key.`,
    );
  }
  return { bound: { cnf }, steps: [] };
}

/**
 * Checks that a refresh token is used with its key: by a public client with the same one (RFC 9449 section 5), by
 * another client, which is authenticated, with one of the same kind. Throws `grant.invalid`.
 */
export function checkRefreshKey(before: Confirmation | undefined, client: Client, { bound }: Possession): void {
  if (!before) return;
  const { cnf } = bound;
  const isSameKind = cnf !== undefined && "jkt" in cnf === "jkt" in before;
  if (client.settings.isPublic ? isSameKey(before, cnf) : isSameKind) return;
  throw new Fault("grant.invalid", "The refresh token is bound to a key. Send the request with the proof of that key.");
}
