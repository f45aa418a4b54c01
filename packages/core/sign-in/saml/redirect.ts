/** Sends a message by redirect: deflated, with a signature over the query (SAML Bindings 2.0 section 3.4.4). */
import { sign } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { knownIn, signatures } from "../../applications/protocols/saml-algorithms.ts";
import type { Canonical } from "../../kernel/canonical-xml.ts";
import type { Signer } from "./sign.ts";

/** The address that carries a message, signed. */
export function redirectAddress(
  to: string,
  parameter: "SAMLRequest" | "SAMLResponse",
  message: Canonical,
  relayState: string | undefined,
  { key, algorithm }: Signer,
): string {
  const how = knownIn(signatures, algorithm);
  if (!how) throw new Error("a message is signed with an algorithm that is not secure");
  const parts = [
    [parameter, deflateRawSync(Buffer.from(message, "utf8")).toString("base64")],
    ...(relayState === undefined ? [] : [["RelayState", relayState]]),
    ["SigAlg", algorithm],
  ] as const;
  const signed = parts.map(([name, value = ""]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const signature = sign(how.digest, Buffer.from(signed, "utf8"), key).toString("base64");
  return `${to}${to.includes("?") ? "&" : "?"}${signed}&Signature=${encodeURIComponent(signature)}`;
}
