/**
 * What browsers and authenticators say about passkeys, verified (Web Authentication Level 3, sections 7.1 and 7.2).
 * Loaded with the first passkey that a container gets.
 *
 * Attestation is neither asked for nor read: a statement would only bring chains of certificates into the service that
 * it has no use for, with addresses in them that the library fetches.
 */
import { createPublicKey } from "node:crypto";
import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { cose, decodeAttestationObject, decodeCredentialPublicKey, isoCBOR } from "@simplewebauthn/server/helpers";
import type { Passkey } from "../../directory/credentials/passkey-store.ts";
import { ALGORITHMS, type Site } from "./passkey-site.ts";

/** A credential with an RSA key and the longest id has less than half of it. */
const TEXT_MAX = 16_384;
/** The longest id (section 4, "Credential ID"). */
const ID_BYTES_MAX = 1_023;
const TRANSPORTS_MAX = 10;
const TRANSPORT = /^[a-z-]{1,32}$/;
const BASE64URL = /^[A-Za-z0-9_-]+$/;
/** Longer keys are in no authenticator, and OpenSSL verifies none above 2 KB. */
const RSA_BYTES = { least: 256, most: 512 } as const;

/** What was asked, and where. */
export interface Asking {
  readonly site: Site;
  /** In Base64url. */
  readonly challenge: string;
}

type NewPasskey = Pick<Passkey, "id" | "publicKey" | "counter" | "transports">;

/** The passkey that a browser has created, from its JSON; `undefined` where it does not answer the challenge. */
export async function createdPasskey(text: string, { site, challenge }: Asking): Promise<NewPasskey | undefined> {
  const credential = credentialIn(text, ["attestationObject"]);
  if (!credential) return undefined;
  const { id, response } = credential;
  const { clientDataJSON = "", attestationObject = "" } = response;
  const transports = transportsIn(credential.transports);
  return orUndefined(async () => {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
        response: { clientDataJSON, attestationObject: withoutStatement(attestationObject) },
      },
      ...expected(site, challenge),
      requireUserVerification: false,
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    if (!verified || registrationInfo.credential.id !== id) return undefined;
    const { publicKey, counter } = registrationInfo.credential;
    if (!isUsable(publicKey)) return undefined;
    return { id, publicKey: Buffer.from(publicKey).toString("base64url"), counter, transports };
  });
}

/** The passkey that a browser says to have used, with its user; `undefined` for a text that is no answer of one. */
export async function answering(text: string): Promise<{ readonly id: string; readonly handle?: string } | undefined> {
  const credential = credentialIn(text, ["authenticatorData", "signature"]);
  const handle = credential?.response.userHandle;
  return credential && { id: credential.id, ...(handle !== undefined && { handle }) };
}

/**
 * The counter of the passkey, from the JSON of a browser in which it has signed the challenge; `undefined` where it has
 * not. `handle`: that of the user, which the authenticator may name. `verifies`: the authenticator must have verified
 * its user. The counter is not compared.
 */
export async function signedCounter(
  text: string,
  passkey: Passkey,
  { site, challenge, handle, verifies }: Asking & { readonly handle: string; readonly verifies: boolean },
): Promise<number | undefined> {
  const credential = credentialIn(text, ["authenticatorData", "signature"]);
  const { id, response } = credential ?? {};
  if (id !== passkey.id || !response) return undefined;
  if (response.userHandle !== undefined && response.userHandle !== handle) return undefined;
  const { clientDataJSON = "", authenticatorData = "", signature = "" } = response;
  return orUndefined(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
        response: { clientDataJSON, authenticatorData, signature },
      },
      ...expected(site, challenge),
      requireUserVerification: verifies,
      credential: { id, publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")), counter: 0 },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  });
}

function expected({ rpId, origin }: Site, challenge: string) {
  return { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId };
}

/** The library throws for everything that is wrong with an answer, and for every answer that it cannot read. */
async function orUndefined<R>(verify: () => Promise<R | undefined>): Promise<R | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}

/** The members of an answer that are read. All are in Base64url. */
interface Credential {
  readonly id: string;
  readonly response: Readonly<
    Partial<Record<"clientDataJSON" | "attestationObject" | "authenticatorData" | "signature" | "userHandle", string>>
  >;
  readonly transports: unknown;
}

/** The JSON of a `PublicKeyCredential`; `undefined` where it is none, or was made in a frame of another site. */
function credentialIn(text: string, needed: readonly string[]): Credential | undefined {
  if (text.length > TEXT_MAX) return undefined;
  const { id, response } = objectIn(text);
  if (!isBase64url(id) || Buffer.from(id, "base64url").length > ID_BYTES_MAX) return undefined;
  if (typeof response !== "object" || response === null) return undefined;
  const { transports, ...all } = response as Readonly<Record<string, unknown>>;
  const members = Object.entries(all).filter((entry): entry is [string, string] => isBase64url(entry[1]));
  const known = Object.fromEntries(members);
  if (["clientDataJSON", ...needed].some((name) => known[name] === undefined)) return undefined;
  const { crossOrigin, topOrigin } = objectIn(Buffer.from(known.clientDataJSON ?? "", "base64url").toString());
  if (crossOrigin === true || topOrigin !== undefined) return undefined;
  return { id, response: known, transports };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

function isBase64url(value: unknown): value is string {
  return typeof value === "string" && BASE64URL.test(value);
}

/** What browsers are told later: only names, of which no browser has more. */
function transportsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const names = value.filter((name): name is string => typeof name === "string" && TRANSPORT.test(name));
  return [...new Set(names)].slice(0, TRANSPORTS_MAX);
}

/** The same object as browsers make it where no attestation is asked for. Throws for one that is malformed. */
function withoutStatement(attestationObject: string): string {
  const authData = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, "base64url"))).get("authData");
  const members = new Map<string, string | Uint8Array | Map<string, string>>([
    ["fmt", "none"],
    ["attStmt", new Map<string, string>()],
    ["authData", authData],
  ]);
  return Buffer.from(isoCBOR.encode(members)).toString("base64url");
}

/** Whether signatures of a key can be verified later: its type and curve fit the algorithm, and it is on the curve. */
function isUsable(publicKey: Uint8Array<ArrayBuffer>): boolean {
  const key = decodeCredentialPublicKey(publicKey);
  const { COSEKTY, COSECRV, COSEALG, COSEKEYS } = cose;
  const kind = [key.get(COSEKEYS.alg), key.get(COSEKEYS.kty)];
  const is = (alg: number, kty: number) => kind[0] === alg && kind[1] === kty;
  if (cose.isCOSEPublicKeyEC2(key) && is(COSEALG.ES256, COSEKTY.EC2)) {
    const [crv, x, y] = [key.get(COSEKEYS.crv), key.get(COSEKEYS.x), key.get(COSEKEYS.y)];
    return crv === COSECRV.P256 && isKey({ kty: "EC", crv: "P-256", x: base64url(x), y: base64url(y) });
  }
  if (cose.isCOSEPublicKeyOKP(key) && is(COSEALG.EdDSA, COSEKTY.OKP)) {
    const [crv, x] = [key.get(COSEKEYS.crv), key.get(COSEKEYS.x)];
    return crv === COSECRV.ED25519 && isKey({ kty: "OKP", crv: "Ed25519", x: base64url(x) });
  }
  if (cose.isCOSEPublicKeyRSA(key) && is(COSEALG.RS256, COSEKTY.RSA)) {
    const [n, e] = [key.get(COSEKEYS.n), key.get(COSEKEYS.e)];
    const length = n?.length ?? 0;
    return (
      length >= RSA_BYTES.least && length <= RSA_BYTES.most && isKey({ kty: "RSA", n: base64url(n), e: base64url(e) })
    );
  }
  return false;
}

/** Throws for a key that is none. */
function isKey(jwk: Readonly<Record<string, string>>): boolean {
  return createPublicKey({ key: jwk, format: "jwk" }).type === "public";
}

function base64url(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("base64url");
}
