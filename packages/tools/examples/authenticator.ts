/**
 * An authenticator and its browser in software (Web Authentication Level 3), apart from the library that the service
 * uses. It does what it is told.
 */
import {
  createHash,
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign as signed,
} from "node:crypto";

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const ATTESTED = 64;

/** What an authenticator is asked: the JSON in a page. */
interface Asked {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string; readonly name: string };
  readonly user?: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly allowCredentials?: readonly { readonly id: string; readonly transports?: readonly string[] }[];
  readonly excludeCredentials?: readonly { readonly id: string }[];
  readonly pubKeyCredParams?: readonly { readonly alg: number }[];
  readonly attestation?: string;
  readonly userVerification?: string;
}

/** What a page asks a browser for. */
export const askedIn = ({ html }: { readonly html: string }): Asked => {
  const [, text = "{}"] = /data-options="([^"]*)"/.exec(html) ?? [];
  const characters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return JSON.parse(text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] ?? ""));
};

/** Where the service of a test is for browsers: a relying party has a name. */
export const siteAt = (url: string): string => url.replace("127.0.0.1", "localhost");

type Cbor = number | string | Uint8Array | readonly Cbor[] | ReadonlyMap<number | string, Cbor>;

const head = (major: number, length: number): Buffer => {
  const type = major << 5;
  if (length < 24) return Buffer.from([type | length]);
  if (length < 256) return Buffer.from([type | 24, length]);
  return Buffer.from([type | 25, length >> 8, length & 255]);
};

/** CBOR (RFC 8949). */
const cbor = (value: Cbor): Buffer => {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = [...(value as ReadonlyMap<number | string, Cbor>)];
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, each]) => [cbor(key), cbor(each)])]);
};

export type Algorithm = "ES256" | "EdDSA" | "RS256";

const bytes = (text: string | undefined) => Buffer.from(text ?? "", "base64url");

/** A COSE key (RFC 9053). */
const coseOf = (key: KeyObject): ReadonlyMap<number, Cbor> => {
  const { kty, x, y, n, e } = key.export({ format: "jwk" });
  if (kty === "EC")
    return new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ]);
  if (kty === "OKP")
    return new Map<number, Cbor>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(x)],
    ]);
  return new Map<number, Cbor>([
    [1, 3],
    [3, -257],
    [-1, bytes(n)],
    [-2, bytes(e)],
  ]);
};

const pairs = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: () => generateKeyPairSync("ed25519"),
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2_048 }),
} as const;

/** What an answer says in place of the truth: tests let it lie. */
export interface Lies {
  readonly id?: string;
  readonly challenge?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly flags?: number;
  readonly counter?: number;
  readonly userHandle?: string | undefined;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  /** The key in place of the own one. */
  readonly cose?: ReadonlyMap<number, Cbor>;
  readonly format?: string;
  readonly statement?: ReadonlyMap<string, Cbor>;
  readonly transports?: unknown;
  /** Changes a signature. */
  readonly tamper?: (signature: Buffer) => Buffer;
}

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest();

/** An authenticator with one passkey. `counts` as security keys do; passkeys that are synced do not. */
export const newAuthenticator = (url: string, { algorithm = "ES256" as Algorithm, counts = false } = {}) => {
  const origin = siteAt(url);
  const host = new URL(origin).hostname;
  const { publicKey, privateKey } = pairs[algorithm]();
  const pem = privateKey.export({ format: "pem", type: "pkcs8" });
  const id = randomBytes(32).toString("base64url");
  let counter = 0;
  let handle: string | undefined;

  const clientData = (type: string, asked: Asked, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? asked.challenge,
        origin: lies.origin ?? origin,
        crossOrigin: lies.crossOrigin ?? false,
        ...(lies.topOrigin !== undefined && { topOrigin: lies.topOrigin }),
      }),
    );
  const dataOf = (flags: number, lies: Lies) => {
    const count = Buffer.alloc(4);
    counter += counts ? 1 : 0;
    count.writeUInt32BE(lies.counter ?? counter);
    return Buffer.concat([sha256(lies.rpId ?? host), Buffer.from([lies.flags ?? flags]), count]);
  };

  return {
    id,
    cose: coseOf(publicKey),
    /** The answer of `navigator.credentials.create`, as the script of the page sends it. */
    create(asked: Asked, lies: Lies = {}): string {
      handle = asked.user?.id;
      const rawId = Buffer.from(lies.id ?? id, "base64url");
      const length = Buffer.from([rawId.length >> 8, rawId.length & 255]);
      const attested = [Buffer.alloc(16), length, rawId, cbor(lies.cose ?? coseOf(publicKey))];
      const authData = Buffer.concat([dataOf(USER_PRESENT | USER_VERIFIED | ATTESTED, lies), ...attested]);
      const object = new Map<string, Cbor>([
        ["fmt", lies.format ?? "none"],
        ["attStmt", lies.statement ?? new Map()],
        ["authData", authData],
      ]);
      return JSON.stringify({
        ...{ id: lies.id ?? id, rawId: lies.id ?? id, type: "public-key" },
        response: {
          clientDataJSON: clientData("webauthn.create", asked, lies).toString("base64url"),
          attestationObject: cbor(object).toString("base64url"),
          transports: lies.transports ?? ["internal", "hybrid"],
        },
      });
    },
    /** The answer of `navigator.credentials.get`. */
    get(asked: Asked, lies: Lies = {}): string {
      const client = clientData("webauthn.get", asked, lies);
      const authData = dataOf(USER_PRESENT | USER_VERIFIED, lies);
      const content = Buffer.concat([authData, sha256(client)]);
      const signature = signed(algorithm === "EdDSA" ? null : "sha256", content, createPrivateKey(pem));
      const named = "userHandle" in lies ? lies.userHandle : handle;
      return JSON.stringify({
        ...{ id: lies.id ?? id, rawId: lies.id ?? id, type: "public-key" },
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: authData.toString("base64url"),
          signature: (lies.tamper?.(signature) ?? signature).toString("base64url"),
          ...(named !== undefined && { userHandle: named }),
        },
      });
    },
  };
};

export type Authenticator = ReturnType<typeof newAuthenticator>;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
export const STEP_MS = 30_000;

/** The code of a secret in Base32 at a time. */
export const codeAt = (secret: string, atMs = Date.now()): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / STEP_MS)));
  const digest = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const at = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
};

const bytesOf = (base32: string): Buffer => {
  const bits = [...base32].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};
