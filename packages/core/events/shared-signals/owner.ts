/** What the owner of a stream may do while it does not call: for events that are pushed. */
import type { OwnerScopes } from "../../sign-in/authentication/owner-scopes.ts";
import type { Stream } from "./model.ts";
import { readableBy, type SubjectType } from "./subjects.ts";

/** The rights of an owner; `undefined` where it may not receive events any more. */
export type OwnerRights = { readonly readable: ReadonlySet<SubjectType> } | undefined;

/** One of them lets a caller receive events. */
const RECEIVING = ["ssf.read", "ssf.manage"];

/**
 * The rights of the owner of a stream, by its scopes of this moment (owner-scopes.ts). An application must be
 * authorized for the Shared Signals API; a user must have a role for it, and gets no data.
 */
export function ownerRights({ owner }: Pick<Stream, "owner">, scopes: OwnerScopes): OwnerRights {
  if (!scopes || !RECEIVING.some((name) => scopes.has(name))) return undefined;
  return { readable: owner.kind === "user" ? new Set() : readableBy(scopes) };
}
