/** Keys of OAuth clients: pairs, assertions signed with them, and applications that have registered them. */
import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";
import type { oauthOf, TestClient } from "./oauth.ts";
import { APPLICATIONS, type World } from "./world.ts";

export const JWT_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** A key pair of a client. */
export interface ClientKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const pairs = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ES384: () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
  ES512: () => generateKeyPairSync("ec", { namedCurve: "P-521" }),
  EdDSA: () => generateKeyPairSync("ed25519"),
  Ed25519: () => generateKeyPairSync("ed25519"),
  RSA: () => generateKeyPairSync("rsa", { modulusLength: 2_048 }),
};
const keys = new Map<string, ClientKey>();

/** A key for an algorithm. Made once for each name: RSA keys are slow to make. */
export const keyFor = (alg: string, kid = `key-${alg}`): ClientKey => {
  const kind = alg in pairs ? (alg as keyof typeof pairs) : "RSA";
  const found = keys.get(kid) ?? { kid, alg, ...pairs[kind]() };
  keys.set(kid, found);
  return { ...found, alg };
};

/** The public half as a JWK. */
export const jwkOf = ({ kid, publicKey }: ClientKey) => ({ ...publicKey.export({ format: "jwk" }), kid, use: "sig" });

/** The settings of an application with a JWK set of its own. */
export const inline = (...registered: readonly ClientKey[]) => ({
  type: "JWKS",
  value: JSON.stringify({ keys: registered.map(jwkOf) }),
});

/** What differs from a right assertion. `undefined` removes a claim. */
export interface Odd {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

/** An assertion of a client for a token endpoint. */
export const assertionOf = (
  { clientId }: Pick<TestClient, "clientId">,
  { alg, kid, privateKey }: ClientKey,
  audience: string,
  { claims = {}, header = {} }: Odd = {},
): Promise<string> => {
  const now = Math.floor(Date.now() / 1_000);
  const payload: JWTPayload = {
    iss: clientId,
    sub: clientId,
    aud: audience,
    iat: now,
    nbf: now,
    exp: now + 60,
    jti: randomUUID(),
    ...claims,
  };
  return new SignJWT(JSON.parse(JSON.stringify(payload)) as JWTPayload)
    .setProtectedHeader({ alg, kid, ...header })
    .sign(privateKey);
};

/** Applications of a service that register a method. */
export const registering = (api: World, { newClient }: Pick<ReturnType<typeof oauthOf>, "newClient">) => {
  /** Sets the certificate of an application. */
  const setCertificate = async ({ applicationId }: TestClient, certificate: unknown): Promise<void> => {
    const body = { advancedConfigurations: { certificate } };
    const answer = await api.ask("PATCH", `${APPLICATIONS}/${applicationId}`, { body });
    if (answer.status !== 200) throw new Error(`the certificate was refused: ${answer.text}`);
  };
  return {
    setCertificate,
    /** A client with a method, and the certificate of its application. */
    clientBy: async (
      clientAuthentication: Readonly<Record<string, unknown>>,
      certificate?: unknown,
      scopes: readonly string[] = [],
      oidc: Readonly<Record<string, unknown>> = {},
    ): Promise<TestClient> => {
      const client = await newClient(scopes, { ...oidc, clientAuthentication });
      if (certificate !== undefined) await setCertificate(client, certificate);
      return client;
    },
  };
};
