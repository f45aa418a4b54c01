/** The access settings of deployment.toml, validated. */

/** Kinds of credentials, by the names of upstream's handlers. */
export const authenticationHandlers = ["BasicAuthentication", "OAuthAuthentication", "ClientCertificate"] as const;
export type AuthenticationHandler = (typeof authenticationHandlers)[number];

/** The first rule that matches a request decides. Where none matches, the operation's own scope is required. */
export interface AccessRule {
  /** The place in the file, for messages: `resource.access_control number 2 (line 14)`. */
  readonly place: string;
  /** The file that contains the rule. */
  readonly file?: string;
  readonly context: string;
  /** In capitals; `undefined`: all methods. */
  readonly methods: ReadonlySet<string> | undefined;
  /** False: the matched operations are public. */
  readonly isSecured: boolean;
  /**
   * All are required, instead of the operation's own scope. An empty list: any credential is enough. `undefined`: the
   * operation's own scope.
   */
  readonly scopes: readonly string[] | undefined;
  /** `undefined`: all kinds of credentials. */
  readonly handlers: ReadonlySet<AuthenticationHandler> | undefined;
}

/** An accepted issuer of client certificates. */
export interface CertificateIssuer {
  /** The common name of the issuer. */
  readonly commonName: string;
  /** PEM. The client certificate must be signed with the key of this certificate. */
  readonly certificate?: string | undefined;
  /** The tenants whose users its certificates can name; `undefined`: all. */
  readonly tenants?: ReadonlySet<string> | undefined;
}

/** Client certificates as credentials (mutual TLS). */
export interface CertificateSettings {
  /** False: certificates do not authenticate. */
  readonly enabled: boolean;
  readonly issuers: readonly CertificateIssuer[];
  /** Paths at and below which certificates do not authenticate, such as `/scim2`. */
  readonly exemptContexts: readonly string[];
}

export interface AccessSettings {
  readonly rules: readonly AccessRule[];
  readonly certificates: CertificateSettings;
}
