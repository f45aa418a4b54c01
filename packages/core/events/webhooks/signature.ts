/**
 * The signatures of a message: that of WSO2 Identity Server over the body, and that of Standard Webhooks, which covers
 * id and time too. Pure.
 */
import { createHmac } from "node:crypto";

/** Begins a secret in the form of Standard Webhooks: Base64 of the key follows. */
const ENCODED = "whsec_";

const SECOND_MS = 1_000;

/** What is signed. */
export interface Signed {
  /** Without a dot. */
  readonly id: string;
  /** The time of this attempt, in milliseconds. */
  readonly atMs: number;
  readonly body: string;
}

/** The headers that prove from whom a message is. Without a secret, only those that name it. */
export function signatureHeaders({ id, atMs, body }: Signed, secret: string | undefined): Record<string, string> {
  const timestamp = String(Math.floor(atMs / SECOND_MS));
  const names = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secret === undefined) return names;
  const standard = createHmac("sha256", standardKey(secret)).update(`${id}.${timestamp}.${body}`, "utf8");
  return {
    ...names,
    "webhook-signature": `v1,${standard.digest("base64")}`,
    "x-wso2-event-signature": `sha256=${createHmac("sha256", secret).update(body, "utf8").digest("hex")}`,
  };
}

/** A secret in another form than that of Standard Webhooks is the key itself. */
function standardKey(secret: string): Buffer {
  return secret.startsWith(ENCODED) ? Buffer.from(secret.slice(ENCODED.length), "base64") : Buffer.from(secret, "utf8");
}
