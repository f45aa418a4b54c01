/** What the pages of the own account depend on. */
import type { OidcScopeStore } from "../../applications/oidc-scopes/store.ts";
import type { ApplicationStore } from "../../applications/registry/store.ts";
import type { Table } from "../../database/table/table.ts";
import type { UserStores } from "../../directory/provisioning/users.ts";
import type { Principal, PublicContext } from "../../kernel/operation/context.ts";
import type { SignInSettings } from "../flow/context.ts";
import type { EndLimits } from "../sessions/ending.ts";

/** What one request reads and writes. */
export interface AccountStores extends Pick<UserStores, "users" | "groups" | "roles" | "tenants"> {
  readonly table: Table;
  /** The cookies of the request, `name=value` each. */
  readonly cookies: readonly string[];
  readonly applications: Pick<ApplicationStore, "find">;
  readonly oidcScopes: Pick<OidcScopeStore, "all">;
  /** Stores that write on behalf of the person: the records of changes name that user. */
  readonly as: (principal: Principal) => UserStores & { readonly table: Table };
  readonly tools: {
    readonly settings: SignInSettings;
    readonly limits: EndLimits["tokenLimits"];
    /** Whether people may delete their accounts. */
    readonly canDelete: boolean;
    /** For how many days a deleted account can be restored. */
    readonly deletedDays: number;
  };
}

export type AccountContext = PublicContext & AccountStores;
