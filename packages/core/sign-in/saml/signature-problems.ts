/** What is wrong with signatures of requests. */

export const UNSIGNED = "The application requires signed requests, and this one has no signature.";
export const WEAK = "Its signature, or the digest in it, is not by RSA or ECDSA with SHA-256 or better.";
export const WRONG = "Its signature is not right: it must be made with the key of the certificate of the application.";
