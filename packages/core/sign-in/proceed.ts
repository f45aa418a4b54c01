/**
 * From a right password, or a session, to what the request needs further: a second factor, setting one up, a new
 * password; then the session and the consent. What was proven so far is in the form of the next page: a session starts
 * when nothing is missing.
 */
import type { SecondFactor } from "../applications/registry/sequence-model.ts";
import type { Factors } from "../identities/credentials/factor-store.ts";
import { mustChangePassword, qualifiedName } from "../identities/users/model.ts";
import type { PageResult } from "../operation/operation.ts";
import { later } from "../platform/later.ts";
import type { Step } from "../table/table.ts";
import { askPasskey, askPasskeySetup } from "./ask-passkey.ts";
import type { SignInContext } from "./context.ts";
import { type CodesSetup, lackingFactors, mayAddPasskey, nextFactor, type Standing } from "./factors.ts";
import { type Asked, finish, type Known } from "./flow.ts";
import { type CodeForm, codePage, type NewPasswordForm, newPasswordPage, setupPage } from "./pages/factor-pages.ts";
import { optionsOf, sealed } from "./proven-page.ts";
import { type Opening, type Started, startSession, strengthenSession } from "./session.ts";

const [secretForApps, newSecret] = later(() => import("./totp.ts"), "secretForApps", "newSecret");

/** The pages of each second factor: to use one, and to set one up. */
const pagesOf = {
  code: { use: askCode, setUp: askSetup },
  passkey: { use: askPasskey, setUp: askPasskeySetup },
} as const;

/** What is known of the user of a request. */
export interface UserFacts extends Omit<Known, "current"> {
  /** The second factors; read where one may be needed: for every request that a session alone does not answer. */
  readonly factors: Factors;
  /** For a session that begins; absent where there is one. */
  readonly opening?: Opening;
}

/**
 * Asks for what is missing, or starts the session and finishes. `steps` store what has happened so far. `wish`: the
 * factor that the person prefers to others that would do.
 */
export async function proceed(
  asked: Asked,
  standing: Standing,
  { factors, opening, ...known }: UserFacts,
  steps: readonly Step[],
  context: SignInContext,
  wish?: SecondFactor,
): Promise<PageResult> {
  const next = nextFactor(asked, standing, factors, wish);
  if (next || mustChangePassword(standing.user)) {
    if (steps.length > 0) await context.table.write(...steps);
    if (!next) return askNewPassword(asked, standing, context);
    const { use, setUp } = pagesOf[next.factor];
    return (next.isNew ? setUp : use)(asked, standing, factors, context);
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
  factors: Factors,
  context: SignInContext,
  problem?: CodeForm["problem"],
): PageResult {
  const others = nextFactor(asked, standing, factors, "code")?.others ?? [];
  const form = sealed("code", asked, standing, context);
  // Where the application does not take a code, it is asked for only because a passkey is created next.
  const options = lackingFactors(asked, standing.methods) ?? [];
  const mayAdd = options.includes("code") && options.includes("passkey");
  return codePage(
    {
      ...form,
      problem,
      hasPasskey: others.includes("passkey"),
      mayAddPasskey: mayAdd && mayAddPasskey(factors.passkeys),
    },
    optionsOf(asked),
  );
}

/** Asks to take a secret over into an app: a new one, or the one that `setup` says. */
export async function askSetup(
  asked: Asked,
  standing: Standing,
  factors: Factors,
  context: SignInContext,
  { secret, replaces, problem }: Partial<CodesSetup> & Pick<CodeForm, "problem"> = {},
): Promise<PageResult> {
  const setup: CodesSetup = { secret: secret ?? (await newSecret()), ...(replaces !== undefined && { replaces }) };
  // The codes are those of the account, for all applications.
  const { home } = standing;
  const issuer = context.tools.settings.brandOf(home).name ?? home;
  const forApps = await secretForApps(setup.secret, { issuer, account: qualifiedName(standing.user) });
  const form = sealed("setup", asked, standing, context, { setup });
  const next = nextFactor(asked, standing, factors, "code");
  const mayUsePasskey = next?.isNew === true && next.others.includes("passkey");
  return setupPage({ ...form, ...forApps, secret: setup.secret, problem, mayUsePasskey }, optionsOf(asked));
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
