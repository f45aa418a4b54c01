/**
 * The decision that the authorizer passes to a function with each request (decision 0003).
 *
 * The gateway cannot render a refusal in the dialect of a path. So the authorizer lets every request pass with a
 * decision, and the function renders the refusal. The function fails closed: a decision that is missing, malformed or
 * about another operation is a refusal.
 */

import { Fault, type FaultName, faults } from "../kernel/faults.ts";
import { type Principal, type Proof, type SignInMethod, signInMethods } from "../kernel/operation/context.ts";
import * as z from "../kernel/zod.ts";

/** The decision on one request. `operation` is empty where the path and method lead to none. */
export type Decision =
  | {
      readonly decision: "allow";
      readonly operation: string;
      readonly principal: Principal;
      /** The scopes of the credential, for an operation that declares `seesScopes`. */
      readonly scopes?: readonly string[];
      readonly nearest?: string;
      /** The nonce for the caller's next DPoP proofs. */
      readonly nonce?: string;
      /** How the caller signed in, and the client whose token it used: for change records. */
      readonly signIn?: SignInMethod;
      readonly clientId?: string;
      /** What shows that the person itself is at the caller, for changes of its own credentials. */
      readonly proof?: Proof;
    }
  /** `nearest`: the path that a request for an unknown path probably means. Only for authenticated callers. */
  | { readonly decision: "public"; readonly operation: string; readonly nearest?: string }
  | { readonly decision: "refuse"; readonly operation: string; readonly fault: Fault };

const REALM = 'realm="Identity Admin API"';

/** The challenge for a user name and password (RFC 7617). */
export const BASIC_CHALLENGE = `Basic ${REALM}, charset="UTF-8"`;

/** The challenges of a 401 (RFC 9110 section 11.6.1): every scheme that is accepted. */
const CHALLENGE = `${BASIC_CHALLENGE}, Bearer ${REALM}`;

const text = z.string().min(1);
const allowed = {
  decision: z.literal("allow"),
  operation: z.string(),
  tenant: text,
  subject: text,
  scopes: z.string().optional(),
  nearest: z.string().optional(),
  nonce: z.string().optional(),
  signIn: z.enum(signInMethods).optional(),
  clientId: text.optional(),
  proof: text.optional(),
};

const Context = z.union([
  z.object({ ...allowed, kind: z.literal("user"), username: text, userStore: text, actor: text.optional() }),
  z.object({ ...allowed, kind: z.literal("client"), applicationId: text }),
  z.object({ decision: z.literal("public"), operation: z.string(), nearest: z.string().optional() }),
  z.object({
    decision: z.literal("refuse"),
    operation: z.string(),
    fault: z.string(),
    description: z.string(),
    challenge: z.string(),
    nonce: z.string().optional(),
  }),
]);

/** Why a request with a bound token is refused. */
export type DpopError = "invalid_token" | "insufficient_scope" | "invalid_dpop_proof" | "use_dpop_nonce";

/** The header of the nonce for the caller's next DPoP proofs. */
export const NONCE_HEADER = "dpop-nonce";

/**
 * A decision as flat strings, which every kind of gateway can pass on. The authorizer adds `traceId`, which joins the
 * gateway's access log with the lines of the functions; functions do not read it.
 */
export type DecisionContext = Readonly<Record<string, string>>;

/** The challenge for a token that is not valid or lacks a scope (RFC 6750 section 3). */
export function bearerChallenge(
  error: "invalid_token" | "insufficient_scope",
  more: Readonly<Record<string, string>> = {},
): string {
  return `Bearer ${[REALM, ...parametersOf({ error, ...more })].join(", ")}`;
}

/** The challenge for a token that needs a DPoP proof (RFC 9449 sections 7.1 and 9). */
export function dpopChallenge(error: DpopError, more: Readonly<Record<string, string>> = {}): string {
  return `DPoP ${[REALM, ...parametersOf({ error, ...more })].join(", ")}`;
}

function parametersOf(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).map(([name, value]) => `${name}="${value}"`);
}

/**
 * A refusal with the address of the metadata of its resource, in the challenge for tokens, which is the last one (RFC
 * 9728 section 5.1). Any other fault stays as it is.
 */
export function withMetadata(fault: Fault, address: string): Fault {
  const challenge = fault.headers["www-authenticate"];
  if (challenge === undefined || !/(?:^|, )(?:Bearer|DPoP) /.test(challenge)) return fault;
  const headers = { ...fault.headers, "www-authenticate": `${challenge}, resource_metadata="${address}"` };
  return new Fault(fault.fault, fault.description, { headers, message: fault.publicMessage, cause: fault.cause });
}

/** Encodes a decision for the gateway. */
export function toContext(decision: Decision): DecisionContext {
  const { operation } = decision;
  switch (decision.decision) {
    case "allow":
      return {
        decision: "allow",
        operation,
        ...decision.principal,
        ...(decision.scopes && { scopes: decision.scopes.join(" ") }),
        ...nearestOf(decision),
        ...nonceOf(decision),
        ...signInOf(decision),
        ...(decision.proof && { proof: proofText(decision.proof) }),
      };
    case "public":
      return { decision: "public", operation, ...nearestOf(decision) };
    case "refuse": {
      const { fault, description, headers } = decision.fault;
      const challenge = headers["www-authenticate"] ?? "";
      const nonce = headers[NONCE_HEADER];
      return { decision: "refuse", operation, fault, description, challenge, ...nonceOf({ nonce }) };
    }
  }
}

function nearestOf({ nearest }: { readonly nearest?: string | undefined }): { readonly nearest?: string } {
  return nearest === undefined ? {} : { nearest };
}

function signInOf({ signIn, clientId }: { readonly signIn?: SignInMethod; readonly clientId?: string }) {
  return { ...(signIn !== undefined && { signIn }), ...(clientId !== undefined && { clientId }) };
}

function nonceOf({ nonce }: { readonly nonce?: string | undefined }): { readonly nonce?: string } {
  return nonce === undefined ? {} : { nonce };
}

/** The refusal of a request without an accepted credential. `challenge` names the accepted schemes. */
export function unauthenticated(description: string, challenge = CHALLENGE): Fault {
  return new Fault("auth.unauthenticated", description, { headers: { "www-authenticate": challenge } });
}

/** Reads the decision of a request. Anything that is not a decision is a refusal. */
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
          ? {
              kind: "user",
              tenant,
              subject,
              username: data.username,
              userStore: data.userStore,
              ...(data.actor !== undefined && { actor: data.actor }),
            }
          : { kind: "client", tenant, subject, applicationId: data.applicationId };
      const scopes = data.scopes?.split(" ").filter((scope) => scope !== "");
      const { signIn, clientId } = data;
      const by = { ...(signIn !== undefined && { signIn }), ...(clientId !== undefined && { clientId }) };
      const proof = data.proof === undefined ? undefined : proofIn(data.proof);
      const more = { ...nearestOf(data), ...nonceOf(data), ...by, ...(proof && { proof }) };
      return { decision: "allow", operation, principal, ...(scopes && { scopes }), ...more };
    }
    case "public":
      return { decision: "public", operation, ...nearestOf(data) };
    case "refuse": {
      const { fault, description, challenge, nonce } = data;
      if (!isRefusal(fault)) return { decision: "refuse", operation, fault: undecided() };
      const headers: Record<string, string> = {
        ...(challenge && { "www-authenticate": challenge }),
        ...(nonce !== undefined && { [NONCE_HEADER]: nonce }),
      };
      return { decision: "refuse", operation, fault: new Fault(fault, description, { headers }) };
    }
  }
}

function undecided(): Fault {
  return unauthenticated("Authorization failed: the request has no valid decision of the authorizer.");
}

const PROOF = /^(?:password|(\d{1,15})((?: [a-z]{1,10}){1,9}))$/;

function proofText(proof: Proof): string {
  return proof.kind === "password" ? "password" : [proof.atSeconds, ...proof.methods].join(" ");
}

/** The proof in a decision; `undefined` for any other text, which proves nothing. */
function proofIn(encoded: string): Proof | undefined {
  const found = PROOF.exec(encoded);
  if (!found) return undefined;
  const [, atSeconds, methods] = found;
  if (atSeconds === undefined || methods === undefined) return { kind: "password" };
  return { kind: "sign-in", atSeconds: Number(atSeconds), methods: methods.trim().split(" ") };
}

function isRefusal(name: string): name is FaultName {
  return Object.hasOwn(faults, name) && faults[name as FaultName].refusal === true;
}
