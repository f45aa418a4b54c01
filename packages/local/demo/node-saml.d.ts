/** What the demo, and tests, use of `@node-saml/node-saml`. */

/** What a service provider knows of a person. */
export interface Profile {
  readonly issuer: string;
  readonly nameID: string;
  readonly nameIDFormat: string;
  readonly sessionIndex?: string;
  readonly [attribute: string]: unknown;
}

/** What a message was: of a person who signs in, or a logout. */
export interface Validated {
  readonly profile: Profile | null;
  readonly loggedOut: boolean;
}

type Fields = Readonly<Record<string, string>>;

export declare class SAML {
  constructor(options: Readonly<Record<string, unknown>>);
  getAuthorizeUrlAsync(relayState: string, host: string | undefined, options: object): Promise<string>;
  getAuthorizeMessageAsync(relayState: string): Promise<Fields>;
  generateServiceProviderMetadata(decryptionCertificate: string | null, certificate: string): string;
  getLogoutUrlAsync(user: Profile, relayState: string, options: object): Promise<string>;
  getLogoutResponseUrlAsync(user: Profile, relayState: string, options: object, isSuccess: boolean): Promise<string>;
  validateRedirectAsync(fields: Fields, query: string): Promise<Validated>;
  validatePostRequestAsync(fields: Fields): Promise<Validated>;
  validatePostResponseAsync(fields: Fields): Promise<Validated>;
}
