/** `Prefer: return=minimal` (RFC 7240 section 4.2): changes of SCIM 2.0 resources that answer without a body. */
import type { Operation } from "../kernel/operation/operation.ts";
import { services } from "../kernel/operation/services.ts";
import { type HttpRequest, readQuery } from "./request.ts";

/**
 * Whether a response has no body: the request prefers that, and the operation creates or changes one resource of SCIM
 * 2.0. The first `return` of the header counts; an unknown preference is ignored, and so is that of a PATCH that
 * selects attributes: RFC 7644 section 3.5.2 requires 200. The query is one that was parsed before.
 */
export function prefersMinimal(operation: Operation, { headers, rawQuery }: HttpRequest): boolean {
  const { service, method, success } = operation;
  const { prefer } = headers;
  if (prefer === undefined || services[service].dialect !== "scim2") return false;
  if (!["POST", "PUT", "PATCH"].includes(method) || !success.body || !success.location) return false;
  const wanted = prefer
    .split(",")
    .map((preference) => preference.split(";")[0]?.replaceAll(/[\s"]/g, "").toLowerCase());
  const isWanted = wanted.find((preference) => preference?.startsWith("return=")) === "return=minimal";
  return isWanted && !(method === "PATCH" && selectsAttributes(operation, rawQuery));
}

function selectsAttributes({ query }: Operation, rawQuery: string): boolean {
  if (!query || !("attributes" in query.shape)) return false;
  return Object.entries(readQuery(rawQuery)).some(
    ([name, value]) => name.toLowerCase() === "attributes" && value !== "",
  );
}

/** What the gateway sends. */
interface Sent {
  statusCode?: number;
  headers?: Record<string, boolean | number | string>;
  body?: string;
}

/** Leaves out the body of a success. Returns the headers about how the request was handled. */
export function leaveOutBody(
  response: Sent,
  handling: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const { statusCode } = response;
  if (statusCode !== 200 && statusCode !== 201) return handling;
  const { "content-type": _, ...headers } = response.headers ?? {};
  response.statusCode = statusCode === 200 ? 204 : 201;
  response.headers = headers;
  response.body = "";
  const applied = [handling["preference-applied"], "return=minimal"].filter((one) => one !== undefined);
  return { ...handling, "preference-applied": applied.join(", ") };
}
