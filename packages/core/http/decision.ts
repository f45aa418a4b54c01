/**
 * What the authorizer tells a function about a request, and how the function reads it.
 *
 * The gateway cannot shape a refusal, so it always lets the call through with a decision; the function answers the
 * refusal in the dialect of the path. It fails closed: a context that is missing, that it cannot read, or that was made
 * for another operation is a refusal (decision 0003).
 */
import * as z from "zod";
import type { Principal } from "../operation/context.ts";
import { Fault, type FaultName, faults } from "../platform/faults.ts";

/** The decision on one request. `operation` is empty where the path leads to none. */
export type Decision =
  | {
      readonly decision: "allow";
      readonly operation: string;
      readonly principal: Principal;
      /** What the caller may do, where the operation asks to be told. */
      readonly scopes?: readonly string[];
    }
  | { readonly decision: "public"; readonly operation: string }
  | { readonly decision: "refuse"; readonly operation: string; readonly fault: Fault };

const REALM = 'realm="Identity Admin API"';

/** The challenge of a 401 where a password is asked for (RFC 7617). */
export const BASIC_CHALLENGE = `Basic ${REALM}, charset="UTF-8"`;

/** The challenges of a 401 (RFC 9110 section 11.6.1): every way to show who one is. */
const CHALLENGE = `${BASIC_CHALLENGE}, Bearer ${REALM}`;

const text = z.string().min(1);
const allowed = {
  decision: z.literal("allow"),
  operation: z.string(),
  tenant: text,
  subject: text,
  scopes: z.string().optional(),
};

const Context = z.union([
  z.object({ ...allowed, kind: z.literal("user"), username: text, userStore: text }),
  z.object({ ...allowed, kind: z.literal("client"), applicationId: text }),
  z.object({ decision: z.literal("public"), operation: z.string() }),
  z.object({
    decision: z.literal("refuse"),
    operation: z.string(),
    fault: z.string(),
    description: z.string(),
    challenge: z.string(),
  }),
]);

/** The context of a decision as flat strings, which is what every kind of gateway carries. */
export type DecisionContext = Readonly<Record<string, string>>;

/** The challenge of a request with a token that is not accepted or not enough (RFC 6750 section 3). */
export function bearerChallenge(error: "invalid_token" | "insufficient_scope", scope?: string): string {
  return `Bearer ${REALM}, error="${error}"${scope === undefined ? "" : `, scope="${scope}"`}`;
}

/** Writes a decision for the gateway to carry. */
export function toContext(decision: Decision): DecisionContext {
  const { operation } = decision;
  switch (decision.decision) {
    case "allow":
      return {
        decision: "allow",
        operation,
        ...decision.principal,
        ...(decision.scopes && { scopes: decision.scopes.join(" ") }),
      };
    case "public":
      return { decision: "public", operation };
    case "refuse": {
      const { fault, description, headers } = decision.fault;
      return { decision: "refuse", operation, fault, description, challenge: headers["www-authenticate"] ?? "" };
    }
  }
}

/** A refusal for want of a credential that is accepted. `challenge` says what would be. */
export function unauthenticated(description: string, challenge = CHALLENGE): Fault {
  return new Fault("auth.unauthenticated", description, { headers: { "www-authenticate": challenge } });
}

/** Reads the decision that a request carries. Whatever is not a decision is a refusal. */
export function readDecision(context: unknown): Decision {
  const parsed = Context.safeParse(context);
  if (!parsed.success) return { decision: "refuse", operation: "", fault: undecided() };
  const { data } = parsed;
  const { operation } = data;
  switch (data.decision) {
    case "allow": {
      const { tenant, subject } = data;
      const principal: Principal =
        data.kind === "user"
          ? { kind: "user", tenant, subject, username: data.username, userStore: data.userStore }
          : { kind: "client", tenant, subject, applicationId: data.applicationId };
      const scopes = data.scopes?.split(" ").filter((scope) => scope !== "");
      return { decision: "allow", operation, principal, ...(scopes && { scopes }) };
    }
    case "public":
      return { decision: "public", operation };
    case "refuse": {
      const { fault, description, challenge } = data;
      if (!isRefusal(fault)) return { decision: "refuse", operation, fault: undecided() };
      const headers: Record<string, string> = challenge ? { "www-authenticate": challenge } : {};
      return { decision: "refuse", operation, fault: new Fault(fault, description, { headers }) };
    }
  }
}

function undecided(): Fault {
  return unauthenticated("Authorization failed: no valid decision accompanies this request.");
}

function isRefusal(name: string): name is FaultName {
  return Object.hasOwn(faults, name) && faults[name as FaultName].refusal === true;
}
