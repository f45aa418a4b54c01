/** The algorithms of request objects: all of them asymmetric. Those of `requestObject.requestObjectSigningAlg`. */
export const requestObjectAlgorithms = ["PS256", "ES256", "RS256"] as const;
