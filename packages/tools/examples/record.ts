/** Runs every operation with its example call on the data set, and records what the service answers. */
import { type OperationId, operations } from "#core/service/catalogue.ts";
import type { RecordedAnswer, RecordedFailure, Recording, Recordings } from "#core/service/documents/recordings.ts";
import { withoutLog } from "#tools/bench/calls.ts";
import { ALWAYS, callerOf, type Sent } from "#tools/operation-units/caller.ts";
import { changes, reads } from "#tools/operation-units/calls.ts";
import { createFixture, PASSWORD, userName } from "#tools/operation-units/fixture.ts";
import { startForCalls } from "#tools/operation-units/service.ts";
import { stopTime } from "#tools/operation-units/still-time.ts";
import { type Attempt, attemptsAfter, attemptsBefore, headersOf } from "./attempts.ts";
import { exchange } from "./exchange.ts";
import { signIns } from "./sign-in.ts";

/** All times of the examples are of this day. */
const START_MS = Date.UTC(2026, 0, 15, 9);
/** Every request is a second later than the one before, so that lists by time have one order. */
const STEP_MS = 1_000;

/** Changes that are older come in one order, also where they were made at once (docs/changes.md). */
const SETTLED_MS = 60_000;

/** A user without roles. */
const POWERLESS = { username: "guest", password: PASSWORD };

/** Users of the data set who sign in to an application. */
const PEOPLE = {
  withPassword: { username: userName(1), password: PASSWORD },
  withCodes: { username: userName(4), password: PASSWORD },
  withPasskey: { username: userName(6), password: PASSWORD },
  withNewPassword: { username: userName(5), password: PASSWORD },
};
const MUST_CHANGE = {
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations: [{ op: "replace", value: { "urn:scim:wso2:schema": { forcePasswordReset: true } } }],
};
/** The operations that take the token of the first. */
const ofSignIn: readonly OperationId[] = ["getUserInfo", "getUserInfoByPost"];

/** The origin of the service in the examples. */
const ORIGIN = "https://id.example.com";

const requestOf = (
  id: OperationId,
  { params, query, body, form, file }: Sent,
  headers: Readonly<Record<string, string>>,
): Recording["request"] => {
  const sent = form ?? (file === undefined ? body : { file });
  // An operation that always fails may be called with a body that it does not read.
  const content = operations[id]?.body ? sent : undefined;
  return {
    ...(params && Object.keys(params).length > 0 && { params }),
    ...(query !== undefined && { query: Object.fromEntries(new URLSearchParams(query)) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(content !== undefined && { body: content }),
  };
};

/** The failures by status. What every request gets comes in place of what a broken one gets. */
const failuresOf = (
  answer: RecordedAnswer,
  others: readonly RecordedFailure[],
  reason: "always" | "otherForm",
): readonly RecordedFailure[] => {
  const always = answer.status >= 400 ? [{ reason, ...answer }] : [];
  const different = others.filter(({ status }) => always.every((one) => one.status !== status));
  return [...different, ...always].sort((a, b) => a.status - b.status);
};

/** Replaces the address of the service, whose port is free. */
const atOrigin = (recordings: Recordings, url: string): Recordings =>
  JSON.parse(JSON.stringify(recordings).replaceAll(url, ORIGIN)) as Recordings;

/**
 * Records all operations in a fresh service in memory, at times that are always the same. Ids and secrets differ from
 * run to run. Throws an `Error` for an operation that has no call or fails.
 */
export const recordAll = async (): Promise<Recordings> => {
  const time = stopTime(START_MS);
  const service = await startForCalls();
  const { url } = service;
  try {
    const plain = callerOf(url);
    time.pass(SETTLED_MS);
    const { next } = (await plain("listChanges", { query: "limit=1000" })).body;
    const fixture = await createFixture((id, sent) => {
      time.pass(STEP_MS);
      return plain(id, sent);
    });
    const send = (id: OperationId, request: Parameters<typeof exchange>[2]) => {
      // Reading takes no time: a new GET leaves the times of all other examples as they are.
      if (operations[id]?.method !== "GET") time.pass(STEP_MS);
      return exchange(url, id, request);
    };
    const refused = async (id: OperationId, attempts: readonly Attempt[]): Promise<RecordedFailure[]> => {
      const found = new Map<number, RecordedFailure>();
      for (const { reason, status, request } of attempts) {
        if (found.has(status)) continue;
        const answer = await send(id, request);
        if (answer.status === status) found.set(status, { reason, ...answer });
      }
      return [...found.values()];
    };

    await plain("patchUser", { params: { id: fixture.users[5] ?? "" }, body: MUST_CHANGE });
    const walk = { url, client: fixture.client, pass: () => time.pass(STEP_MS) };
    const signedIn = await withoutLog(() => signIns(walk, PEOPLE));
    await plain("createUser", { body: { userName: POWERLESS.username, password: POWERLESS.password } });
    const withToken = async (id: OperationId): Promise<Recording> => {
      const answer = await send(id, { credential: "none", headers: { authorization: `Bearer ${signedIn.token}` } });
      if (answer.status !== operations[id]?.success.status) throw new Error(`${id} returned ${answer.status}`);
      const { status, ...refusal } = await send(id, { credential: "none" });
      return { request: {}, answer, failures: [{ reason: "noCredential", status, ...refusal }] };
    };
    const recorded = new Map<string, Recording>();
    const latest = new Map<string, unknown>();
    for (const [id, given] of [...reads(fixture), ...changes(fixture)]) {
      const made = (earlier: OperationId) => (latest.get(earlier) ?? {}) as Readonly<Record<string, unknown>>;
      // The changes of the start are made at once, and have another order each time.
      const call = id === "listChanges" ? { query: `limit=1&after=${String(next)}` } : given;
      const sent = typeof call === "function" ? call(made) : call;
      const isKnown = recorded.has(id);
      const before = isKnown ? [] : await refused(id, attemptsBefore(id, sent, POWERLESS));
      const headers = isKnown ? {} : headersOf(id);
      const answer = await send(id, { ...sent, headers });
      if (answer.status !== (ALWAYS[id] ?? operations[id]?.success.status)) {
        throw new Error(`${id} returned ${answer.status}: ${JSON.stringify(answer.body)}`);
      }
      latest.set(id, answer.body);
      if (isKnown) continue;
      if (ofSignIn.includes(id)) {
        recorded.set(id, await withToken(id));
        continue;
      }
      const after = await refused(id, attemptsAfter(id, sent));
      const page = signedIn.taken.get(id);
      const failures = failuresOf(answer, [...before, ...after], page === undefined ? "always" : "otherForm");
      const own = { request: requestOf(id, sent, headers), ...(answer.status < 400 && { answer }) };
      recorded.set(id, { ...(page ?? own), failures });
    }
    const missing = Object.keys(operations).filter((id) => !recorded.has(id));
    if (missing.length > 0) throw new Error(`operation-units/calls.yaml has no call for ${missing.join(", ")}`);
    return atOrigin(Object.fromEntries([...recorded].sort(([a], [b]) => (a < b ? -1 : 1))), url);
  } finally {
    await service.close();
    time.resume();
  }
};
