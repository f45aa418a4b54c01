/** The signing keys of a running service, for tests that forge tokens. */
import { generateKeyPairSync } from "node:crypto";
import { importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import { newSeal } from "#core/kernel/seal.ts";
import { keyStore } from "#core/tokens/key-store.ts";
import { tableOf } from "./people.ts";
import type { World } from "./world.ts";

/** The parts of a JWT, without verifying its signature. */
export const partsOf = (text: string) => {
  const [head = "", body = "", signature = ""] = text.split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  return { header: read(head) as JWTHeaderParameters, payload: read(body) as JWTPayload, head, body, signature };
};

export const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** The current signing key, as a private JWK. */
export const signingKey = async (api: World) => {
  const seal = newSeal(Buffer.from(process.env.SEAL_KEY ?? "", "base64"));
  const { ring, secrets } = await keyStore(tableOf(api.service), seal).open(Date.now());
  const [key] = ring.filter(({ kid }) => secrets.has(kid));
  if (!key) throw new Error("no key can sign");
  const { kid, x, y } = key;
  return { kid, kty: "EC", crv: "P-256", x, y, d: secrets.get(kid) ?? "" };
};

/** A foreign key, as a private JWK. */
export const foreignKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });

/** Signs a token; omits `undefined` members. */
export const sign = async (
  jwk: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>>,
  payload: Readonly<Record<string, unknown>>,
): Promise<string> =>
  new SignJWT(JSON.parse(JSON.stringify(payload)))
    .setProtectedHeader(JSON.parse(JSON.stringify(header)))
    .sign(await importJWK(jwk, String(header.alg)));
