/** The algorithms of client assertions, by their names in JOSE: all of them asymmetric (RFC 8725 section 3.1). */
export const assertionAlgorithms = [
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "RS384",
  "RS512",
  "EdDSA",
  "Ed25519",
] as const;

/** Those of FAPI 2.0 (section 5.4.1). */
export const fapiAlgorithms = ["PS256", "ES256", "EdDSA", "Ed25519"] as const;

/** The algorithms of request objects: all of them asymmetric. Those of `requestObject.requestObjectSigningAlg`. */
export const requestObjectAlgorithms = ["PS256", "ES256", "RS256"] as const;
