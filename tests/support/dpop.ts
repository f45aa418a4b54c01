/** DPoP keys, proofs and requests with them, made as a client makes them (RFC 9449 section 4). */
import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { calculateJwkThumbprint, type JWK, SignJWT } from "jose";
import { form, type TestClient, TOKEN } from "./oauth.ts";
import { type Answer, basic, type World } from "./world.ts";

type Members = Readonly<Record<string, unknown>>;

/** A key that signs proofs. */
export interface ProofKey {
  readonly alg: string;
  readonly privateKey: KeyObject;
  /** The public half. */
  readonly jwk: JWK;
}

const made = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ES384: () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
  EdDSA: () => generateKeyPairSync("ed25519"),
  Ed25519: () => generateKeyPairSync("ed25519"),
  PS256: () => generateKeyPairSync("rsa", { modulusLength: 2_048 }),
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2_048 }),
};

export const newProofKey = (alg: keyof typeof made = "ES256"): ProofKey => {
  const { privateKey, publicKey } = made[alg]();
  return { alg, privateKey, jwk: publicKey.export({ format: "jwk" }) as JWK };
};

export const thumbprintOf = ({ jwk }: ProofKey): Promise<string> => calculateJwkThumbprint(jwk, "sha256");
export const athOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** A signed proof; `undefined` members are left out. */
export const proofOf = (key: ProofKey, payload: Members, header: Members = {}): Promise<string> => {
  const head = JSON.parse(JSON.stringify({ alg: key.alg, typ: "dpop+jwt", jwk: key.jwk, ...header }));
  return new SignJWT(JSON.parse(JSON.stringify(payload))).setProtectedHeader(head).sign(key.privateKey);
};

/** The claims of a proof of now. */
export const claimsFor = (method: string, url: string, more: Members = {}): Record<string, unknown> => ({
  jti: randomUUID(),
  htm: method,
  htu: url,
  iat: Math.floor(Date.now() / 1_000),
  ...more,
});

/** Requests with proofs. */
export const dpopOf = (api: World) => {
  /** Requests a token. `proof` is the value of the header, or none. */
  const post = (
    client: TestClient | null,
    fields: Readonly<Record<string, string | undefined>>,
    proof?: string,
    path = TOKEN,
  ): Promise<Answer> =>
    api.ask("POST", path, {
      raw: form(fields),
      headers: { "content-type": "application/x-www-form-urlencoded", ...(proof !== undefined && { dpop: proof }) },
      as: client && basic({ username: client.clientId, password: client.clientSecret }),
    });
  /** The nonce of now, from the refusal of a proof without one. */
  const nonce = async (): Promise<string> => {
    const first = await proofOf(newProofKey(), claimsFor("POST", `${api.url}${TOKEN}`));
    const { headers } = await post(null, { grant_type: "client_credentials" }, first);
    return headers.get("dpop-nonce") ?? "";
  };
  const tokenProof = async (key: ProofKey, more: Members = {}, header: Members = {}, path = TOKEN): Promise<string> =>
    proofOf(key, claimsFor("POST", `${api.url}${path}`, { nonce: await nonce(), ...more }), header);
  return {
    post,
    nonce,
    /** A valid proof for the token endpoint, but for what is given. */
    tokenProof,
    /** Requests a token that is bound to the key. */
    bound: async (client: TestClient, key: ProofKey, fields: Readonly<Record<string, string | undefined>>) => {
      const { clientSecret, ...open } = client;
      const isPublic = clientSecret === "";
      const sent = isPublic ? { client_id: open.clientId, ...fields } : fields;
      const answer = await post(isPublic ? null : client, sent, await tokenProof(key));
      if (answer.status !== 200) throw new Error(`the token endpoint returned ${answer.status}: ${answer.text}`);
      return answer.body as { access_token: string; refresh_token?: string; token_type: string };
    },
    /** A valid proof for a request with a token, but for what is given. */
    apiProof: async (
      key: ProofKey,
      token: string,
      path: string,
      more: Members = {},
      header: Members = {},
    ): Promise<string> =>
      proofOf(key, claimsFor("GET", `${api.url}${path}`, { nonce: await nonce(), ath: athOf(token), ...more }), header),
    /** Presents a token with a proof. */
    present: (token: string, proof: string | undefined, path: string, scheme = "DPoP"): Promise<Answer> =>
      api.ask("GET", path, { as: `${scheme} ${token}`, headers: proof === undefined ? {} : { dpop: proof } }),
  };
};
