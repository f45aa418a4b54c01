/** From a response of the pipeline to what the gateway sends. */
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { Fault } from "../kernel/faults.ts";
import type { HttpResponse } from "./serve.ts";

/** Bytes of a response body: Lambda accepts 6 MB, in which quotes and backslashes of the body count twice. */
const RESPONSE_BYTES_MAX = 5_000_000;

/** Encodes a response. Throws `request.invalid` for one that Lambda cannot return. */
export function encoded(
  { status, headers, body, content, cookies }: HttpResponse,
  contentType: string,
): APIGatewayProxyStructuredResultV2 {
  const bytes = content ?? (body === undefined ? "" : JSON.stringify(body));
  if (Buffer.byteLength(bytes) > RESPONSE_BYTES_MAX) {
    throw new Fault("request.invalid", "The response would be larger than 5 MB. Request fewer resources at once.");
  }
  const typed = { ...(body !== undefined && { "content-type": contentType }), ...headers };
  return typeof bytes === "string"
    ? { statusCode: status, headers: typed, body: bytes, ...(cookies && { cookies: [...cookies] }) }
    : { statusCode: status, headers: typed, body: Buffer.from(bytes).toString("base64"), isBase64Encoded: true };
}
