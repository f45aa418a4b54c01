/** What the handlers of account recovery depend on. */
import type { Table } from "../../database/table/table.ts";
import type { PasswordLimits } from "../../directory/credentials/password-limits.ts";
import type { UserStores } from "../../directory/provisioning/users.ts";
import type { TenantStore } from "../../directory/tenant-store.ts";
import type { UserStore } from "../../directory/users/store.ts";
import type { Principal, PublicContext } from "../../kernel/operation/context.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { AskLimits } from "../mails/ask.ts";
import type { Brand } from "../pages/layout.ts";

/** What holds where people may register by a page. */
export interface Registration {
  /** The domains of addresses that may register, in ASCII and small letters; empty for all. */
  readonly emailDomains: readonly string[];
  /** The terms to accept. */
  readonly termsUrl: string | undefined;
  /** How many people may ask for it in a tenant, in an hour by the clock. */
  readonly hourMax: number;
}

/** What lives as long as the container. */
export interface RecoveryTools {
  /** False where the deployment sends no mail: then nothing is recovered. */
  readonly sendsMail: boolean;
  readonly limits: AskLimits;
  readonly passwords: PasswordLimits;
  readonly brandOf: (tenant: string) => Brand;
  /** `undefined` for a tenant in which people may not register. */
  readonly registrationOf: (tenant: string) => Registration | undefined;
  /** Seals the codes between the calls of the API. */
  readonly seal: Seal;
}

/** What one request reads and writes. */
export interface RecoveryStores {
  readonly table: Table;
  /** Those of the table. Of directories, only whether they have an address is asked. */
  readonly users: Pick<UserStore, "find" | "idOf" | "idsBy" | "elsewhere">;
  readonly tenants: Pick<TenantStore, "find">;
  /** Changes users on behalf of one: the records of changes name that user. */
  readonly identitiesAs: (principal: Principal) => UserStores;
  readonly tools: RecoveryTools;
}

export type RecoveryContext = PublicContext & RecoveryStores;
