/** Password hashes that others published, with their passwords: one and more of each format that can be imported. */
import { hash as digestOf } from "node:crypto";

/** A password and its hash. */
export interface Vector {
  readonly format: string;
  readonly password: string;
  readonly hash: string;
}

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");
const fromHex = (hex: string): string => Buffer.from(hex, "hex").toString("base64").replace(/=+$/, "");
const SALT_TEXT = "c2FsdHNhbHRzYWx0MTY=";
const WSO2 = "Wso2@Test1";
const FIREBASE_SIGNER = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==";
const FIREBASE_TAG = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==";
const PBKDF2_KEYCLOAK = "+kwd+aSgNCYvV8B/PaP2RsGEsM37OpeDtGd/6UuFvtKWVwCGTU/Do9oSgqazROH8MNmxdsxgkXUAX6hRVQvslg==";

/** A salted digest as others store it: the digest, and behind it the salt. */
const ssha = (digest: "sha1" | "sha256" | "sha512"): string => {
  const salt = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]);
  return Buffer.concat([digestOf(digest, Buffer.concat([Buffer.from(WSO2), salt]), "buffer"), salt]).toString("base64");
};

export const vectors: readonly Vector[] = [
  {
    format: "bcrypt of crypt(3), with its name",
    password: WSO2,
    hash: "{bcrypt}$2b$10$abcdefghijklmnopqrstuutZSBtmaYBvJm.v9mH8jgux8eda7ecdq",
  },
  {
    format: "bcrypt $2a$ of Openwall",
    password: "U*U",
    hash: "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
  },
  {
    format: "argon2id with this service's parameters",
    password: WSO2,
    hash: "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$qY2BWBf5Z8kGihYDrhqX+TmIEj5vVaFvDtTbFBUbxuk",
  },
  {
    format: "argon2i of the reference implementation",
    password: "password",
    hash: "$argon2i$v=19$m=65536,t=2,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG",
  },
  {
    format: "scrypt with an exponent",
    password: WSO2,
    hash: "$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$jnCFMmV3KUc0DcHNSjkDEq+PhM6n7cBbEL5AXpyQR6Y",
  },
  {
    format: "scrypt of RFC 7914, with the cost itself",
    password: "pleaseletmein",
    hash: `$scrypt$ln=16384,r=8,p=1$${base64("SodiumChloride")}$${fromHex(
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
    )}`,
  },
  {
    format: "PBKDF2 with SHA-256 of Keycloak",
    password: WSO2,
    hash: `$pbkdf2-sha256$i=27500,l=64$AAECAwQFBgcICQoLDA0ODw==$${PBKDF2_KEYCLOAK}`,
  },
  {
    format: "PBKDF2 with SHA-256 of WSO2, the text of the salt",
    password: WSO2,
    hash: `$pbkdf2-sha256$i=10000,l=32$${base64(SALT_TEXT)}$H5Kt9Wc2M+TDOJdM0e5ePDlhXa5rfTgnf3pubahc6W4=`,
  },
  {
    format: "PBKDF2 with SHA-1 of RFC 6070",
    password: "password",
    hash: `$pbkdf2$i=4096,l=20$${base64("salt")}$${fromHex("4b007901b765489abead49d926f721d065a429c1")}`,
  },
  {
    format: "salted SHA-1 of LDAP",
    password: WSO2,
    hash: "{SSHA}WxyYadHtXQA9yGXDcXMTT1Ro6joBAgMEBQYHCA==",
  },
  { format: "salted SHA-256 of LDAP", password: WSO2, hash: `{SSHA256}${ssha("sha256")}` },
  { format: "salted SHA-512 of LDAP", password: WSO2, hash: `{SSHA512}${ssha("sha512")}` },
  {
    format: "salted SHA-256 of WSO2",
    password: WSO2,
    hash: `$sha256$pf=${base64("{PASSWORD}{SALT}")}$${base64(SALT_TEXT)}$iAjidopMlrk+p9ed8dOxKTBq2vt53daXPlML63sWTfo=`,
  },
  {
    format: "scrypt of Firebase",
    password: "user1password",
    hash: `$firescrypt$ln=14,r=8,p=1$42xEC+ixf3L2lw==$${FIREBASE_TAG}$Bw==$${FIREBASE_SIGNER}`,
  },
];
