/** What a token says, in either version of SAML. */
import type { AttributeValues } from "../sso/claimed.ts";

/** What is said of a user, and to which application. */
export interface Token {
  /** Who says it: the name of this identity provider. */
  readonly issuer: string;
  readonly realm: string;
  /** Where the token goes. */
  readonly address: string;
  /** The name of the user. */
  readonly name: string;
  /** How the user has signed in. */
  readonly method: string;
  readonly authnMs: number;
  readonly sessionIndex: string;
  readonly sessionEndsMs: number;
  readonly attributes: readonly AttributeValues[];
  readonly nowMs: number;
  /** An ID that was not used before. */
  readonly newId: () => string;
}
