/**
 * Calls that a new version of a function answers before it gets traffic: the requests that the catalogue has for it and
 * that change nothing, as the gateway would pass them on (decision 0175). A stage with few requests would not show in
 * time that a function fails as a whole. The calls are of the tenant of the synthetic check, whose rows may be missing.
 */
import { toContext } from "#core/http/decision.ts";
import { CANARY_TENANT } from "#core/kernel/domain/tenant.ts";
import { faults } from "#core/kernel/faults.ts";
import { type Operation, PUBLIC } from "#core/kernel/operation/operation.ts";
import { FRONT } from "#core/kernel/operation/services.ts";
import { operations } from "#core/service/catalogue.ts";
import { CANARY_APPLICATION, CANARY_CLIENT } from "#core/service/health/model.ts";
import type { FunctionName } from "../../../stacks/plan.ts";

/** One call. */
export interface TrialCall {
  /** For people. */
  readonly name: string;
  /** The event of the gateway. */
  readonly event: object;
}

/** Of documentation (RFC 5737): no caller has it. */
const SOURCE = "192.0.2.1";
/** No resource has it. */
const NO_ID = "00000000-0000-4000-8000-000000000000";

/** It needs the row of the tenant, which a stage without the synthetic check does not have. */
const UNASKED: ReadonlySet<string> = new Set(["getOwnOrganization"]);

/** What an operation needs in its query to look into the table. */
const QUERIES: Readonly<Record<string, string>> = {
  authorize: "response_type=code&client_id=trial&redirect_uri=https%3A%2F%2Ftrial.invalid%2F",
};

/** The calls of a function: what it reads without an id, and the first that it reads by one. */
export function trialOf(service: FunctionName): readonly TrialCall[] {
  if (service === "authorizer") return authorizerCalls;
  if (service === FRONT) return [{ name: "GET /", event: eventOf("/") }];
  const reads = Object.entries<Operation>(operations).filter(
    ([id, each]) => each.service === service && each.method === "GET" && !UNASKED.has(id),
  );
  const plain = reads.filter(([, { path }]) => !path.includes("{"));
  const byId = reads.find(([, { path }]) => path.includes("{"));
  return [...plain, ...(byId ? [byId] : [])].map(([id, declared]) => callOf(id, declared));
}

/**
 * What is wrong with the answer to a call; `undefined` if it is one that a working function gives. A refusal is: the
 * tenant of the check has hardly any rows.
 */
export function wrongIn(service: FunctionName, answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null) return "no answer";
  if (service === "authorizer") return wrongDecision(answer);
  const status = "statusCode" in answer ? answer.statusCode : undefined;
  if (typeof status !== "number") return "an answer without a status";
  return status >= 500 ? `status ${status}` : undefined;
}

function wrongDecision(answer: object): string | undefined {
  const context = "context" in answer && typeof answer.context === "object" ? answer.context : undefined;
  const { decision, fault } = (context ?? {}) as Readonly<Record<string, unknown>>;
  if (decision === "public" || decision === "allow") return undefined;
  if (decision !== "refuse") return "an answer without a decision";
  const row = Object.entries(faults).find(([name]) => name === fault)?.[1];
  return row === undefined || row.status >= 500 ? `the refusal ${String(fault)}` : undefined;
}

function callOf(operation: string, { path, scope, method }: Operation): TrialCall {
  const isPublic = scope === PUBLIC;
  const decision = isPublic
    ? ({ decision: "public", operation } as const)
    : ({
        decision: "allow",
        operation,
        principal: {
          kind: "client",
          tenant: CANARY_TENANT,
          subject: `${CANARY_CLIENT}trial`,
          applicationId: CANARY_APPLICATION.id,
        },
        scopes: [scope],
      } as const);
  const filled = path.replace(/\{[^}]+\}/g, NO_ID);
  return {
    name: `${method} ${path}`,
    event: eventOf(isPublic ? filled : `/t/${CANARY_TENANT}${filled}`, {
      authorizer: { lambda: toContext(decision) },
      query: QUERIES[operation] ?? "",
    }),
  };
}

/** Without a credential, with one that no user has (so that a password is hashed), and for what everybody may see. */
const authorizerCalls: readonly TrialCall[] = [
  { name: "a request without a credential", event: eventOf("/scim2/Users") },
  {
    name: "a request with a wrong password",
    event: eventOf(`/t/${CANARY_TENANT}/scim2/Users`, {
      headers: { authorization: `Basic ${Buffer.from(`trial@${CANARY_TENANT}:of a deployment`).toString("base64")}` },
    }),
  },
  { name: "a request for public keys", event: eventOf("/oauth2/jwks") },
];

interface EventParts {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** What the authorizer passes on. */
  readonly authorizer?: object;
}

function eventOf(path: string, { headers = {}, query = "", authorizer }: EventParts = {}) {
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: query,
    headers: { accept: "*/*", ...headers },
    isBase64Encoded: false,
    requestContext: {
      requestId: "trial",
      domainName: "trial.invalid",
      http: { method: "GET", path, protocol: "HTTP/1.1", sourceIp: SOURCE, userAgent: "npm run shift" },
      ...(authorizer && { authorizer }),
    },
  };
}
