/** What callers of the store say about a change of a user. */
import type { Step } from "../../database/table/table.ts";
import type { QualifiedName } from "../../kernel/domain/username.ts";
import type { User } from "./model.ts";

/** A name in a store. */
export type StoreName = Pick<QualifiedName, "userStore" | "name">;

/** A change of a user. */
export interface UserChange {
  readonly after: User;
  /** Written in the same transaction: the credential, for example. At most 5. */
  readonly steps?: readonly Step[];
  /** A check that reads more. Nothing is written where it is rejected. */
  readonly allowed?: Promise<void>;
  /** A new password, for an external user store; in this store it is a credential among the steps. */
  readonly password?: string | undefined;
  /** What the record of the change shows, where the row holds a part of the user only. */
  readonly noted?: NotedUsers;
}

/** The states of a user that a change record compares. */
export interface NotedUsers {
  readonly before?: User | undefined;
  readonly after?: User | undefined;
  readonly hasNewPassword?: boolean;
}

/** The removal of a user. */
export interface Removal {
  /** Throws where the user may not be removed. */
  readonly check: (user: User) => Promise<void> | void;
  /**
   * Written in the same transaction: the removal of the credential, for example. At most 5. `untilSeconds`: until then
   * the user can be restored; absent for one who is deleted for good.
   */
  readonly steps: (user: User, untilSeconds: number | undefined) => readonly Step[];
  /** True for a user of a directory, who cannot be put aside. */
  readonly isFinal?: true;
}

/** What is stored with a new user. */
export interface Adding {
  /** Written in the same transaction: its credential, its roles. */
  readonly steps?: readonly Step[];
  /** The error when the name is in use. */
  readonly taken?: () => Error;
  /** The error when the user has that name already, for one whose id is not new. */
  readonly owned?: () => Error;
  /** As in a change. */
  readonly allowed?: Promise<void> | undefined;
  readonly password?: string | undefined;
  readonly noted?: NotedUsers;
}
