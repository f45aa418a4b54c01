/** What the client throws: one class, told apart by `kind`. The dialects of the API's errors are read here. */

/**
 * What to do about a fault: `invalid` (400, 413, 415, 422, 501): change the request; `unauthenticated` (401): another
 * credential; `forbidden` (403): another scope; `notFound` (404); `conflict` (409): taken or in use; `changed` (412,
 * 428): read again, and repeat with the new entity tag; `tooMany` (429) and `failed` (5xx): later; `unreachable`: no
 * answer of the service came.
 */
export type FaultKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "notFound"
  | "conflict"
  | "changed"
  | "tooMany"
  | "failed"
  | "unreachable";

const kinds: Readonly<Record<number, FaultKind>> = {
  401: "unauthenticated",
  403: "forbidden",
  404: "notFound",
  409: "conflict",
  412: "changed",
  428: "changed",
  429: "tooMany",
  501: "invalid",
};

interface Told {
  readonly route: string;
  readonly status: number;
  readonly detail: string;
  readonly code?: string | undefined;
  readonly scimType?: string | undefined;
  readonly traceId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** A request that was refused, that failed, or that got no answer. The message has no secret of the client. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly kind: FaultKind;
  /** The HTTP status; 0 where no answer of the service came. */
  readonly status: number;
  /** The sentence of the service. */
  readonly detail: string;
  /** The code for programs, such as `APP-60002`, `uniqueness` or `invalid_client`. */
  readonly code: string | undefined;
  /** The `scimType` of SCIM (RFC 7644 section 3.12). */
  readonly scimType: string | undefined;
  /** Finds the request in the log of the service. */
  readonly traceId: string | undefined;
  /** Method and path of the request, without its query. */
  readonly route: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(told: Told) {
    super(`${told.route}: ${told.status ? `${told.status} ` : ""}${told.detail}`, { cause: told.cause });
    this.kind = told.status === 0 ? "unreachable" : (kinds[told.status] ?? (told.status < 500 ? "invalid" : "failed"));
    this.status = told.status;
    this.detail = told.detail;
    this.code = told.code;
    this.scimType = told.scimType;
    this.traceId = told.traceId;
    this.route = told.route;
    this.retryAfterSeconds = told.retryAfterSeconds;
  }
}

/** Whether an error is a fault, of one kind if it is given. */
export function isFault(error: unknown, kind?: FaultKind): error is Fault {
  return error instanceof Fault && (kind === undefined || error.kind === kind);
}

/** The fault that an answer tells, in any dialect of the API (docs/errors.md). */
export function faultOf(route: string, response: Response, text: string): Fault {
  const given = parsed(text);
  // AuthZEN answers with a text alone.
  const body = membersOf(typeof given === "string" ? { description: given } : given);
  const first = membersOf(Array.isArray(body.Errors) ? body.Errors[0] : undefined);
  const word = (...names: readonly string[]) =>
    names.map((name) => body[name] ?? first[name]).find((value) => typeof value === "string" && value !== "");
  const seconds = Number(response.headers.get("retry-after"));
  return new Fault({
    route,
    status: response.status,
    detail: String(word("description", "detail", "error_description", "message", "error") ?? response.statusText),
    code: asText(word("scimType", "error", "code")),
    scimType: asText(word("scimType")),
    traceId: asText(word("traceId")) ?? response.headers.get("x-correlation-id") ?? undefined,
    retryAfterSeconds: seconds > 0 ? seconds : undefined,
  });
}

/** The value of a JSON text; `undefined` for anything else. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
