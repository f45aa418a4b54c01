/** Which proofs a request needs, and what somebody has proven so far. */
import { METHOD, type Method, type SecondFactor, type Way } from "../../applications/registry/sequence-model.ts";
import type { Factors } from "../../directory/credentials/factor-store.ts";
import { PASSKEYS_MAX } from "../../directory/credentials/passkey-store.ts";
import type { PasswordProblem } from "../../directory/credentials/password-rules.ts";
import { maySignIn, mustChangePassword } from "../../directory/users/model.ts";
import { homeOf, type TokenUser, tokenUserOf } from "../../tokens/model.ts";
import { isEndedBy, revocationStore } from "../../tokens/revocation-store.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { SignInContext } from "./context.ts";
import type { Person } from "./hints.ts";
import { type Current, currentSession, pageMarksOf, referenceIn } from "./session.ts";
import { lackingWays, type Steps } from "./ways.ts";

/** What somebody has proven, in the form of the page for the next proof: there is no session yet. */
export interface Proven {
  readonly user: TokenUser;
  /** When the password was entered, in seconds since 1970, and as revocations are compared with it. */
  readonly authSeconds: number;
  readonly startedMs: number;
  readonly methods: readonly Method[];
  /** The rule that the entered password breaks, until the person has been told. */
  readonly weakness?: PasswordProblem | undefined;
}

/** A request of somebody who has proven a part. */
export interface ProvenRequest {
  readonly tenant: string;
  readonly asked: AuthorizationRequest;
  readonly proven: Proven;
  /** What somebody who sets one-time codes up is shown. */
  readonly setup?: CodesSetup | undefined;
  /** What a passkey of somebody must sign, or the one that somebody creates. */
  readonly challenge?: PasskeyChallenge | undefined;
  /** The secret of the form that waits for a code or a link by mail. */
  readonly flow?: string | undefined;
}

/** A secret of one-time codes before it is stored. */
export interface CodesSetup {
  /** In Base32. */
  readonly secret: string;
  /** The version of the factor that the secret replaces; absent for the first one. */
  readonly replaces?: string | undefined;
}

/** What an authenticator is asked. */
export interface PasskeyChallenge {
  /** Random, in Base64url. */
  readonly text: string;
  readonly madeMs: number;
  /** The handle of the user for whom a passkey is created. */
  readonly handle?: string | undefined;
}

/** Somebody who has proven a part, with the account as it is now. */
export interface Standing extends Omit<Proven, "user">, Person {
  /** When the revocations of `pageMarksOf` are from; of `marksOf` for somebody with a session. */
  readonly fromMs: readonly number[];
  /** The session that shows it; absent for somebody who has just entered a password. */
  readonly session?: Current;
}

/** What is proven with a password that counts from now on: after the revocations that are from `fromMs`. */
export function fromNow(
  fromMs: readonly number[],
  nowMs: number,
): Pick<Standing, "fromMs" | "authSeconds" | "startedMs"> {
  return { fromMs, authSeconds: Math.floor(nowMs / 1_000), startedMs: Math.max(nowMs, fromMs[0] ?? 0, fromMs[2] ?? 0) };
}

/** What a page asks for next. */
export type NextProof = {
  /** What the person can choose in its place. */
  readonly others: readonly Way[];
} & (
  | { readonly way: Way; readonly isNew: false }
  /** The user must set it up first. */
  | { readonly way: SecondFactor; readonly isNew: true }
);

/**
 * What is asked for next. Who has a second factor proves it before another one is set up, and before another password
 * is chosen, whatever the application asks for: a password or a mail alone changes neither, and does not open the pages
 * of the own account. `wish`: what the person prefers.
 */
export function nextProof(
  { steps, request }: { readonly steps: Steps; readonly request: AuthorizationRequest },
  { user, methods }: Pick<Standing, "user" | "methods">,
  factors: Factors,
  wish?: Way,
): NextProof | undefined {
  const has = factorsOf(factors);
  const isOpen = isFactorOpen(methods, factors);
  const needsOwn = mustChangePassword(user) || request.account !== undefined;
  const lacking = lackingWays(steps, methods) ?? (isOpen && needsOwn ? has : undefined);
  if (!lacking) return undefined;
  const own = lacking.filter(isFactor);
  // What has been set up comes first.
  const usable = [...own.filter((factor) => has.includes(factor)), ...lacking.filter((way) => !isFactor(way))];
  if (usable.length > 0 || isOpen) {
    const [way, others] = chosen<Way>(usable.length > 0 ? usable : has, wish);
    return way && { way, isNew: false, others };
  }
  const [way, others] = chosen(own, wish);
  return way && { way, isNew: true, others };
}

/** The way that the button of a page names; `undefined` for a button of another kind. */
export function wayOf(choice: string | undefined): Way | undefined {
  return ways.find((way) => way === choice);
}

const ways = Object.keys(METHOD) as readonly Way[];

/** Whether a way is one that users set up. */
function isFactor(way: Way): way is SecondFactor {
  return way === "code" || way === "passkey";
}

/** Whether a user has second factors and has not proven any. */
export function isFactorOpen(methods: readonly Method[], factors: Factors): boolean {
  const has = factorsOf(factors);
  return has.length > 0 && !has.some((factor) => methods.includes(METHOD[factor]));
}

function chosen<W extends Way>(among: readonly W[], wish: Way | undefined): [W | undefined, readonly W[]] {
  const [way] = [...among.filter((each) => each === wish), ...among];
  return [way, among.filter((each) => each !== way)];
}

/** Whether somebody may set a factor up: there is none yet, or one that is there is proven. */
export function maySetUp({ methods }: Pick<Standing, "methods">, factors: Factors): boolean {
  const has = factorsOf(factors);
  return has.length === 0 || has.some((factor) => methods.includes(METHOD[factor]));
}

/** Whether a user may have one more passkey. */
export function mayAddPasskey(passkeys: Factors["passkeys"]): boolean {
  return (passkeys?.keys.length ?? 0) < PASSKEYS_MAX;
}

/** Which second factors there are. */
function factorsOf({ totp, passkeys }: Factors): readonly SecondFactor[] {
  return [...(totp ? ["code" as const] : []), ...(passkeys ? ["passkey" as const] : [])];
}

/** Somebody who has proven something more. */
export function proving<S extends Pick<Standing, "methods">>(standing: S, way: Way): S {
  const method = METHOD[way];
  return standing.methods.includes(method) ? standing : { ...standing, methods: [...standing.methods, method] };
}

/** Somebody for whom a proof of a factor does not count. */
export function without<S extends Pick<Standing, "methods">>(standing: S, factor: SecondFactor): S {
  return { ...standing, methods: standing.methods.filter((method) => method !== METHOD[factor]) };
}

/** What a session shows. */
export function standingIn(current: Current): Standing {
  const { session, user, userFromMs, clientFromMs } = current;
  const { authSeconds, startedMs } = session;
  const methods = methodsOf(session);
  const fromMs = [userFromMs, clientFromMs];
  return { user, home: session.tenant, fromMs, authSeconds, startedMs, methods, session: current };
}

/** What the user of a session has proven. */
function methodsOf({ methods = ["pwd"] }: Current["session"]): readonly Method[] {
  const known = new Set<Method>(Object.values(METHOD));
  return [...known].filter((method) => methods.includes(method));
}

/** What the form of the next page of an application of a tenant says of somebody. */
export function provenBy(standing: Standing, tenant: string): Proven {
  const { user, home, authSeconds, startedMs, methods, weakness } = standing;
  return { user: tokenUserOf(user, home, tenant), authSeconds, startedMs, methods, ...(weakness && { weakness }) };
}

/** How long a password counts without a session: each page that follows has a form of its own. */
const WITHOUT_SESSION_SECONDS = 60 * 60;

/**
 * What a form says, with the account as it is now; `undefined` where it does not count any more: the account was
 * changed, a session of the user has ended since, the password was entered long ago, or the session of the form has
 * ended or is not that of the browser. One round trip.
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
    revocationStore(context.table).validFrom(home, pageMarksOf(named.id, clientId)),
    owning,
  ]);
  if (!owner?.active || !user || !maySignIn(user) || user.userStore !== named.userStore) return undefined;
  return stillCounts(proven, fromMs, context.now) ? { ...rest, user, home, fromMs } : undefined;
}

/** Whether what somebody has proven without a session still counts, with the revocations of `pageMarksOf`. */
export function stillCounts(
  { authSeconds, startedMs }: Pick<Proven, "authSeconds" | "startedMs">,
  fromMs: readonly number[],
  nowMs: number,
): boolean {
  if (nowMs / 1_000 - authSeconds > WITHOUT_SESSION_SECONDS) return false;
  const issued = { issuedMs: startedMs, issuedAtSeconds: authSeconds };
  const [userFromMs = 0, , pagesFromMs = 0] = fromMs;
  return ![userFromMs, pagesFromMs].some((ms) => isEndedBy(ms, issued, nowMs));
}
