/** One sign-in with a password: what is tried, what is read for it, and what is known of it before. */

import type { CredentialStore } from "../../directory/credentials/store.ts";
import type { TenantStore } from "../../directory/tenant-store.ts";
import type { Lookup } from "../../directory/users/identifiers.ts";
import type { User } from "../../directory/users/model.ts";
import type { UserStore } from "../../directory/users/store.ts";
import type { Tenant } from "../../kernel/domain/tenant.ts";
import type { QualifiedName } from "../../kernel/domain/username.ts";
import type { LockoutStore, LockState } from "./lockout-store.ts";

/** The id of no user. Reading it costs what reading a user costs. */
export const NO_USER_ID = "00000000-0000-0000-0000-000000000000";

/** What a sign-in reads. */
export interface SignInStores {
  readonly tenants: TenantStore;
  readonly users: UserStore;
  readonly credentials: CredentialStore;
  readonly lockouts: LockoutStore;
}

/** One sign-in. */
export interface SignInAttempt {
  /** A name can have several readings: the first one whose tenant exists counts. */
  readonly readings: readonly QualifiedName[];
  readonly password: string;
  /** What the entered text stands for besides a user name, in the tenant of each reading (decision 0186). */
  readonly identifier?: Lookup | undefined;
  /** The address that the request came from, as the gateway saw it; never from a header. */
  readonly sourceIp: string;
  /** What the caller does meanwhile. */
  readonly meanwhile?: Meanwhile;
  /**
   * True for a page, which tells of locks. Then every reading is looked up, and the failures of a name that no user has
   * are counted whatever the name means: neither a lock nor the work shows which tenants there are.
   */
  readonly tellsLocks?: boolean;
}

/** What a caller does during a sign-in, so that it costs no round trip of its own. */
export interface Meanwhile {
  /** Begins to read what belongs to the user of each reading. It does the same for the id of no user. */
  readonly onUser: (userId: string, reading: QualifiedName) => void;
  /**
   * Runs after the password was verified, while the lock is read again. The sign-in may still be refused: what is done
   * here must be worthless then.
   */
  readonly onVerified: (user: User, reading: QualifiedName) => Promise<void>;
}

/** What was read of one reading of a name, and what can be read at the same time as the rest. */
export interface ReadAhead {
  /** The user that the name identifies, if nothing has changed. */
  readonly userId: string;
  readonly user?: { readonly found: User | undefined };
  readonly tenant?: { readonly found: Tenant | undefined };
  readonly lock?: LockState;
}
