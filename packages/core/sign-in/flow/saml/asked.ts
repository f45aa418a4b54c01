/** What a service provider of SAML 2.0 asks for, as sealed texts and pages carry it to the answer. */

/** The classes of sign-in that a request takes (SAML Core 2.0 section 3.3.2.2.1). */
export interface AskedContexts {
  readonly comparison: "exact" | "minimum" | "maximum" | "better";
  readonly classes: readonly string[];
}

/** A request of a service provider, or a sign-in that the identity provider begins. */
export interface SamlAsked {
  /** The ID of the request; absent where the identity provider begins. */
  readonly id?: string | undefined;
  /** Where the identity provider begins: what makes this sign-in another one than any before. */
  readonly begun?: string | undefined;
  /** Whether the answer goes by artifact. */
  readonly isByArtifact?: boolean | undefined;
  /** When it was taken, in milliseconds. */
  readonly takenMs: number;
  /** The format of NameID that the request asks for; absent where the settings decide. */
  readonly nameIdFormat?: string | undefined;
  /** The name of the only subject that may sign in. */
  readonly subject?: string | undefined;
  readonly contexts?: AskedContexts | undefined;
  /** `AttributeConsumingServiceIndex`. */
  readonly attributeIndex?: string | undefined;
}
