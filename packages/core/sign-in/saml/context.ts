/** What the handlers of SAML depend on. */
import type { PublicContext } from "../../kernel/operation/context.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { SamlKeys } from "../../tokens/saml-keys.ts";
import type { PairwiseSubjects } from "../openid/pairwise-store.ts";
import type { TokenLimits } from "../sessions/ending.ts";
import { type SsoStores, tenantAddressOf } from "../sso/context.ts";

export { tenantOf } from "../sso/context.ts";

/** What one request reads and writes, and what lives as long as the container. */
export interface SamlStores extends SsoStores {
  /** The query string as it was sent: signatures are over its very octets. */
  readonly rawQuery: string;
  readonly tools: SsoStores["tools"] & {
    /** Opens orders of messages about ended sessions. */
    readonly orders: Pick<Seal, "open">;
    /** How long tokens of an ended session can live. */
    readonly limits: TokenLimits;
    readonly keys: SamlKeys;
    readonly pairwise: PairwiseSubjects;
  };
}

export type SamlContext = PublicContext & SamlStores;

/** The entity id of the identity provider of a tenant: its address. */
export const entityIdOf = tenantAddressOf;

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
