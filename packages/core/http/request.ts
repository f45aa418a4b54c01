/** From the gateway's event (payload 2.0) to one plain request that everything behind looks at instead. */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { splitTenant } from "../operation/match.ts";
import { familyOf } from "../operation/services.ts";
import { Fault } from "../platform/faults.ts";
import { newTraceId, traceIdFrom } from "../platform/ids.ts";
import { dialects } from "./dialects.ts";

/** One request. */
export interface HttpRequest {
  /** Correlates the answer, the log lines and the caller's own records. */
  readonly traceId: string;
  /** The method that is meant: what a POST names in its header where the dialect of the path lets it. */
  readonly method: string;
  /** Decoded once, by the gateway; never decoded again. Without the tenant prefix. */
  readonly path: string;
  /** The tenant that the path names; it must agree with the credential's. */
  readonly pathTenant: string | undefined;
  /** Names in lower case; a repeated header is joined by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Still encoded. */
  readonly rawQuery: string;
}

const CORRELATION_ID = /^[A-Za-z0-9-]{1,64}$/;

/** The methods that a POST can stand for: some networks let only GET and POST through. */
const TUNNELLED: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);

/** The parts of an event that both the authorizer's and a function's event have. */
export type EventHead = Pick<APIGatewayProxyEventV2, "rawPath" | "rawQueryString" | "headers"> & {
  readonly requestContext: {
    readonly requestId?: string;
    readonly http: { readonly method: string; readonly sourceIp: string };
  };
};

/** Reads the head of an event. */
export function readRequest(event: EventHead): HttpRequest {
  const headers = event.headers ?? {};
  const { tenant, path } = splitTenant(event.rawPath);
  return {
    traceId: traceIdOf(headers, event.requestContext.requestId),
    method: methodOf(event.requestContext.http.method, path, headers),
    path,
    pathTenant: tenant,
    headers,
    rawQuery: event.rawQueryString ?? "",
  };
}

/**
 * The caller's own correlation id where it is harmless; otherwise the id that the gateway gave the request, which its
 * authorizer and its function see alike, as a UUID that does not tell it.
 */
function traceIdOf(headers: HttpRequest["headers"], requestId: string | undefined): string {
  const given = headers["x-correlation-id"] ?? headers["correlation-id"] ?? "";
  if (CORRELATION_ID.test(given)) return given;
  return requestId ? traceIdFrom(requestId) : newTraceId();
}

/** Authorizer and function read it alike, so what is authorised is what is done. */
function methodOf(method: string, path: string, headers: HttpRequest["headers"]): string {
  const family = familyOf(path);
  if (method !== "POST" || !family || !dialects[family.dialect].tunnelsMethods) return method;
  const meant = (headers["x-http-method-override"] ?? "").trim().toUpperCase();
  return TUNNELLED.has(meant) ? meant : method;
}

/**
 * The parameters of a query string, or of a form, which is written like one; each given once. Throws `request.invalid` for a repeated parameter and for broken escapes:
 * readers that take the first, the last or all of two values would each see another request.
 */
export function readQuery(rawQuery: string, place = "query string"): Readonly<Record<string, string>> {
  const query = new Map<string, string>();
  for (const pair of rawQuery.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = decodePart(at < 0 ? pair : pair.slice(0, at), place);
    if (query.has(name)) {
      throw new Fault(
        "request.invalid",
        `The parameter "${name.slice(0, 100)}" stands in the ${place} more than once.`,
      );
    }
    query.set(name, decodePart(at < 0 ? "" : pair.slice(at + 1), place));
  }
  return Object.fromEntries(query);
}

function decodePart(part: string, place: string): string {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch (cause) {
    throw new Fault("request.invalid", `The ${place} holds a percent sign that does not begin an escape of UTF-8.`, {
      cause,
    });
  }
}
