/** Inbound protocol settings, as they are stored with their application. */
import type * as z from "zod";
import type { StoredSecrets } from "./client-secrets.ts";
import type { Graceful } from "./limits.ts";
import type { OidcShown, PassiveStsShown, SamlShown, WsTrustShown } from "./shapes.ts";

/** What a response shows of the secrets. */
type ShownSecrets = "clientSecret" | "clientSecretExpiresAt" | "multipleClientSecretsConfigured";

/** An OAuth2 / OpenID Connect client. Its secrets are sealed for `tenant/application id`. */
export type OidcClient = Omit<z.output<typeof OidcShown>, ShownSecrets | "refreshToken"> &
  StoredSecrets & {
    /** An absent `renewRefreshToken` is shown as false, but refresh tokens are renewed. */
    readonly refreshToken: Graceful & {
      readonly expiryInSeconds: number;
      readonly renewRefreshToken?: boolean;
      readonly extendRenewedRefreshTokenExpiryTime?: boolean | undefined;
    };
  };

/** A SAML service provider. */
export type SamlServiceProvider = z.output<typeof SamlShown>;

/** A WS-Federation relying party. */
export type PassiveSts = z.output<typeof PassiveStsShown>;

/** A relying party of the security token service. */
export type WsTrust = z.output<typeof WsTrustShown>;

/** Settings of a custom protocol. Confidential values are sealed for `tenant/application id`. */
export interface CustomSettings {
  readonly name: string;
  readonly configName: string;
  /** What signs people in, as the kind said when they were saved; absent where nothing does. */
  readonly engine?: "cas";
  readonly properties: readonly { readonly key: string; readonly value: string; readonly isSealed?: true }[];
}

/** A protocol of an imported file that is not configured here. */
export interface OtherEntry {
  readonly type: string;
  readonly key: string;
}

/** The protocols of one application, at most one configuration of each. */
export interface InboundProtocols {
  readonly oidc?: OidcClient;
  readonly saml?: SamlServiceProvider;
  readonly passiveSts?: PassiveSts;
  readonly wsTrust?: WsTrust;
  /** By name. */
  readonly custom?: Readonly<Record<string, CustomSettings>>;
  /** Listed and exported, without effect on sign-in. */
  readonly others?: readonly OtherEntry[];
}

/** The context that secrets of an application are sealed for. */
export function ownerOf(tenant: string, applicationId: string): string {
  return `${tenant}/${applicationId}`;
}
