/** Which factors a request needs, and what somebody has proven so far. */
import { neededFactors, type SecondFactor } from "../../applications/registry/sequence-model.ts";
import type { Factors } from "../../directory/credentials/factor-store.ts";
import { PASSKEYS_MAX } from "../../directory/credentials/passkey-store.ts";
import type { PasswordProblem } from "../../directory/credentials/password-rules.ts";
import { maySignIn, mustChangePassword } from "../../directory/users/model.ts";
import { homeOf, type TokenUser, tokenUserOf } from "../../tokens/model.ts";
import { isEndedBy, revocationStore } from "../../tokens/revocation-store.ts";
import { FACTORS_CLASS, PASSWORD_CLASS } from "../openid/id-token.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { requestedClaim } from "./claims-parameter.ts";
import type { CodeRequest } from "./code.ts";
import type { SignInContext } from "./context.ts";
import type { Person } from "./hints.ts";
import { type Current, currentSession, pageMarksOf, referenceIn } from "./session.ts";

/**
 * A password; a one-time code or recovery code; the possession of a key: a passkey. As `amr` names them (RFC 8176).
 * Whether the key is in hardware, no passkey without attestation proves.
 */
export type Method = "pwd" | "otp" | "pop";

/** How a second factor is proven. */
const METHOD = { code: "otp", passkey: "pop" } as const;

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

/** What a request asks for besides the password: for each step one of its factors. */
function furtherFactors({ application, request }: Pick<CodeRequest, "application" | "request">) {
  const wished = request.account?.task && FACTOR_OF_TASK[request.account.task];
  if (wished) return [[wished]];
  const needed = neededFactors(application.authenticationSequence);
  const ofApplication = "further" in needed ? needed.further : [];
  return ofApplication.length === 0 && prefersFactors(request) ? [EITHER] : ofApplication;
}

/** The factor that a person sets up in the own account. */
const FACTOR_OF_TASK = { app: "code", passkey: "passkey", password: undefined } as const;

/** What a client that asks for the class of such sign-ins gets: it does not say by which factor. */
const EITHER: readonly SecondFactor[] = ["code", "passkey"];

/**
 * The factors of the first step that is not proven yet: the application asks all of its users for it, or the client
 * asks for the class of such sign-ins, before that of a password alone. `undefined` where nothing is missing.
 */
export function lackingFactors(
  asked: Pick<CodeRequest, "application" | "request">,
  methods: readonly Method[],
): readonly SecondFactor[] | undefined {
  return furtherFactors(asked).find((factors) => !factors.some((factor) => methods.includes(METHOD[factor])));
}

/** What a page asks for next. */
export interface NextFactor {
  readonly factor: SecondFactor;
  /** True where the user must set it up first. */
  readonly isNew: boolean;
  /** What the person can choose in its place. */
  readonly others: readonly SecondFactor[];
}

/**
 * The second factor that is asked for next. Who has one proves it before another one is set up, and before another
 * password is chosen, whatever the application asks for: a password alone changes neither, and does not open the pages
 * of the own account. `wish`: the factor that the person prefers.
 */
export function nextFactor(
  asked: Pick<CodeRequest, "application" | "request">,
  { user, methods }: Pick<Standing, "user" | "methods">,
  factors: Factors,
  wish?: SecondFactor,
): NextFactor | undefined {
  const has = factorsOf(factors);
  const isOpen = isFactorOpen(methods, factors);
  const needsOwn = mustChangePassword(user) || asked.request.account !== undefined;
  const lacking = lackingFactors(asked, methods) ?? (isOpen && needsOwn ? has : undefined);
  if (!lacking) return undefined;
  const usable = lacking.filter((factor) => has.includes(factor));
  if (usable.length > 0) return chosen(usable, false, wish);
  return isOpen ? chosen(has, false, wish) : chosen(lacking, true, wish);
}

/** Whether a user has second factors and has not proven any. */
export function isFactorOpen(methods: readonly Method[], factors: Factors): boolean {
  const has = factorsOf(factors);
  return has.length > 0 && !has.some((factor) => methods.includes(METHOD[factor]));
}

function chosen(among: readonly SecondFactor[], isNew: boolean, wish: SecondFactor | undefined) {
  const [factor] = [...among.filter((each) => each === wish), ...among];
  return factor && { factor, isNew, others: among.filter((each) => each !== factor) };
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

/** Somebody who has proven a factor, too. */
export function proving<S extends Pick<Standing, "methods">>(standing: S, factor: SecondFactor): S {
  const method = METHOD[factor];
  return standing.methods.includes(method) ? standing : { ...standing, methods: [...standing.methods, method] };
}

/** Somebody for whom a proof of a factor does not count. */
export function without<S extends Pick<Standing, "methods">>(standing: S, factor: SecondFactor): S {
  return { ...standing, methods: standing.methods.filter((method) => method !== METHOD[factor]) };
}

function prefersFactors({ acrValues = [], claims }: AuthorizationRequest): boolean {
  const essential = claims && requestedClaim(claims.idToken, "acr");
  const wished = (essential?.isEssential && essential.values) || acrValues;
  return wished.find((value) => value === FACTORS_CLASS || value === PASSWORD_CLASS) === FACTORS_CLASS;
}

/** What a session shows. */
export function standingIn(current: Current): Standing {
  const { session, user, userFromMs, clientFromMs } = current;
  const { authSeconds, startedMs } = session;
  const second = Object.values(METHOD).filter((method) => session.methods?.includes(method));
  const methods: readonly Method[] = ["pwd", ...second];
  const fromMs = [userFromMs, clientFromMs];
  return { user, home: session.tenant, fromMs, authSeconds, startedMs, methods, session: current };
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
  if (!owner?.active || context.now / 1_000 - proven.authSeconds > WITHOUT_SESSION_SECONDS) return undefined;
  if (!user || !maySignIn(user) || user.userStore !== named.userStore) return undefined;
  const issued = { issuedMs: proven.startedMs, issuedAtSeconds: proven.authSeconds };
  const [userFromMs = 0, , pagesFromMs = 0] = fromMs;
  const isEnded = [userFromMs, pagesFromMs].some((ms) => isEndedBy(ms, issued, context.now));
  return isEnded ? undefined : { ...rest, user, home, fromMs };
}
