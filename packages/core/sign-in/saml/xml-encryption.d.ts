/** What is used of `xml-encryption`, whose own types are those of an older version. */
export declare function encrypt(
  content: string,
  options: {
    readonly rsa_pub: string;
    readonly pem: string;
    readonly encryptionAlgorithm: string;
    readonly keyEncryptionAlgorithm: string;
    readonly keyEncryptionDigest: string;
    readonly keyEncryptionMgf?: string;
    readonly disallowEncryptionWithInsecureAlgorithm: boolean;
    readonly warnInsecureAlgorithm: boolean;
  },
  then: (error: Error | null, written: string) => void,
): void;
