/** What the handlers of SAML depend on. */
import type { ApplicationStore } from "../../applications/registry/store.ts";
import type { Table } from "../../database/table/table.ts";
import type { UserStores } from "../../directory/provisioning/users.ts";
import type { TenantStore } from "../../directory/tenant-store.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import type { PublicContext } from "../../kernel/operation/context.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { SamlKeys } from "../../tokens/saml-keys.ts";
import type { SignInSettings } from "../flow/context.ts";
import type { MembershipStores } from "../openid/memberships.ts";
import type { PairwiseSubjects } from "../openid/pairwise-store.ts";
import type { TokenLimits } from "../sessions/ending.ts";

/** What one request reads and writes, and what lives as long as the container. */
export interface SamlStores extends MembershipStores {
  readonly table: Table;
  /** The cookies of the request, `name=value` each. */
  readonly cookies: readonly string[];
  /** The query string as it was sent: signatures are over its very octets. */
  readonly rawQuery: string;
  readonly applications: Pick<ApplicationStore, "find">;
  readonly tenants: Pick<TenantStore, "find">;
  readonly users: UserStores["users"];
  /** Whether the deployment sends mails. */
  readonly sendsMail: boolean;
  readonly tools: {
    /** Seals what the browser carries to the function of sign-in and back. */
    readonly seal: Seal;
    /** Opens orders of messages about ended sessions. */
    readonly orders: Pick<Seal, "open">;
    readonly settings: Pick<SignInSettings, "sessions" | "brandOf">;
    /** How long tokens of an ended session can live. */
    readonly limits: TokenLimits;
    readonly keys: SamlKeys;
    readonly pairwise: PairwiseSubjects;
  };
}

export type SamlContext = PublicContext & SamlStores;

/** The tenant of a request. */
export const tenantOf = ({ pathTenant }: Pick<PublicContext, "pathTenant">): string => pathTenant ?? SUPER_TENANT;

/** The entity id of the identity provider of a tenant: its address. */
export function entityIdOf(tenant: string, { origin }: Pick<PublicContext, "origin">): string {
  return tenant === SUPER_TENANT ? origin : `${origin}/t/${tenant}`;
}

/** The paths of the identity provider of a tenant, as in WSO2 Identity Server. */
export const paths = {
  signOn: "/samlsso",
  /** Where artifacts are resolved, and queries are answered. */
  artifacts: "/samlartresolve",
  queries: "/services/SAMLQueryService",
} as const;

/** Where requests to the identity provider of a tenant go. */
export function endpointOf(
  tenant: string,
  context: Pick<PublicContext, "origin">,
  path: (typeof paths)[keyof typeof paths] = paths.signOn,
): string {
  return `${entityIdOf(tenant, context)}${path}`;
}
