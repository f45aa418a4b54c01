/**
 * Clients that share pairwise subjects name a document that lists the addresses of all of them (OpenID Connect Core 1.0
 * section 8.1, Dynamic Client Registration 1.0 section 5). Otherwise any client could join a sector, and learn who its
 * users are for others.
 */
import { AuthorizationError } from "./authorization-error.ts";
import type { Requester } from "./authorization-request.ts";
import type { SignInContext } from "./context.ts";
import { isRegistered } from "./redirects.ts";

/** Addresses that a document can have. */
const ADDRESSES_MAX = 200;

/** The addresses in a document: a list of texts. `undefined` for any other text. */
export function readSector(text: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    const isList = Array.isArray(list) && list.length <= ADDRESSES_MAX;
    return isList && list.every((each): each is string => typeof each === "string") ? list : undefined;
  } catch {
    // Not JSON.
    return undefined;
  }
}

/**
 * Checks that the address of the answer belongs to the sector of the client, where that is in a document. One request
 * to its address, none while the document is known. Throws `AuthorizationError`.
 */
export async function checkSector(
  { application, to }: Pick<Requester, "application" | "to">,
  { tools }: SignInContext,
): Promise<void> {
  const { subjectType, sectorIdentifierUri } = application.inbound.oidc?.subject ?? {};
  if (subjectType !== "pairwise" || !sectorIdentifierUri) return;
  const listed = await tools.sectors.at(sectorIdentifierUri);
  // An expression in a document of others is none.
  const plain = listed?.filter((address) => !address.startsWith("regexp=")) ?? [];
  if (await isRegistered(to.redirectUri, plain)) return;
  throw new AuthorizationError(
    "unauthorized_client",
    listed
      ? "The document at sectorIdentifierUri does not list the redirect_uri."
      : "The document at sectorIdentifierUri cannot be read: it must be a JSON list of addresses.",
  );
}
