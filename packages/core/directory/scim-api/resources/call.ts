/** What the operations of both SCIM versions run with. */

import { Fault } from "../../../kernel/faults.ts";
import { callerId, type Proof, type RequestContext, type ScopedContext } from "../../../kernel/operation/context.ts";
import type { NameStore } from "../../memberships/shown-names.ts";
import type { GroupStores } from "../../provisioning/groups.ts";
import type { UserStores } from "../../provisioning/users.ts";
import type { Links } from "./present.ts";

/** The stores of users and groups, and the settings that both versions have. */
export interface ScimStores extends UserStores, GroupStores {
  readonly names: NameStore;
  readonly dialect: {
    /** True: users carry `username`, with their store, besides `userName`, and their roles have upstream's parts. */
    readonly showsUsername: boolean;
    readonly needsPassword: boolean;
    /** Whether operations of bulk requests on existing resources need a `version`. */
    readonly requiresIfMatch: boolean;
  };
}

/** One request: its stores, who calls, when, and where links begin. */
export interface ScimCall<Stores extends ScimStores = ScimStores> extends Links {
  readonly stores: Stores;
  readonly now: number;
  /** The caller (`callerId`); absent where the service itself acts. */
  readonly subject?: string | undefined;
  /** The scopes of the credential, where the operation receives them. */
  readonly scopes?: ReadonlySet<string> | undefined;
  readonly proof?: Proof | undefined;
  /** Where the request came from. */
  readonly sourceIp?: string | undefined;
}

/** A resource in a response. */
export interface Shown {
  /** Its path, with the tenant where that is part of it. */
  readonly location: string;
  readonly body: Record<string, unknown>;
}

/** The response to a change: without a body where the resource is too large for one. */
export type ShownInBrief<T extends Shown = Shown> = Omit<T, "body"> & { readonly body: T["body"] | undefined };

/** The call of a request. `base` is the path of the tenant's resources. */
export function callOf<Stores extends ScimStores>(
  context: Stores & RequestContext & Partial<ScopedContext>,
  base: string,
): ScimCall<Stores> {
  const { origin, tenant, now, principal, scopes, proof, sourceIp } = context;
  return { stores: context, origin, tenant, base, now, subject: callerId(principal), scopes, proof, sourceIp };
}

/**
 * The id of the calling user. Throws `scim.forbidden` for an application, whose client id could equal the id of a user.
 */
export function ownUserId({ principal }: RequestContext): string {
  if (principal.kind === "user") return principal.subject;
  throw new Fault("scim.forbidden", "The credential belongs to an application. Use the credential of a user.");
}

/** The result of an operation without a response body. */
export async function done(work: Promise<void>): Promise<undefined> {
  await work;
}
