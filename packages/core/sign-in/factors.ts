/** Which factors a request needs, and what somebody has proven so far. */
import { neededFactors } from "../applications/registry/sequence-model.ts";
import { maySignIn } from "../identities/users/model.ts";
import { FACTORS_CLASS, PASSWORD_CLASS } from "../openid/id-token.ts";
import { homeOf, type TokenUser, tokenUserOf } from "../tokens/model.ts";
import { isEndedBy, revocationStore } from "../tokens/revocation-store.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { requestedClaim } from "./claims-parameter.ts";
import type { CodeRequest } from "./code.ts";
import type { SignInContext } from "./context.ts";
import type { Person } from "./hints.ts";
import { type Current, currentSession, marksOf, referenceIn } from "./session.ts";

/** A password, and a one-time code or recovery code, as `amr` names them (RFC 8176). */
export type Method = "pwd" | "otp";

/** What somebody has proven, in the form of the page for the next proof: there is no session yet. */
export interface Proven {
  readonly user: TokenUser;
  /** When the password was entered, in seconds since 1970, and as revocations are compared with it. */
  readonly authSeconds: number;
  readonly startedMs: number;
  readonly methods: readonly Method[];
}

/** A request of somebody who has proven a part. */
export interface ProvenRequest {
  readonly tenant: string;
  readonly asked: AuthorizationRequest;
  readonly proven: Proven;
  /** What somebody who sets one-time codes up is shown. */
  readonly setup?: CodesSetup | undefined;
}

/** A secret of one-time codes before it is stored. */
export interface CodesSetup {
  /** In Base32. */
  readonly secret: string;
  /** The version of the factor that the secret replaces; absent for the first one. */
  readonly replaces?: string | undefined;
}

/** Somebody who has proven a part, with the account as it is now. */
export interface Standing extends Omit<Proven, "user">, Person {
  /** When the revocations of `marksOf` are from. */
  readonly fromMs: readonly number[];
  /** The session that shows it; absent for somebody who has just entered a password. */
  readonly session?: Current;
}

/**
 * Whether a request needs a one-time code: the application asks all of its users for one, or the client asks for the
 * class of such sign-ins, before that of a password alone.
 */
export function needsCode({ application, request }: Pick<CodeRequest, "application" | "request">): boolean {
  const needed = neededFactors(application.authenticationSequence);
  return ("needsCode" in needed && needed.needsCode) || prefersCode(request);
}

function prefersCode({ acrValues = [], claims }: AuthorizationRequest): boolean {
  const essential = claims && requestedClaim(claims.idToken, "acr");
  const wished = (essential?.isEssential && essential.values) || acrValues;
  return wished.find((value) => value === FACTORS_CLASS || value === PASSWORD_CLASS) === FACTORS_CLASS;
}

/** What a session shows. */
export function standingIn(current: Current): Standing {
  const { session, user, userFromMs, clientFromMs } = current;
  const { authSeconds, startedMs } = session;
  const methods: readonly Method[] = session.methods?.includes("otp") ? ["pwd", "otp"] : ["pwd"];
  const fromMs = [userFromMs, clientFromMs];
  return { user, home: session.tenant, fromMs, authSeconds, startedMs, methods, session: current };
}

/** What the form of the next page of an application of a tenant says of somebody. */
export function provenBy({ user, home, authSeconds, startedMs, methods }: Standing, tenant: string): Proven {
  return { user: tokenUserOf(user, home, tenant), authSeconds, startedMs, methods };
}

/**
 * What a form says, with the account as it is now; `undefined` where it does not count any more: the account was
 * changed, or the session has ended or is not the one of the form. One round trip.
 */
export async function standingOf(
  { tenant, asked: { clientId }, proven }: ProvenRequest,
  session: string | undefined,
  context: SignInContext,
): Promise<Standing | undefined> {
  const { user: named, ...rest } = proven;
  const home = homeOf(named, tenant);
  const owning = home === tenant ? { active: true } : context.tenants.find(home);
  if (session !== undefined) {
    const [current, owner] = await Promise.all([currentSession(referenceIn(context, home), clientId, context), owning]);
    if (current?.reference.digest !== session || current.user.id !== named.id || !owner?.active) return undefined;
    return { ...standingIn(current), methods: proven.methods };
  }
  const [user, fromMs, owner] = await Promise.all([
    context.users.find(home, named.id, named.userStore),
    revocationStore(context.table).validFrom(home, marksOf(named.id, clientId)),
    owning,
  ]);
  if (!owner?.active) return undefined;
  if (!user || !maySignIn(user) || user.userStore !== named.userStore) return undefined;
  const issued = { issuedMs: proven.startedMs, issuedAtSeconds: proven.authSeconds };
  return isEndedBy(fromMs[0] ?? 0, issued, context.now) ? undefined : { ...rest, user, home, fromMs };
}
