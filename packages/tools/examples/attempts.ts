/** Requests of an operation that the service refuses, made from one that it accepts. */

import { BYTES_MAX } from "#core/http/body.ts";
import { type Operation, PUBLIC, SIGNED_IN } from "#core/kernel/operation/operation.ts";
import { canRehearse, DRY_RUN } from "#core/kernel/operation/rehearsal.ts";
import { isRepeatable } from "#core/kernel/operation/repeatable.ts";
import { type OperationId, operations } from "#core/service/catalogue.ts";
import type { Refusal } from "#core/service/documents/recordings.ts";
import type { Sent } from "#tools/operation-units/caller.ts";
import { userName } from "#tools/operation-units/fixture.ts";
import type { Request } from "./exchange.ts";

/** A request that should be refused with a status. */
export interface Attempt {
  readonly reason: Refusal;
  readonly status: number;
  readonly request: Request;
}

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
/** The id of a stream, in a query or a body. */
const STREAM = "stream_id";

/** Bodies of changes with a name that another resource of the data set has. */
const taken: Readonly<Partial<Record<OperationId, unknown>>> = {
  patchApplication: { name: "Stand 1" },
  updateApplicationTemplate: { name: "T 1", application: { name: "b" } },
  replaceUser: { userName: userName(2) },
  replaceScim1User: { userName: userName(2) },
  replaceGroup: { displayName: "Shift 1" },
  patchScim1Group: { displayName: "Shift 2" },
  replaceScim1Group: { displayName: "Shift 2" },
  replaceRole: { displayName: "Spare" },
  replaceRoleV3: { displayName: "Spare" },
};

const isUuid = (text: string): boolean => /^[0-9a-f-]{36}$/.test(text);

/** Nothing that an attempt might do by mistake is kept. */
const rehearsed = (declared: Operation, request: Request): Request =>
  canRehearse(declared) && !request.query?.includes(DRY_RUN)
    ? { ...request, query: [request.query, `${DRY_RUN}=true`].filter((part) => part !== undefined).join("&") }
    : request;

const attempt = (reason: Refusal, status: number, request: Request): Attempt => ({ reason, status, request });

const withoutCredential = ({ scope, clientAuthentication }: Operation, sent: Sent): readonly Attempt[] => {
  if (scope !== PUBLIC) return [attempt("noCredential", 401, { ...sent, credential: "none" })];
  if (clientAuthentication === undefined || !sent.as) return [];
  return [attempt("wrongSecret", 401, { ...sent, as: { ...sent.as, password: "a wrong secret" } })];
};

const withoutScope = ({ scope }: Operation, sent: Sent, powerless: Sent["as"]): readonly Attempt[] =>
  scope === PUBLIC || scope === SIGNED_IN || !powerless
    ? []
    : [attempt("missingScope", 403, { ...sent, as: powerless })];

/** One attempt for each parameter of the path, the last first, and for the id that streams have elsewhere. */
const withUnknownIds = ({ params = {}, ...sent }: Sent): readonly Attempt[] => [
  ...Object.entries(params)
    .reverse()
    .map(([name, value]) => {
      const unknown = { ...params, [name]: isUuid(value) ? UNKNOWN_ID : "unknown" };
      return attempt("unknownId", 404, { ...sent, params: unknown });
    }),
  ...(sent.query?.startsWith(STREAM) ? [attempt("unknownId", 404, { ...sent, query: `${STREAM}=${UNKNOWN_ID}` })] : []),
  ...(typeof sent.body === "object" && sent.body !== null && STREAM in sent.body
    ? [attempt("unknownId", 404, { ...sent, body: { ...sent.body, [STREAM]: UNKNOWN_ID } })]
    : []),
];

const withBrokenBodies = (declared: Operation, { body: _, form, file, ...sent }: Sent): readonly Attempt[] => {
  if (form) {
    const blank = Object.fromEntries(Object.keys(form).map((name) => [name, ""]));
    return [attempt("missingMember", 400, { ...sent, form: blank })];
  }
  if (!declared.body || file !== undefined) return [];
  const broken = attempt("brokenBody", 400, { ...sent, text: '{"' });
  // An empty body could succeed, and is sent only where success would change nothing.
  return canRehearse(declared) ? [attempt("missingMember", 400, { ...sent, body: {} }), broken] : [broken];
};

const withBrokenQueries = (declared: Operation, sent: Sent): readonly Attempt[] => {
  const shapes: Readonly<Record<string, { meta(): { readonly type?: unknown } | undefined }>> =
    declared.query?.shape ?? {};
  const names = Object.keys(shapes);
  const switches = names.filter((name) => shapes[name]?.meta()?.type === "boolean");
  const having = (...wanted: readonly string[]) => wanted.filter((name) => names.includes(name));
  return [
    ...having("limit", "count", "startIndex").map((name) =>
      attempt("wrongParameter", 400, { ...sent, query: `${name}=many` }),
    ),
    ...[...switches, ...(canRehearse(declared) ? [DRY_RUN] : [])].map((name) =>
      attempt("wrongParameter", 400, { ...sent, query: `${name}=maybe` }),
    ),
    ...having("filter").map((name) => attempt("brokenFilter", 400, { ...sent, query: `${name}=(` })),
    ...having("sortBy", "sort").map((name) => attempt("notSupported", 501, { ...sent, query: `${name}=name` })),
  ];
};

/** One byte more than the operation reads. */
const withLargeBody = (
  { body, limits, media = "json" }: Operation,
  { body: _, form, ...sent }: Sent,
): readonly Attempt[] => {
  if (!body || media === "multipart") return [];
  const most = limits?.bytes ?? BYTES_MAX;
  const large = form ? { form: { token: "x".repeat(most) } } : { text: JSON.stringify("x".repeat(most)) };
  return [attempt("tooLarge", 413, { ...sent, ...large })];
};

const withHeaders = ({ target, success, body }: Operation, sent: Sent): readonly Attempt[] => [
  ...(target ? [attempt("staleEntityTag", 412, { ...sent, headers: { "if-match": '"stale"' } })] : []),
  ...(success.body ? [attempt("unacceptable", 406, { ...sent, headers: { accept: "image/png" } })] : []),
  ...(body ? [attempt("otherMediaType", 415, { ...sent, headers: { "content-type": "text/plain" } })] : []),
];

/** What is tried before the request itself. An attempt that is answered otherwise is no example. */
export const attemptsBefore = (id: OperationId, sent: Sent, powerless: Sent["as"]): readonly Attempt[] => {
  const declared: Operation | undefined = operations[id];
  if (!declared) return [];
  return [
    ...withoutCredential(declared, sent),
    ...withoutScope(declared, sent, powerless),
    ...withUnknownIds(sent),
    ...withBrokenBodies(declared, sent),
    ...withBrokenQueries(declared, sent),
    ...(taken[id] === undefined ? [] : [attempt("inUse", 409, { ...sent, body: taken[id] })]),
    ...withHeaders(declared, sent),
    ...withLargeBody(declared, sent),
  ].map(({ reason, status, request }) => attempt(reason, status, rehearsed(declared, request)));
};

/** The headers of the request itself: a key of its own where the operation takes one. */
export const headersOf = (id: OperationId): Readonly<Record<string, string>> => {
  const declared = operations[id];
  return declared && isRepeatable(declared) ? { "Idempotency-Key": `"example-of-${id}"` } : {};
};

/** What is tried after it: the same creation again, where names are unique, and another request with its key. */
export const attemptsAfter = (id: OperationId, sent: Sent): readonly Attempt[] => {
  const declared: Operation | undefined = operations[id];
  if (!declared) return [];
  const isCreation = declared.method === "POST" && canRehearse(declared);
  const another = [sent.query, "another=request"].filter((part) => part !== undefined).join("&");
  return [
    ...(isCreation ? [attempt("inUse", 409, rehearsed(declared, sent))] : []),
    ...(isRepeatable(declared) ? [attempt("reusedKey", 422, { ...sent, query: another, headers: headersOf(id) })] : []),
  ];
};
