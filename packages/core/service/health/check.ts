/**
 * The synthetic check: what a client program does, through the public name of the stage (decision 0073). It gets a
 * token, changes a user of its own tenant, and reads the user back.
 */

import type { CheckFailure, CheckReport, CheckStep } from "../../http/observe-check.ts";
import { type Clock, elapsed, systemClock } from "../../kernel/clock.ts";
import { CANARY_TENANT } from "../../kernel/domain/tenant.ts";
import { parsedJson } from "../../kernel/json.ts";
import * as z from "../../kernel/zod.ts";
import { CANARY_SCOPES, CANARY_USER, canaryClientIdOf } from "./model.ts";
import { type Received, type Sent, send } from "./send.ts";

/** Milliseconds of one step. Two cold functions answer within it, and the three steps fit into the function's time. */
const STEP_MS = 8_000;

const DAY_MS = 86_400_000;

const PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const USER = `/t/${CANARY_TENANT}/scim2/Users/${CANARY_USER.id}`;

const Token = z.object({
  access_token: z.string().min(1),
  token_type: z.literal("Bearer"),
  scope: z.string().refine((text) => CANARY_SCOPES.every((scope) => text.split(" ").includes(scope))),
});
const User = z.object({ id: z.literal(CANARY_USER.id), nickName: z.string() });

/** What a check uses. */
export interface CheckParts {
  /** The public origin of the stage, without a trailing slash. */
  readonly origin: string;
  /** The secret of the client. */
  readonly secret: string;
  /** When the first authority of client certificates expires; `undefined` where there is none. */
  readonly authoritiesUntilMs?: number | undefined;
  readonly report: CheckReport;
  readonly clock?: Clock;
  readonly stepMs?: number;
}

/** A step that failed. The message is for operators and contains neither the secret nor a token. */
class StepFailed extends Error {
  readonly failure: CheckFailure;
  constructor(failure: CheckFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

/** Builds the function. It reports each check and throws nothing: an attempt again would be another check. */
export function newCheck({
  origin,
  secret,
  authoritiesUntilMs,
  report,
  clock = systemClock,
  stepMs = STEP_MS,
}: CheckParts) {
  return async (): Promise<void> => {
    const durations: Partial<Record<CheckStep, number>> = {};
    /** Sends the request of a step. Throws `StepFailed` for what is not the expected response. */
    const step = async <T>(name: CheckStep, sent: Sent, schema: z.ZodType<T>): Promise<T> => {
      const startedMs = elapsed();
      try {
        return expected(name, await sending(name, sent, stepMs), schema);
      } finally {
        durations[name] = elapsed() - startedMs;
      }
    };
    let failure: CheckFailure | undefined;
    try {
      await steps(origin, secret, new Date(clock.now()).toISOString(), step);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      failure = error.failure;
    }
    report({
      durations,
      ...(failure && { failure }),
      ...(authoritiesUntilMs !== undefined && { authorityDaysLeft: (authoritiesUntilMs - clock.now()) / DAY_MS }),
    });
  };
}

type TakeStep = <T>(name: CheckStep, sent: Sent, schema: z.ZodType<T>) => Promise<T>;

async function steps(origin: string, secret: string, value: string, step: TakeStep): Promise<void> {
  const form = new URLSearchParams({ grant_type: "client_credentials", scope: CANARY_SCOPES.join(" ") });
  const credential = Buffer.from(`${canaryClientIdOf(secret)}:${secret}`).toString("base64");
  const { access_token: token } = await step(
    "token",
    {
      method: "POST",
      url: `${origin}/t/${CANARY_TENANT}/oauth2/token`,
      headers: { authorization: `Basic ${credential}`, "content-type": "application/x-www-form-urlencoded" },
      body: form.toString(),
    },
    Token,
  );
  const url = `${origin}${USER}`;
  const headers = { authorization: `Bearer ${token}`, accept: "application/scim+json" };
  const Operations = [{ op: "replace", path: "nickName", value }];
  await step(
    "write",
    {
      method: "PATCH",
      url,
      // The operator may require the header of every change (decision 0085).
      headers: { ...headers, "content-type": "application/scim+json", "if-match": "*" },
      body: JSON.stringify({ schemas: [PATCH_SCHEMA], Operations }),
    },
    User.refine(({ nickName }) => nickName === value),
  );
  // A schedule may start two checks at once: what the other one wrote since is as good.
  await step(
    "read",
    { method: "GET", url, headers },
    User.refine(({ nickName }) => nickName >= value),
  );
}

async function sending(step: CheckStep, sent: Sent, stepMs: number): Promise<Received> {
  const signal = AbortSignal.timeout(stepMs);
  try {
    return await send(sent, signal);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    const reason = signal.aborted ? "slow" : "unreachable";
    throw new StepFailed({ step, reason, ...(reason === "unreachable" && code !== undefined && { code }) });
  }
}

function expected<T>(step: CheckStep, { status, traceId, text }: Received, schema: z.ZodType<T>): T {
  const where = { step, status, ...(traceId !== undefined && { traceId }) };
  if (status !== 200) throw new StepFailed({ ...where, reason: "status" });
  const parsed = schema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  throw new StepFailed({ ...where, reason: "answer" });
}
