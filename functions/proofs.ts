/** The reader of DPoP proofs of a function. */
import type { ProofReader } from "#core/tokens/dpop.ts";
import { nonceKey } from "./env.ts";

/** Opens the reader. Its code is loaded with the first proof: most requests have none. */
export function openProofs(): ProofReader {
  const key = nonceKey();
  let opened: Promise<ProofReader> | undefined;
  return {
    async read(header, check) {
      opened ??= import("#core/tokens/dpop.ts").then(({ newProofReader }) => newProofReader(key));
      return (await opened).read(header, check);
    },
  };
}
