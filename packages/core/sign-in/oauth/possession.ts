/** The key whose possession a token request proves: its tokens are bound to it (decision 0078). */
import type { Client } from "../../applications/registry/client-store.ts";
import type { Step } from "../../database/table/table.ts";
import { NONCE_HEADER } from "../../http/decision.ts";
import { Fault } from "../../kernel/faults.ts";
import type { SentRequest } from "../../kernel/operation/context.ts";
import { type Confirmation, confirmationOfCertificate, isSameKey } from "../../tokens/confirmation.ts";
import type { Proof } from "../../tokens/dpop.ts";
import type { OAuthContext } from "./context.ts";
import { usingProof } from "./used-proof-store.ts";

/** Proofs are remembered longer than they are accepted, for clocks that differ. */
const SLACK_SECONDS = 60;

/** What a token request proves. */
export interface Possession {
  /** The key that its tokens are bound to; empty for unbound tokens. */
  readonly bound: { readonly cnf?: Confirmation };
  /** The steps that use the proof up: they belong to the write that issues the token. */
  readonly steps: readonly Step[];
}

/**
 * Reads the header `DPoP` of a token request. Throws `proof.invalid`, and `proof.nonce` with the nonce to use. No round
 * trip: it comes before the client is authenticated, so that a request that is repeated with a nonce reads once.
 */
export async function readProof(header: string, { tools, sent, now }: OAuthContext): Promise<Proof> {
  const verdict = await tools.proofs.read(header, { sent, nowMs: now });
  if (verdict.kind === "valid") return verdict.proof;
  if (verdict.kind === "refused") throw invalid(`The DPoP proof is not valid: ${verdict.reason}.`);
  throw new Fault("proof.nonce", "Repeat the request with a DPoP proof that has the nonce of this response.", {
    headers: { [NONCE_HEADER]: verdict.nonce },
  });
}

/**
 * The key that the tokens of a request are bound to, given its valid DPoP proof. Throws `proof.invalid` and
 * `request.invalid` where the application issues only tokens that are bound to another kind of key.
 */
export function possessionOf(
  { settings: { binding } }: Client,
  proof: Proof | undefined,
  { sent }: OAuthContext,
): Possession {
  if (binding === "certificate") return { bound: { cnf: ofCertificate(proof, sent) }, steps: [] };
  if (proof) {
    const { thumbprint, id, expiresAtSeconds } = proof;
    const use = { maker: `dpop ${thumbprint}`, id, expiresAtSeconds: expiresAtSeconds + SLACK_SECONDS };
    return { bound: { cnf: { jkt: thumbprint } }, steps: [usingProof(use, usedBefore)] };
  }
  if (binding === undefined) return { bound: {}, steps: [] };
  throw invalid("The tokens of this application are bound to DPoP keys: send a DPoP proof in the header DPoP.");
}

function ofCertificate(proof: Proof | undefined, { certificate }: SentRequest): Confirmation {
  const cnf = certificate === undefined ? undefined : confirmationOfCertificate(certificate);
  if (cnf && !proof) return cnf;
  throw new Fault(
    "request.invalid",
    "The tokens of this application are bound to client certificates: send the request on a connection with one, " +
      "without a DPoP proof.",
  );
}

function usedBefore(): Fault {
  return invalid("The DPoP proof was used before. Make a new one for each request.");
}

function invalid(description: string): Fault {
  return new Fault("proof.invalid", description);
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
