/**
 * The order of a sign-in: one table of its steps, and what runs it. A step that is missing asks with a page; the form
 * of that page comes back to an operation, which takes what the person proves and runs the table again.
 *
 * What was proven before there is a session is in the form of the next page: a session starts when no step of
 * `beforeSession` is missing, and a code is issued when no step of `beforeCode` is.
 */
import type { Way } from "../../applications/registry/sequence-model.ts";
import type { Step } from "../../database/table/table.ts";
import type { Factors } from "../../directory/credentials/factor-store.ts";
import { PROOF_SECONDS } from "../../directory/provisioning/own-account.ts";
import { mustChangePassword } from "../../directory/users/model.ts";
import { later } from "../../kernel/later.ts";
import { type PageResult, SIGNED_IN } from "../../kernel/operation/operation.ts";
import { signInScopes } from "../openid/scopes.ts";
import { missingClaims } from "../openid/user-claims.ts";
import { type Consent, covers, skipsConsent } from "../sessions/consent-store.ts";
import { mayUse, NO_ACCESS, sayNoAccess } from "./access.ts";
import { askCode, askSetup } from "./ask-code.ts";
import { askConsent } from "./ask-consent.ts";
import { askNewPassword } from "./ask-new-password.ts";
import { askPasskey, askPasskeySetup } from "./ask-passkey.ts";
import { askPassword, askPasswordToo } from "./ask-password.ts";
import { type Asked, isGuestOf } from "./asked.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { furtherClaims, guestClaims, type TenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import type { signInOperations } from "./contract.ts";
import { isFactorOpen, nextProof, type Standing } from "./factors.ts";
import { issue, refuse } from "./issue.ts";
import type { Stage } from "./pending.ts";
import { type Current, type Opening, type Started, startSession, strengthenSession } from "./session.ts";
import { PagesUsed, usingPages } from "./used-pages-store.ts";

// Few applications ask for a mail.
const { askCodeByMail, askLinkByMail } = later(() => import("./ask-mail.ts"), "askCodeByMail", "askLinkByMail");

/** A page, when it is asked for. */
type Page = () => PageResult | Promise<PageResult>;

/** A step of a sign-in. `State`: what is known when it is its turn. */
interface SignInStep<State> {
  /** The forms of its pages, each with the operation that takes it. */
  readonly forms: Partial<Record<Exclude<Stage, "sign-out">, keyof typeof signInOperations>>;
  /** What a client is told that forbids pages (`prompt=none`). */
  readonly withoutPage: readonly [code: string, description: string];
  /** The page that asks; `undefined` where the step is not missing. */
  readonly ask: (state: State, context: SignInContext) => Page | undefined;
}

/** What is known of a request before it is clear who the person is. */
interface Arrived {
  readonly asked: Asked;
  /** Whether a session of the browser answers the request. */
  readonly hasSession: boolean;
}

/** What is known of a person who has said who it is, now or in a session. */
interface Proven {
  readonly asked: Asked;
  readonly standing: Standing;
  readonly factors: Factors;
  /** What the person prefers to other ways that would do. */
  readonly wish: Way | undefined;
}

/** What is known of a person with a session. */
interface SignedIn {
  readonly asked: Asked;
  readonly current: Current;
  readonly facts: TenantFacts;
  readonly isAgreed: boolean;
  /** Whether the application is for this person. */
  readonly hasAccess: boolean;
}

const step = <State>(declared: SignInStep<State>): SignInStep<State> => declared;

/** The pages that ask somebody who is known. */
const pagesOf = {
  code: askCode,
  passkey: askPasskey,
  password: askPasswordToo,
  "mail-code": askCodeByMail,
  "mail-link": askLinkByMail,
} as const;
/** The pages on which a second factor is set up. */
const setupsOf = { code: askSetup, passkey: askPasskeySetup } as const;

/** The steps in their order. */
export const signInSteps = {
  who: step<Arrived>({
    forms: { "sign-in": "signIn" },
    withoutPage: ["login_required", "The user is not signed in, or must sign in again."],
    ask({ asked, hasSession }, context) {
      const { prompts, loginHint: userName } = asked.request;
      const isAskedFor = prompts.some((prompt) => prompt === "login" || prompt === "select_account");
      return hasSession && !isAskedFor ? undefined : () => askPassword(asked, context, { userName });
    },
  }),
  proofs: step<Proven>({
    forms: {
      code: "enterCode",
      setup: "setUpCodes",
      saved: "goOnWithCodes",
      passkey: "usePasskey",
      "passkey-setup": "createPasskey",
      "mail-code": "enterMailedCode",
      "mail-link": "useMailedLink",
    },
    withoutPage: ["interaction_required", "The user must prove more than is proven."],
    ask({ asked, standing, factors, wish }, context) {
      const next = nextProof(asked, standing, factors, wish);
      if (!next) return undefined;
      if (next.isNew && !isFresh(standing, context)) return () => askPassword(asked, context);
      const page = next.isNew ? setupsOf[next.way] : pagesOf[next.way];
      return () => page(asked, standing, factors, context);
    },
  }),
  newPassword: step<Proven>({
    forms: { "new-password": "choosePassword" },
    withoutPage: ["login_required", "The user must choose another password."],
    ask({ asked, standing, factors }, context) {
      if (!mustChangePassword(standing.user) && asked.request.account?.task !== "password") {
        const isTold = standing.weakness !== undefined && !isFactorOpen(standing.methods, factors);
        return isTold && isFresh(standing, context) ? () => askNewPassword(asked, standing, context) : undefined;
      }
      return () =>
        isFresh(standing, context) ? askNewPassword(asked, standing, context) : askPassword(asked, context);
    },
  }),
  access: step<SignedIn>({
    // Its page goes back to the client by the form of consent.
    forms: {},
    withoutPage: ["access_denied", NO_ACCESS],
    ask({ asked, current, hasAccess }, context) {
      return hasAccess ? undefined : () => sayNoAccess(asked, current, context);
    },
  }),
  consent: step<SignedIn>({
    forms: { consent: "giveConsent" },
    withoutPage: ["consent_required", "The user has not agreed to the requested scopes."],
    ask({ asked, current, facts, isAgreed }, context) {
      const mustAsk = asked.request.prompts.includes("consent");
      return isAgreed && !mustAsk ? undefined : () => askConsent(asked, current, facts, context);
    },
  }),
} as const;

const beforeSession = [signInSteps.proofs, signInSteps.newPassword];
const beforeCode = [signInSteps.access, signInSteps.consent];

/** The page of the first step that is missing. Throws what the client is told that forbids pages. */
function missing<State extends { readonly asked: Asked }>(
  steps: readonly SignInStep<State>[],
  state: State,
  context: SignInContext,
): Page | undefined {
  for (const { ask, withoutPage } of steps) {
    const page = ask(state, context);
    if (!page) continue;
    if (state.asked.request.prompts.includes("none")) throw new AuthorizationError(...withoutPage);
    return page;
  }
  return undefined;
}

/** Asks who the person is, where no session of the browser says it. Throws `AuthorizationError` for `prompt=none`. */
export function askWho(asked: Asked, hasSession: boolean, context: SignInContext): Page | undefined {
  return missing([signInSteps.who], { asked, hasSession }, context);
}

/** What is known of the user of a request. */
export interface UserFacts {
  readonly consent: Consent | undefined;
  readonly facts: TenantFacts;
  /** The second factors; read where one may be needed: for every request that a session alone does not answer. */
  readonly factors: Factors;
  /** For a session that begins; absent where there is one. */
  readonly opening?: Opening;
}

/**
 * Goes on from a first proof, or a session: asks for what is missing, or starts the session and finishes. `steps`
 * store what has happened so far. `wish`: what the person prefers to other ways that would do. Throws
 * `AuthorizationError` where the client forbids the page that is needed.
 */
export async function proceed(
  asked: Asked,
  standing: Standing,
  { factors, opening, consent, facts }: UserFacts,
  steps: readonly Step[],
  context: SignInContext,
  wish?: Way,
): Promise<PageResult> {
  const page = missing(beforeSession, { asked, standing, factors, wish }, context);
  if (page) {
    if (steps.length > 0) await context.table.write(...steps);
    return page();
  }
  const { current, steps: ofSession, cookies } = sessionFor(asked, standing, opening, context);
  const signedIn = { ...asked, cookies: [...asked.cookies, ...cookies] };
  try {
    return await finish(signedIn, { current, consent, facts }, [...steps, ...ofSession], context);
  } catch (error) {
    // No step was applied. Who has sent a page twice begins again, with pages of its own.
    if (error instanceof PagesUsed) return askPassword(asked, context, { problem: "used" });
    throw error;
  }
}

/** Asks for consent where it is needed, and sends the code where it is not. `steps` store what has happened so far. */
async function finish(
  sent: Asked,
  { current, consent, facts }: Pick<SignedIn, "current" | "facts"> & Pick<UserFacts, "consent">,
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  const asked = forGuest(sent, current, facts);
  const { request, application, given } = asked;
  const claims = given ?? furtherClaims(request, application, facts.known);
  // On access to the users' own accounts administrators do not decide: it can change their passwords.
  const isOwnAccount = request.scopes.includes(SIGNED_IN);
  const skips = !isOwnAccount && skipsConsent(application, given !== undefined);
  const isAgreed = skips || covers(consent, request.scopes, claims);
  const hasAccess = await mayUse(asked, current, context);
  const refusal = hasAccess ? refusalOf(asked, current, isAgreed) : undefined;
  if (refusal) return refuse(refusal, asked, current, steps, context);
  const page = missing(beforeCode, { asked, current, facts, isAgreed, hasAccess }, context);
  if (!page) return issue(asked, current, facts, steps, context);
  const { storing } = current;
  if (storing || steps.length > 0) {
    await context.table.write(...usingPages(request, context.now), ...steps, ...(storing ? [storing] : []));
  }
  return page();
}

/** A request as it counts for the user of a session: a guest gets scopes of OpenID Connect only, and agrees to more. */
function forGuest(asked: Asked, current: Current, { known }: TenantFacts): Asked {
  if (!isGuestOf(asked.request, current)) return asked;
  const request = { ...asked.request, scopes: signInScopes(asked.request.scopes, known) };
  return { ...asked, request, given: guestClaims(request, asked.application, known) };
}

/**
 * Why the user of a session gets no code, although it agrees. What a guest has no value for, an application of another
 * tenant learns only after that.
 */
export function refusalOf(
  { request, application }: Asked,
  current: Current,
  isAgreed: boolean,
): AuthorizationError | undefined {
  const isGuest = isGuestOf(request, current);
  if (isGuest && request.resources.length > 0) {
    return new AuthorizationError("invalid_target", "A user of another tenant gets no token for a resource.");
  }
  if (isGuest && !isAgreed) return undefined;
  const missing = missingClaims({ user: current.user, tenant: current.session.tenant }, application);
  if (missing.length === 0) return undefined;
  const why = `The user has no value for a claim that the application requires: ${missing.join(", ")}.`;
  return new AuthorizationError("access_denied", why);
}

/** Whether somebody entered the password recently enough to set a factor up or choose a password (decision 0145). */
export function isFresh({ authSeconds }: Pick<Standing, "authSeconds">, { now }: Pick<SignInContext, "now">): boolean {
  return now / 1_000 - authSeconds <= PROOF_SECONDS;
}

function sessionFor(
  { request }: Asked,
  standing: Standing,
  opening: Opening | undefined,
  context: SignInContext,
): Started {
  const { session: current, methods } = standing;
  if (!current) {
    if (!opening) throw new Error("a session begins without the sessions of its user");
    return startSession(request.clientId, { ...standing, ...opening }, context);
  }
  const shown = current.session.methods?.length ?? 1;
  if (methods.length > shown) return strengthenSession(current, methods, context.now);
  return { current, steps: [], cookies: [] };
}
