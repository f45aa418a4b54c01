/** Sends the steps of a smoke test one after another, and removes what they created, whatever happened. */
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { basic, jsonOf, listIn, textIn } from "#cli/client.ts";
import { type Answer, type Caller, filled, type Kind, type Known, kinds, needsOf, type Step } from "./step.ts";
import { clientScopes, steps } from "./steps.ts";

/** Longer than the gateway waits for a function: after this time a request has no effect any more. */
const REQUEST_MS = 35_000;
const CLEANUP_TRIES = 3;
const CLEANUP_PAUSE_MS = 300;
const LEFTOVER_SECONDS = 3_600;
/** Methods that need `If-Match` where the operator requires it. */
const CHANGING: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);
/** `smoke-<seconds since 1970>-<random>`, perhaps with an ending: nothing else is ever deleted. */
const OURS = /^smoke-(\d{10})-[0-9a-f]{8}(?:-changed)?$/;

/** The credential of the command. */
export type Credential =
  | { readonly kind: "user"; readonly name: string; readonly password: string }
  | { readonly kind: "client"; readonly id: string; readonly secret: string };

/** A line of the report. */
export interface Line {
  readonly state: "ok" | "FAIL" | "skip";
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly status: number | undefined;
  readonly milliseconds: number;
  readonly correlationId: string | undefined;
  /** What is wrong. */
  readonly problem: string | undefined;
}

/** What a run uses. */
export interface Run {
  readonly url: string;
  readonly credential: Credential;
  readonly nowMs: number;
  readonly print: (line: Line) => void;
  /** Ends the run before its next request; what was created is removed all the same. */
  readonly signal: AbortSignal;
}

interface Request {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly contentType?: string | undefined;
  readonly body?: string | undefined;
}

interface Sent extends Answer {
  readonly line: Omit<Line, "state" | "problem">;
  /** Why there is no response. */
  readonly failure: string | undefined;
}

/** Runs all steps. Returns whether every request returned what it must, and nothing is left behind. */
export async function smoke(run: Run): Promise<boolean> {
  const { nowMs, signal } = run;
  const seconds = Math.floor(nowMs / 1_000);
  const name = `smoke-${seconds}-${randomBytes(4).toString("hex")}`;
  const state = { isGood: true };
  const print = (line: Line): void => {
    if (line.state === "FAIL") state.isGood = false;
    run.print(line);
  };
  const operator = await operatorOf({ ...run, print });
  if (operator === undefined) return false;
  const cleaner = { url: run.url, operator, print };
  // One wrong password is enough: some more would lock the name of the administrator.
  if (!(await isAccepted(cleaner))) return false;
  const isOld = (found: string): boolean => seconds - Number(OURS.exec(found)?.[1] ?? seconds) > LEFTOVER_SECONDS;
  for (const kind of kinds) if (!signal.aborted) await removeNamed(cleaner, kind, "smoke-", isOld);
  // Letters of both cases, digits and a sign, in case a policy asks for them.
  let known: Known = { name, password: `Aa1-${randomBytes(18).toString("base64url")}` };
  for (const step of steps) {
    if (signal.aborted) break;
    known = { ...known, ...(await perform(step, known, { url: run.url, operator, print })) };
  }
  if (signal.aborted) state.isGood = false;
  for (const kind of kinds) {
    const id = known[`${kind.word}Gone`] ? undefined : known[kind.word];
    await removeNamed(cleaner, kind, name, (found) => OURS.test(found), id);
  }
  return state.isGood;
}

/** The `Authorization` header of the caller; a client gets a token. `undefined` if it gets none. */
async function operatorOf({ url, credential, print }: Run): Promise<string | undefined> {
  if (credential.kind === "user") return basic(credential.name, credential.password);
  const sent = await send(url, {
    title: "token for the client of the command",
    method: "POST",
    path: "/oauth2/token",
    authorization: basic(credential.id, credential.secret),
    contentType: "application/x-www-form-urlencoded",
    body: `grant_type=client_credentials&scope=${encodeURIComponent(clientScopes.join(" "))}`,
  });
  const token = textIn(sent.body, "access_token");
  const granted = textIn(sent.body, "scope")?.split(" ") ?? [];
  const missing = clientScopes.filter((scope) => !granted.includes(scope));
  if (sent.status !== 200 || token === undefined) return refused(sent, `must return 200 with a token`);
  if (missing.length > 0) return refused(sent, `the client is not authorized for ${missing.join(", ")}`);
  print({ ...sent.line, state: "ok", problem: undefined });
  return `Bearer ${token}`;

  function refused({ line, failure }: Sent, problem: string): undefined {
    print({ ...line, state: "FAIL", problem: failure ?? problem });
  }
}

/** Whether the credential of the command is valid. Every other failure is left to the steps. */
async function isAccepted({ url, operator, print }: Cleaner): Promise<boolean> {
  const title = "credential of the command";
  const sent = await send(url, { title, method: "GET", path: "/scim2/ServiceProviderConfig", authorization: operator });
  const problem = sent.failure ?? (sent.status === 200 ? undefined : "must be 200");
  print({ ...sent.line, state: problem === undefined ? "ok" : "FAIL", problem });
  return sent.status !== 401;
}

/** Sends a step, and returns the values that it took. */
async function perform(
  step: Step,
  known: Known,
  { url, operator, print }: { url: string; operator: string; print: Run["print"] },
): Promise<Known> {
  const { title, method } = step;
  const path = filled(step.path, known);
  const missing = needsOf(step).filter((word) => known[word] === undefined);
  if (missing.length > 0) {
    const problem = `needs ${missing.join(", ")} of an earlier request`;
    const line = { title, method, path, status: undefined, milliseconds: 0, correlationId: undefined };
    print({ ...line, state: "skip", problem });
    return {};
  }
  const sent = await send(url, {
    title,
    method,
    path,
    authorization: authorizationOf(step.as, known, operator),
    ...bodyOf(step, known),
  });
  const taken = Object.entries(step.takes ?? {}).map(([word, take]) => [word, take(sent)] as const);
  const absent = taken.filter(([, value]) => value === undefined).map(([word]) => word);
  const problem = sent.failure ?? problemOf(step, sent, absent);
  print({ ...sent.line, state: problem === undefined ? "ok" : "FAIL", problem });
  // What was created must be removed, also if something else is wrong with the response.
  if (problem !== undefined && sent.status !== step.status) return {};
  return Object.fromEntries(taken.flatMap(([word, value]) => (value === undefined ? [] : [[word, value]])));
}

function problemOf(step: Step, sent: Sent, absent: readonly string[]): string | undefined {
  if (sent.status !== step.status) return `must be ${step.status}`;
  if (absent.length > 0) return `the response has no ${absent.join(", ")}`;
  return step.holds === undefined || step.holds(sent) ? undefined : "the response does not contain what it must";
}

function authorizationOf(as: Caller, known: Known, operator: string): string | undefined {
  const of = (word: string): string => known[word] ?? "";
  const byCaller: Readonly<Record<Caller, () => string | undefined>> = {
    operator: () => operator,
    anonymous: () => undefined,
    stranger: () => "Bearer smoke",
    user: () => basic(of("name"), of("password")),
    token: () => `Bearer ${of("token")}`,
    client: () => basic(of("clientId"), of("clientSecret")),
  };
  return byCaller[as]();
}

function bodyOf({ body, contentType = "application/json" }: Step, known: Known) {
  if (body === undefined) return {};
  return { contentType, body: filled(typeof body === "string" ? body : JSON.stringify(body), known) };
}

/** How leftovers are removed. */
interface Cleaner {
  readonly url: string;
  readonly operator: string;
  readonly print: Run["print"];
}

/** Removes the resources of a kind whose names start so and are ours, and the one with `id`. Prints each request. */
async function removeNamed(
  cleaner: Cleaner,
  { title, path, query, list, name, word }: Kind,
  start: string,
  isOurs: (name: string) => boolean,
  id?: string,
): Promise<void> {
  const answer = await insist(cleaner, `leftover ${title}`, "GET", `${path}?${query(start)}`, [200]);
  const found = (listIn(answer?.body, list) ?? []).flatMap((one) => {
    const called = textIn(one, name);
    return called !== undefined && isOurs(called) ? (textIn(one, "id") ?? []) : [];
  });
  for (const each of new Set([...found, ...(id === undefined ? [] : [id])])) {
    // 412 for what is gone: the request has If-Match.
    await insist(cleaner, `remove the ${word}`, "DELETE", `${path}/${each}`, [204, 404, 412]);
  }
}

/** Sends a request of the clean-up until it succeeds, some times. */
async function insist(
  { url, operator, print }: Cleaner,
  title: string,
  method: string,
  path: string,
  statuses: readonly number[],
): Promise<Sent | undefined> {
  for (let attempt = 1; attempt <= CLEANUP_TRIES; attempt += 1) {
    const sent = await send(url, { title, method, path, authorization: operator });
    const isDone = statuses.includes(sent.status);
    const problem = isDone ? undefined : (sent.failure ?? `must be ${statuses.join(" or ")}`);
    print({ ...sent.line, state: isDone ? "ok" : "FAIL", problem });
    if (isDone) return sent;
    await pause(CLEANUP_PAUSE_MS * attempt);
  }
  return undefined;
}

async function send(url: string, { title, method, path, authorization, contentType, body }: Request): Promise<Sent> {
  const startedMs = performance.now();
  const lineOf = (status?: number, correlationId?: string) => ({
    title,
    method,
    path,
    status,
    milliseconds: Math.round(performance.now() - startedMs),
    correlationId,
  });
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(authorization && { authorization }),
        ...(contentType && { "content-type": contentType }),
        // The operator may require it. What the command changes is its own.
        ...(CHANGING.has(method) && { "if-match": "*" }),
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const text = await response.text();
    const { headers, status } = response;
    // The gateway's own responses have its request id only.
    const correlationId = headers.get("x-correlation-id") ?? headers.get("apigw-requestid") ?? undefined;
    const locationId = headers.get("location")?.split("/").at(-1);
    return { status, body: jsonOf(text), locationId, line: lineOf(status, correlationId), failure: undefined };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const failure = `no response: ${cause instanceof Error ? cause.message : String(cause)}`;
    return { status: 0, body: undefined, locationId: undefined, line: lineOf(), failure };
  }
}
