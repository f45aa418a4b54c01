/** What tests use of the libraries of others for SAML. */
export interface Profile {
  readonly issuer: string;
  readonly nameID: string;
  readonly nameIDFormat: string;
  readonly sessionIndex?: string;
  readonly [attribute: string]: unknown;
}

export declare class SAML {
  constructor(options: Readonly<Record<string, unknown>>);
  getAuthorizeUrlAsync(relayState: string, host: string | undefined, options: object): Promise<string>;
  getAuthorizeMessageAsync(relayState: string): Promise<Readonly<Record<string, string>>>;
  generateServiceProviderMetadata(decryptionCertificate: string | null, certificate: string): string;
  getLogoutUrlAsync(user: Profile, relayState: string, options: object): Promise<string>;
  getLogoutResponseUrlAsync(user: Profile, relayState: string, options: object, isSuccess: boolean): Promise<string>;
  validateRedirectAsync(
    fields: Readonly<Record<string, string>>,
    query: string,
  ): Promise<{ readonly profile: Profile | null; readonly loggedOut: boolean }>;
  validatePostRequestAsync(
    fields: Readonly<Record<string, string>>,
  ): Promise<{ readonly profile: Profile | null; readonly loggedOut: boolean }>;
  validatePostResponseAsync(
    fields: Readonly<Record<string, string>>,
  ): Promise<{ readonly profile: Profile | null; readonly loggedOut: boolean }>;
}

export declare class SignedXml {
  constructor(options: object);
  addReference(reference: object): void;
  computeSignature(xml: string, options: object): void;
  getSignedXml(): string;
  loadSignature(signature: string): void;
  checkSignature(xml: string): boolean;
}

export declare function decrypt(
  xml: string,
  options: { readonly key: string; readonly disallowDecryptionWithInsecureAlgorithm?: boolean },
  then: (error: Error | null, text: string) => void,
): void;
