/** From the gateway's event (payload 2.0) to one plain request that everything behind looks at instead. */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { splitTenant } from "../catalogue/match.ts";
import { Fault } from "../faults/faults.ts";
import { newTraceId, traceIdFrom } from "../platform/ids.ts";

/** One request. */
export interface HttpRequest {
  /** Correlates the answer, the log lines and the caller's own records. */
  readonly traceId: string;
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

/**
 * The caller's own correlation id where it is harmless; otherwise the id that the gateway gave the request, which its
 * authorizer and its function see alike, as a UUID that does not tell it.
 */
const traceIdOf = (headers: HttpRequest["headers"], requestId: string | undefined): string => {
  const given = headers["x-correlation-id"] ?? headers["correlation-id"] ?? "";
  if (CORRELATION_ID.test(given)) return given;
  return requestId ? traceIdFrom(requestId) : newTraceId();
};

/** The parts of an event that both the authorizer's and a function's event have. */
export type EventHead = Pick<APIGatewayProxyEventV2, "rawPath" | "rawQueryString" | "headers"> & {
  readonly requestContext: {
    readonly requestId?: string;
    readonly http: { readonly method: string; readonly sourceIp: string };
  };
};

/** Reads the head of an event. */
export const readRequest = (event: EventHead): HttpRequest => {
  const headers = event.headers ?? {};
  const { tenant, path } = splitTenant(event.rawPath);
  return {
    traceId: traceIdOf(headers, event.requestContext.requestId),
    method: event.requestContext.http.method,
    path,
    pathTenant: tenant,
    headers,
    rawQuery: event.rawQueryString ?? "",
  };
};

const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch (cause) {
    throw new Fault(
      "request.invalid",
      "The query string holds a percent sign that does not begin an escape of UTF-8.",
      {
        cause,
      },
    );
  }
};

/**
 * The query parameters, each given once. Throws `request.invalid` for a repeated parameter and for broken escapes:
 * readers that take the first, the last or all of two values would each see another request.
 */
export const readQuery = (rawQuery: string): Readonly<Record<string, string>> => {
  const query = new Map<string, string>();
  for (const pair of rawQuery.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = decodePart(at < 0 ? pair : pair.slice(0, at));
    if (query.has(name)) {
      throw new Fault("request.invalid", `The query parameter "${name.slice(0, 100)}" is given more than once.`);
    }
    query.set(name, decodePart(at < 0 ? "" : pair.slice(at + 1)));
  }
  return Object.fromEntries(query);
};
