/** What is known of the subject of a question. */
import type { ScopePlace } from "../../applications/apis/scope-store.ts";
import type { Client } from "../../applications/registry/client-store.ts";
import type { Application } from "../../applications/registry/model.ts";
import type { Group } from "../../directory/groups/model.ts";
import type { Assigned } from "../../directory/memberships/assignment-model.ts";
import type { Role } from "../../directory/roles/model.ts";
import type { User } from "../../directory/users/model.ts";
import type { WayToRole } from "../authentication/role-ids.ts";
import type { Target } from "../oauth/targets.ts";

/** A role of a user, with the ways to it. */
export interface HeldRole {
  readonly role: Role;
  readonly ways: readonly WayToRole[];
}

/** The application that gets the token. */
export interface Through {
  readonly application: Application;
  /** Absent for an application without OpenID Connect. */
  readonly client: Client | undefined;
  /** The resources that the token is for; absent for all. */
  readonly targets: readonly Target[] | undefined;
}

/** What is known of the subject of a question. */
export type Known = {
  /** The existing scopes of the tenant's own APIs among those of the question. */
  readonly places: ReadonlyMap<string, ScopePlace>;
} & (
  | {
      readonly kind: "user";
      readonly user: User;
      readonly groups: readonly Group[];
      readonly held: readonly HeldRole[];
      /** Absent for a user who calls directly. */
      readonly through?: Through;
      /** Whether the user may use the application. */
      readonly hasAccess: boolean;
      /** By what the user may use an application that asks for an assignment. Absent where it was not read. */
      readonly assigned?: readonly Assigned[];
    }
  | { readonly kind: "client"; readonly through: Through & { readonly client: Client } }
);
