/** Inbound protocol settings as they are kept with their application. */
import type * as z from "zod";
import type { OidcShown, PassiveStsShown, SamlShown, WsTrustShown } from "./shapes.ts";

/** An OAuth2 / OpenID Connect client. Its secret is sealed for `tenant/application id`. */
export type OidcClient = Omit<z.output<typeof OidcShown>, "clientSecret" | "refreshToken"> & {
  readonly sealedSecret: string;
  /** Whether refresh tokens are renewed is absent where nobody has said it: then they are, though it is shown as false (reference access.md section 1.7). */
  readonly refreshToken: { readonly expiryInSeconds: number; readonly renewRefreshToken?: boolean };
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
  readonly properties: readonly { readonly key: string; readonly value: string; readonly isSealed?: true }[];
}

/** A protocol that an imported file names and that nobody here is configured for. */
export interface OtherEntry {
  readonly type: string;
  readonly key: string;
}

/** The protocols of one application: at most one configuration of each kind. */
export interface InboundProtocols {
  readonly oidc?: OidcClient;
  readonly saml?: SamlServiceProvider;
  readonly passiveSts?: PassiveSts;
  readonly wsTrust?: WsTrust;
  /** By name. */
  readonly custom?: Readonly<Record<string, CustomSettings>>;
  /** Listed and exported; nobody signs in by them. */
  readonly others?: readonly OtherEntry[];
}

/** The text that secrets of an application are sealed for. */
export function ownerOf(tenant: string, applicationId: string): string {
  return `${tenant}/${applicationId}`;
}
