/** Encrypted ID tokens: a signed JWT inside of an encrypted one (OpenID Connect Core 1.0 section 10.2). */
import { CompactEncrypt, importJWK } from "jose";
import type { PublicKey } from "./key-set.ts";

/** How a client wants its ID tokens. */
export interface EncryptionPlan {
  /** By its name in JOSE (RFC 7518 section 4). */
  readonly algorithm: string;
  readonly method: string;
}

/** The algorithms that this service encrypts with. RSA1_5 is not among them: it gives secrets away (RFC 8725). */
export const encryptionAlgorithms: ReadonlySet<string> = new Set([
  ...["RSA-OAEP", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512"],
]);

/** The methods that it encrypts with (RFC 7518 section 5). */
export const encryptionMethods = ["A128GCM", "A192GCM", "A256GCM", "A128CBC-HS256", "A192CBC-HS384"] as const;

/** What other products call A128CBC-HS256. */
const METHOD_ALIAS = "A128CBC+HS256";

/** Encrypts a JWT to the first key that fits; `undefined` where none does. */
export async function encryptedJwt(
  jwt: string,
  { algorithm, method }: EncryptionPlan,
  keys: readonly PublicKey[],
): Promise<string | undefined> {
  const key = keys.find(({ kty, alg }) => kty === "RSA" && (alg === undefined || alg === algorithm));
  if (!key || !encryptionAlgorithms.has(algorithm)) return undefined;
  const { kid } = key;
  return new CompactEncrypt(Buffer.from(jwt, "utf8"))
    .setProtectedHeader({
      alg: algorithm,
      enc: method === METHOD_ALIAS ? "A128CBC-HS256" : method,
      typ: "JWT",
      cty: "JWT",
      ...(kid !== undefined && { kid }),
    })
    .encrypt(await importJWK({ ...key }, algorithm));
}
