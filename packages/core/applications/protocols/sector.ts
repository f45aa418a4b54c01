/** Pairwise subjects (OpenID Connect Core 1.0 section 8.1): which clients see a user under one name. Pure. */
import type { OidcClient } from "./model.ts";

/**
 * The sector of a client with pairwise subjects: the host of its `sectorIdentifierUri`, or that of its callbacks, or
 * the client itself where these have none or several. `undefined` for a client with public subjects.
 */
export function sectorOf({ subject, callbackURLs, clientId }: OidcClient): string | undefined {
  if (subject?.subjectType !== "pairwise") return undefined;
  if (subject.sectorIdentifierUri) return hostOf(subject.sectorIdentifierUri);
  const [host, ...others] = new Set(callbackURLs.map(hostOf));
  return host && others.length === 0 ? host : `client ${clientId}`;
}

/** Empty for what has no host, such as an expression. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "";
}
