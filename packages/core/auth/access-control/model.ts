/** What an operator says about access in deployment.toml, checked and in our words (spec access-and-scim.md, "Configuration keys"). */

/** How a caller can show who it is. The names are those of upstream's handlers. */
export const authenticationHandlers = ["BasicAuthentication", "OAuthAuthentication", "ClientCertificate"] as const;
export type AuthenticationHandler = (typeof authenticationHandlers)[number];

/** A rule on some paths. The first rule that matches a request decides; behind the last one the catalogue does. */
export interface AccessRule {
  /** Where the rule stands in the file, for sentences: `resource.access_control number 2, line 14`. */
  readonly place: string;
  /** The file that it was read from, if it was one. */
  readonly file?: string;
  readonly context: string;
  /** Methods in capitals; `undefined` for all. */
  readonly methods: ReadonlySet<string> | undefined;
  /** False: anybody may call what the rule matches. */
  readonly isSecured: boolean;
  /**
   * All of them are needed, in place of what the operation asks for; none: any caller who shows a credential may.
   * `undefined`: what the operation asks for.
   */
  readonly scopes: readonly string[] | undefined;
  /** `undefined`: any of them. */
  readonly handlers: ReadonlySet<AuthenticationHandler> | undefined;
}

/** Who may have issued the certificate of a caller. */
export interface CertificateIssuer {
  /** The common name of the certificate that issued the caller's. */
  readonly commonName: string;
  /** PEM. Where it is given, the caller's certificate must be signed by this very key. */
  readonly certificate?: string | undefined;
  /** The tenants whose users it may speak for; `undefined` for all. */
  readonly tenants?: ReadonlySet<string> | undefined;
}

/** Certificates as credentials (mutual TLS). */
export interface CertificateSettings {
  /** False: a certificate says nothing about who calls. */
  readonly enabled: boolean;
  readonly issuers: readonly CertificateIssuer[];
  /** Paths below which a certificate says nothing either, such as `/scim2`. */
  readonly exemptContexts: readonly string[];
}

/** All of it. */
export interface AccessSettings {
  readonly rules: readonly AccessRule[];
  readonly certificates: CertificateSettings;
}

/** What holds where an operator says nothing. */
export const defaultAccess: AccessSettings = {
  rules: [],
  certificates: { enabled: false, issuers: [], exemptContexts: [] },
};
