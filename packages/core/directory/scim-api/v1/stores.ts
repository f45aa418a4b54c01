/** The dependencies of the SCIM 1.1 handlers. */
import type { ScimCall, ScimStores } from "../resources/call.ts";
import type { IsAdministrator } from "./administrators.ts";

/** The settings of SCIM 1.1. */
export interface Scim1Dialect {
  readonly showsUsername: false;
  readonly needsPassword: boolean;
  readonly requiresIfMatch: boolean;
  /** True: lists show whole resources, which Okta's tests expect. False: only what the API documents. */
  readonly listsWhole: boolean;
}

/** The dependencies of the handlers. */
export interface Scim1Stores extends ScimStores {
  readonly isAdministrator: IsAdministrator;
  readonly dialect: Scim1Dialect;
}

/** One request of SCIM 1.1. */
export type Scim1Call = ScimCall<Scim1Stores>;
