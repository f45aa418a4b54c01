/** From the gateway's event (payload format 2.0) to a plain request, which all later code reads instead. */
import type { APIGatewayEventRequestContextV2, APIGatewayProxyEventV2 } from "aws-lambda";
import { Fault } from "../kernel/faults.ts";
import { newTraceId, traceIdFrom } from "../kernel/ids.ts";
import type { SentRequest } from "../kernel/operation/context.ts";
import { splitTenant } from "../kernel/operation/match.ts";
import { DRY_RUN, isDryRunName } from "../kernel/operation/rehearsal.ts";
import { familyOf } from "../kernel/operation/services.ts";
import { dialects } from "./dialects.ts";

/** One request. */
export interface HttpRequest {
  /** Correlates the response, the log lines and the caller's own records. */
  readonly traceId: string;
  /** The method, or the one that a POST names in its header where the dialect of the path allows that. */
  readonly method: string;
  /**
   * Without the tenant prefix. Decoded once, by the gateway, and never again: a question mark or a number sign is a
   * character of its segment.
   */
  readonly path: string;
  /** The tenant that the path names, which must be the credential's. */
  readonly pathTenant: string | undefined;
  /** Names in lower case; a repeated header is joined by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Still encoded. */
  readonly rawQuery: string;
}

const CORRELATION_ID = /^[A-Za-z0-9-]{1,64}$/;

/** The methods that a POST can replace: some networks allow GET and POST only. */
const TUNNELLED: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);

/** What the events of the authorizer and of a function have in common. */
export type EventHead = Pick<APIGatewayProxyEventV2, "rawPath" | "rawQueryString" | "headers" | "cookies"> & {
  readonly requestContext: {
    readonly requestId?: string;
    readonly domainName: string;
    readonly http: { readonly method: string; readonly sourceIp: string };
  };
};

/**
 * What proofs of possession are about. `baseUrl` is the origin of links and tokens; where it is absent, the domain of
 * the gateway is. The `Host` header does not matter: a proof for another server must not count here.
 */
export function sentRequest({ rawPath, requestContext }: EventHead, baseUrl: string | undefined): SentRequest {
  const { domainName, http } = requestContext;
  const certificate = certificateIn(requestContext);
  return {
    method: http.method,
    origins: originsOf(domainName, baseUrl),
    path: rawPath,
    ...(certificate !== undefined && { certificate }),
  };
}

/** A request can come by another domain than that of links, such as the one for client certificates. */
function originsOf(domainName: string, baseUrl: string | undefined): SentRequest["origins"] {
  const own = `https://${domainName}`;
  if (baseUrl === undefined) return [own];
  return new URL(baseUrl).host === domainName ? [baseUrl] : [baseUrl, own];
}

/** The client certificate of the TLS handshake, from the only place where the gateway puts it. */
function certificateIn(requestContext: object): string | undefined {
  return (requestContext as Pick<APIGatewayEventRequestContextV2, "authentication">).authentication?.clientCert
    ?.clientCertPem;
}

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
 * The caller's own correlation id where it is well-formed; otherwise a UUID derived from the gateway's request id,
 * which is the same for the authorizer and the function.
 */
function traceIdOf(headers: HttpRequest["headers"], requestId: string | undefined): string {
  const given = headers["x-correlation-id"] ?? headers["correlation-id"] ?? "";
  if (CORRELATION_ID.test(given)) return given;
  return requestId ? traceIdFrom(requestId) : newTraceId();
}

/** The authorizer and the function both use this, so the method that is authorised is the one that is executed. */
function methodOf(method: string, path: string, headers: HttpRequest["headers"]): string {
  const family = familyOf(path);
  if (method !== "POST" || !family || !dialects[family.dialect].tunnelsMethods) return method;
  const override = (headers["x-http-method-override"] ?? "").trim().toUpperCase();
  return TUNNELLED.has(override) ? override : method;
}

/**
 * The parameters of a query string. Throws `request.invalid` for invalid escapes and for a repeated parameter: readers
 * that take the first, the last or all of its values would disagree.
 */
export function readQuery(
  rawQuery: string,
  repeated: readonly string[] = [],
): Readonly<Record<string, string | readonly string[]>> {
  return parametersIn(rawQuery, "query string", repeated);
}

/** The same of a form. Those of its parameters that may be `repeated` have lists of values. */
export function readForm(
  text: string,
  repeated: readonly string[] = [],
): Readonly<Record<string, string | readonly string[]>> {
  return parametersIn(text, "body", repeated);
}

/**
 * Whether a request asks to be rehearsed. Throws `request.invalid` for any value but `true` and `false`, and for a
 * repeated parameter. Other parameters are not parsed.
 */
export function asksForRehearsal({ rawQuery }: Pick<HttpRequest, "rawQuery">): boolean {
  const values = rawQuery.split("&").flatMap((pair) => {
    const [name = "", ...value] = pair.split("=");
    return isDryRunName(decodedName(name)) ? [value.join("=")] : [];
  });
  const [value, ...others] = values;
  if (value === undefined || (value === "false" && others.length === 0)) return false;
  if (value === "true" && others.length === 0) return true;
  throw new Fault(
    "request.invalid",
    `The parameter ${DRY_RUN} is true, which rehearses the request, or false, and is sent once.`,
  );
}

/** The name of a parameter. Where nothing parses it, its escapes may be invalid. */
export function decodedName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll("+", " "));
  } catch {
    return name;
  }
}

function parametersIn(text: string, place: string, repeated: readonly string[]): Record<string, string | string[]> {
  const found = new Map<string, string | string[]>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = decodePart(at < 0 ? pair : pair.slice(0, at), place);
    const value = decodePart(at < 0 ? "" : pair.slice(at + 1), place, `, in the parameter "${name.slice(0, 100)}"`);
    const before = found.get(name);
    if (Array.isArray(before)) before.push(value);
    else if (before === undefined) found.set(name, repeated.includes(name) ? [value] : value);
    else
      throw new Fault(
        "request.invalid",
        `The ${place} has the parameter "${name.slice(0, 100)}" more than once: send it once.`,
      );
  }
  return Object.fromEntries(found);
}

function decodePart(part: string, place: string, of = ""): string {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch (cause) {
    throw new Fault(
      "request.invalid",
      `The ${place} has a percent sign that does not start a valid UTF-8 escape${of}. Send a percent sign itself as %25.`,
      { cause },
    );
  }
}
