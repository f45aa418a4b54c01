/**
 * Proofs that were used at the token endpoint: each DPoP proof (RFC 9449 section 11.1) and each assertion of a client
 * (RFC 7523 section 3) counts once. A row exists until its proof is too old to be accepted.
 */
import { createHash, randomUUID } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { number, rowCodec, text } from "../../database/table/row.ts";
import type { Step } from "../../database/table/table.ts";

/** A proof that counts once. */
export interface SingleUse {
  /** Who made it, with the kind: `dpop <thumbprint>`, `client <client id>`. Two makers may choose the same id. */
  readonly maker: string;
  /** Its `jti`. */
  readonly id: string;
  /** From when on it is refused as too old, in seconds since 1970. */
  readonly expiresAtSeconds: number;
}

const rows = rowCodec<{ readonly use: string; readonly expiresAtSeconds: number }>("used proof", {
  use: text,
  expiresAtSeconds: number,
});

/**
 * The step that uses a proof up, in the transaction of the token that is issued for it. `otherwise` returns the fault
 * for a proof that was used before. One write.
 */
export function usingProof({ maker, id, expiresAtSeconds }: SingleUse, otherwise: () => Error): Step {
  const use = randomUUID();
  return {
    put: { ...keys.usedProof(digestOf(`${maker}\n${id}`)), ...rows.write({ use, expiresAtSeconds }) },
    when: "absent",
    // The row of this very use shows that its response was lost.
    otherwise: (found) => (found?.use === use ? "applied" : otherwise()),
  };
}

/** The maker and the id are chosen by callers: a digest has a fixed length and hides them. */
function digestOf(value: string): string {
  return createHash("sha256").update(value, "utf8").digest("base64url");
}
