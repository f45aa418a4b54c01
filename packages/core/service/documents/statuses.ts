/** The statuses that the operations of the document can return, and their meaning. */
import { dialects } from "../../http/dialects.ts";
import { canFailCondition, canRequireMatch } from "../../kernel/operation/conditions.ts";
import { type Matcher, matcherOf } from "../../kernel/operation/match.ts";
import { commonFailures, type Operation, PUBLIC } from "../../kernel/operation/operation.ts";
import { canRehearse } from "../../kernel/operation/rehearsal.ts";
import { isRepeatable } from "../../kernel/operation/repeatable.ts";
import { dialectOf } from "../../kernel/operation/services.ts";

type Operations = Readonly<Record<string, Operation>>;

/** Characters that no parameter of a path can have: the longest path is shorter. */
const BEYOND_ANY_PATH = "a".repeat(4_097);

/** What each status means, for readers of the document. */
export const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No content",
  302: "The browser goes on to another page",
  303: "The browser goes on to another page",
  304: "Unchanged since the entity tag of If-None-Match",
  400: "The request is invalid; the description says what to change",
  401: "No valid credential",
  403: "The credential does not have the scope, or the resource is protected",
  404: "The tenant has no such resource",
  405: "A parameter of the path is the name of a fixed path, which has other methods: see Allow",
  406: "Accept allows no available representation",
  409: "Another resource has the same name or key, or another change or the first request with the Idempotency-Key is in progress",
  412: "The resource has changed since the entity tag of If-Match, or has one that If-None-Match excludes",
  413: "The body is too large",
  415: "The operation does not accept the media type of the body",
  422: "The Idempotency-Key belongs to another request of the caller",
  428: "The operator requires If-Match for changes of existing resources",
  429: "Too many requests: the gateway limits their rate; or too many different user names with wrong passwords from this address",
  431: "The request line and the headers are larger than 10,240 bytes together",
  500: "An internal error; report the traceId, or the header X-Correlation-ID",
  501: "Not supported by this service",
  503: "The service is busy or cannot reach its database; try again",
};

/** Returns a function that lists the error statuses of an operation of the catalogue, in ascending order. */
export function failuresIn(operations: Operations): (declared: Operation) => readonly number[] {
  const match = matcherOf(operations);
  const paths = [...new Set(Object.values(operations).map(({ path }) => path))];
  const common: Readonly<Record<(typeof commonFailures)[number], (declared: Operation) => boolean>> = {
    400: canBeInvalid,
    401: needsCredential,
    403: needsCredential,
    404: ({ params }) => params !== undefined,
    405: (declared) => isTunnel(declared) || paths.some((path) => leadsAway(declared, path, match)),
    406: (declared) => declared.success.body !== undefined && dialects[dialectOf(declared)].checksAccept,
    409: ({ method, changesNothing }) => method !== "GET" && !changesNothing,
    412: canFailCondition,
    413: hasBody,
    415: (declared) => hasBody(declared) && !dialects[dialectOf(declared)].answersTypeAsMistake,
    422: isRepeatable,
    428: canRequireMatch,
    429: () => true,
    431: () => true,
    500: () => true,
    503: () => true,
  };
  return (declared) => {
    const shared = commonFailures.filter((status) => common[status](declared));
    return [...new Set([...declared.failures, ...shared])].sort((a, b) => a - b);
  };
}

/** Bodies, queries and headers are parsed; parameters of a path are, where their shape refuses some text. */
function canBeInvalid(declared: Operation): boolean {
  const { body, query, headers, params } = declared;
  if (body ?? query ?? headers) return true;
  if (canRehearse(declared) || isRepeatable(declared)) return true;
  return Object.values(params?.shape ?? {}).some((shape) => !shape.safeParse(BEYOND_ANY_PATH).success);
}

function needsCredential({ scope }: Operation): boolean {
  return scope !== PUBLIC;
}

function hasBody({ body }: Operation): boolean {
  return body !== undefined;
}

/** A POST that names another method in a header can name one that the path does not have. */
function isTunnel(declared: Operation): boolean {
  return declared.method === "POST" && dialects[dialectOf(declared)].tunnelsMethods;
}

/** Whether a value of a parameter can turn the path of an operation into `other`, which lacks the method. */
function leadsAway({ path, method }: Operation, other: string, match: Matcher): boolean {
  const [own, foreign] = [path.split("/"), other.split("/")];
  if (own.length !== foreign.length) return false;
  const segments = own.map((segment, at) => commonSegment(segment, foreign[at] ?? ""));
  if (segments.includes(undefined)) return false;
  return match(method, segments.join("/")).kind === "method";
}

/** A segment that fits both templates, if there is one. */
function commonSegment(one: string, other: string): string | undefined {
  const isParameter = (segment: string) => segment.startsWith("{");
  if (isParameter(one)) return isParameter(other) ? "x" : other;
  return isParameter(other) || one === other ? one : undefined;
}
