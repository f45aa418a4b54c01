/**
 * Signatures of calls: AWS Signature Version 4 of a POST with the headers that DynamoDB needs. The key of a day is
 * derived once.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";

/** Keys of AWS. Temporary ones have a session token. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** What is signed. */
export interface Unsigned {
  readonly url: URL;
  /** Such as `DynamoDB_20120810.GetItem`. */
  readonly target: string;
  readonly body: string;
  readonly credentials: Credentials;
  /** The time of the signature, in milliseconds since 1970: DynamoDB accepts it for some minutes. */
  readonly atMs: number;
}

/** Returns the headers of a call, with its signature. */
export type Signer = (call: Unsigned) => Record<string, string>;

const SERVICE = "dynamodb";
const ALGORITHM = "AWS4-HMAC-SHA256";
const TERMINATOR = "aws4_request";
const CONTENT_TYPE = "application/x-amz-json-1.0";

/** Signs for one region. */
export function newSigner(region: string): Signer {
  const keyOf = newKeys(region);
  const timeOf = newTimes();
  return ({ url, target, body, credentials, atMs }) => {
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const time = timeOf(atMs);
    const day = time.slice(0, 8);
    const headers: Record<string, string> = {
      "content-type": CONTENT_TYPE,
      host: url.host,
      "x-amz-date": time,
      ...(sessionToken !== undefined && { "x-amz-security-token": sessionToken }),
      "x-amz-target": target,
    };
    const names = Object.keys(headers).join(";");
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
    const request = `POST\n${url.pathname}\n\n${lines.join("")}\n${names}\n${sha256(body)}`;
    const scope = `${day}/${region}/${SERVICE}/${TERMINATOR}`;
    const signature = createHmac("sha256", keyOf(secretAccessKey, day))
      .update(`${ALGORITHM}\n${time}\n${scope}\n${sha256(request)}`)
      .digest("hex");
    const credential = `${accessKeyId}/${scope}`;
    headers.authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
    return headers;
  };
}

/** Keeps the key of the last secret and day: both change rarely. Made once, the object saves 8 µs of each call. */
function newKeys(region: string) {
  let kept: { readonly secret: string; readonly day: string; readonly key: KeyObject } | undefined;
  return (secret: string, day: string): KeyObject => {
    if (kept?.secret !== secret || kept.day !== day) {
      const key = [day, region, SERVICE, TERMINATOR].reduce<string | Buffer>(hmac, `AWS4${secret}`) as Buffer;
      kept = { secret, day, key: createSecretKey(key) };
    }
    return kept.key;
  };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

/** `20260131T235959Z`, made once for each second. */
function newTimes(): (atMs: number) => string {
  let kept = { second: Number.NaN, text: "" };
  return (atMs) => {
    const second = Math.floor(atMs / 1_000);
    if (kept.second !== second) {
      const iso = new Date(atMs).toISOString();
      kept = { second, text: `${iso.slice(0, 19).replaceAll("-", "").replaceAll(":", "")}Z` };
    }
    return kept.text;
  };
}
