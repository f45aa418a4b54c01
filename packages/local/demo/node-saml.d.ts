/** What the demo uses of `@node-saml/node-saml`. */

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

export declare class SAML {
  constructor(options: Readonly<Record<string, unknown>>);
  getAuthorizeUrlAsync(relayState: string, host: string | undefined, options: object): Promise<string>;
  getLogoutUrlAsync(user: Profile, relayState: string, options: object): Promise<string>;
  getLogoutResponseUrlAsync(user: Profile, relayState: string, options: object, isSuccess: boolean): Promise<string>;
  validatePostResponseAsync(fields: Readonly<Record<string, string>>): Promise<Validated>;
  validateRedirectAsync(fields: Readonly<Record<string, string>>, query: string): Promise<Validated>;
}
