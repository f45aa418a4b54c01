/**
 * From a right password, or a session, to what the request needs further: a one-time code, setting codes up, a new
 * password; then the session and the consent. What was proven so far is in the form of the next page: a session starts
 * when nothing is missing.
 */
import type { TotpFactor } from "../identities/credentials/totp-store.ts";
import { mustChangePassword, qualifiedName } from "../identities/users/model.ts";
import { inTenant } from "../openid/user-claims.ts";
import type { PageResult } from "../operation/operation.ts";
import { later } from "../platform/later.ts";
import type { Step } from "../table/table.ts";
import { formTargetOf } from "./answers.ts";
import type { SignInContext } from "./context.ts";
import { type CodesSetup, needsCode, type ProvenRequest, provenBy, type Standing } from "./factors.ts";
import { type Asked, finish, type Known } from "./flow.ts";
import { pathOf } from "./forms.ts";
import { type CodeForm, codePage, type NewPasswordForm, newPasswordPage, setupPage } from "./pages/factor-pages.ts";
import { sealPending } from "./pending.ts";
import { type Opening, type Started, startSession, strengthenSession } from "./session.ts";

const [secretForApps, newSecret] = later(() => import("./totp.ts"), "secretForApps", "newSecret");

/** What is known of the user of a request. */
export interface UserFacts extends Omit<Known, "current"> {
  /** The second factor; read where one may be needed (`mayNeedCode`). */
  readonly totp: TotpFactor | undefined;
  /** For a session that begins; absent where there is one. */
  readonly opening?: Opening;
}

/** Whether the second factor of a user must be known before `proceed`. */
export function mayNeedCode(asked: Pick<Asked, "application" | "request">, user: Standing["user"]): boolean {
  return needsCode(asked) || mustChangePassword(user);
}

/** Asks for what is missing, or starts the session and finishes. `steps` store what has happened so far. */
export async function proceed(
  asked: Asked,
  standing: Standing,
  { totp, opening, ...known }: UserFacts,
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  const mustChange = mustChangePassword(standing.user);
  // Who has a second factor proves it before another password can be chosen, whatever the application asks for.
  const isCodeNeeded = needsCode(asked) || (mustChange && totp !== undefined);
  const lacksCode = isCodeNeeded && !standing.methods.includes("otp");
  if (lacksCode || mustChange) {
    if (steps.length > 0) await context.table.write(...steps);
    if (!lacksCode) return askNewPassword(asked, standing, context);
    return totp ? askCode(asked, standing, context) : askSetup(asked, standing, context);
  }
  const { current, steps: ofSession, cookies } = sessionFor(asked, standing, opening, context);
  const signedIn = { ...asked, cookies: [...asked.cookies, ...cookies] };
  return finish(signedIn, { ...known, current }, [...steps, ...ofSession], context);
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

/** Asks for a one-time code, or a recovery code. */
export function askCode(
  asked: Asked,
  standing: Standing,
  context: SignInContext,
  problem?: CodeForm["problem"],
): PageResult {
  return codePage({ ...sealed("code", asked, standing, context), problem }, optionsOf(asked));
}

/** Asks to take a secret over into an app: a new one, or the one that `setup` says. */
export async function askSetup(
  asked: Asked,
  standing: Standing,
  context: SignInContext,
  { secret, replaces, problem }: Partial<CodesSetup> & Pick<CodeForm, "problem"> = {},
): Promise<PageResult> {
  const setup: CodesSetup = { secret: secret ?? (await newSecret()), ...(replaces !== undefined && { replaces }) };
  // The codes are those of the account, for all applications.
  const { home } = standing;
  const issuer = context.tools.settings.brandOf(home).name ?? home;
  const forApps = await secretForApps(setup.secret, { issuer, account: qualifiedName(standing.user) });
  const form = sealed("setup", asked, standing, context, setup);
  return setupPage({ ...form, ...forApps, secret: setup.secret, problem }, optionsOf(asked));
}

/** Asks for another password. Says what to do where the user store takes none from here. */
export function askNewPassword(
  asked: Asked,
  standing: Standing,
  context: SignInContext,
  problem?: NewPasswordForm["problem"],
): PageResult {
  const isElsewhere = context.users.elsewhere?.isReadOnly(standing.home, standing.user.userStore) === true;
  const form = sealed("new-password", asked, standing, context);
  return newPasswordPage({ ...form, isElsewhere, problem }, optionsOf(asked));
}

const paths = {
  code: "/oauth2/code",
  setup: "/oauth2/code-setup",
  saved: "/oauth2/codes-saved",
  "new-password": "/oauth2/new-password",
} as const;

/** What the page of a stage needs, with its sealed form. */
export function sealed(
  stage: keyof typeof paths,
  asked: Asked,
  standing: Standing,
  { tools: { seal, settings }, now: nowMs }: SignInContext,
  setup?: CodesSetup,
) {
  const { request: wanted, application, language, browser } = asked;
  const { tenant } = wanted;
  const request: ProvenRequest = { tenant, asked: wanted, proven: provenBy(standing, tenant), ...(setup && { setup }) };
  return {
    language,
    brand: settings.brandOf(tenant),
    application: application.name,
    userName: inTenant(qualifiedName(standing.user), { tenant: standing.home, isGuest: standing.home !== tenant }),
    action: pathOf(paths[stage], tenant),
    request: sealPending(seal, stage, { request, browser, session: standing.session?.reference.digest, nowMs }),
  };
}

/** How a page on the way to the application is answered. */
export function optionsOf({ cookies, request }: Asked) {
  return { cookies, formTarget: formTargetOf(request.to.redirectUri) };
}
