/** The forms of one-time codes: entering one, setting them up, and going on from the recovery codes. */
import { codeLock } from "../auth/factor-lock-store.ts";
import { PASSKEYS_MAX } from "../identities/credentials/passkey-store.ts";
import { settingUpTotp, type TotpFactor, totpOwner, usingTotp } from "../identities/credentials/totp-store.ts";
import { changeUser } from "../identities/provisioning/users.ts";
import type { PageResult } from "../operation/operation.ts";
import { newId } from "../platform/ids.ts";
import { later } from "../platform/later.ts";
import { homeOf } from "../tokens/model.ts";
import { askPasskeySetup } from "./ask-passkey.ts";
import type { SignInContext } from "./context.ts";
import { maySetUp, proving, type Standing, without } from "./factors.ts";
import { type Asked, askPassword } from "./flow.ts";
import { opened, type PageHeaders } from "./forms.ts";
import { recoveryCodesPage } from "./pages/factor-pages.ts";
import { askCode, askSetup, proceed, type UserFacts } from "./proceed.ts";
import { FactorsChanged, factorsAreAsRead, provenForm, stores } from "./proven-form.ts";
import { optionsOf, sealed } from "./proven-page.ts";

const [newRecoveryCodes, stepOf, withoutRecoveryCode] = later(
  () => import("./totp.ts"),
  "newRecoveryCodes",
  "stepOf",
  "withoutRecoveryCode",
);

/** What the form for a code contains. */
export interface CodeBody {
  readonly request: string;
  readonly code?: string | undefined;
  readonly recovery?: string | undefined;
  /** The button that was pressed. */
  readonly choice?: "replace" | "add-passkey" | "passkey" | "other" | undefined;
}

/** What the form that sets codes up contains. */
export interface SetupBody extends Pick<CodeBody, "request" | "code"> {
  readonly choice?: "passkey" | undefined;
}

/**
 * Takes a one-time code or a recovery code. Each counts once. Throws `request.invalid` for a form that does not count.
 */
export async function takeCode(body: CodeBody, headers: PageHeaders, context: SignInContext): Promise<PageResult> {
  const form = opened("code", body.request, headers, context);
  const { tenant, proven } = form.pending.request;
  const home = homeOf(proven.user, tenant);
  const lock = codeLock(context.table, home, proven.user.id);
  const [{ asked, standing, facts }, attempts] = await Promise.all([
    provenForm(form, headers, context),
    lock.find(context.now),
  ]);
  if (!standing || body.choice === "other") return askPassword(asked, context);
  const { factors } = facts;
  const { totp } = factors;
  // An administrator has taken the codes away meanwhile.
  if (!totp) return proceed(asked, standing, facts, [], context);
  if (body.choice === "passkey") return proceed(asked, standing, facts, [], context, "passkey");
  if (!body.code && !body.recovery) return askCode(asked, standing, factors, context, "codeMissing");
  const refuse = (problem: "codeWrong" | "codeLocked") => {
    const { traceId, sourceIp, tools } = context;
    const { userName: name, userStore } = standing.user;
    const reason = problem === "codeLocked" ? "one-time codes locked" : "one-time code";
    tools.refusals({ traceId, sourceIp, operation: "enterCode" })({ tenant: home, userStore, name }, reason);
    return askCode(asked, standing, factors, context, problem);
  };
  if (!(await lock.admits(attempts, totp.version, context.now))) return refuse("codeLocked");
  const after = await usedFactor(body, totp, { tenant: home, userId: standing.user.id }, context);
  if (!after) return refuse("codeWrong");
  const using = usingTotp(home, standing.user.id, { before: totp, after }, () => new FactorsChanged());
  const now = { ...facts, factors: { ...factors, totp: after } };
  try {
    const [page] = await Promise.all([
      goOn(body.choice, asked, proving(standing, "code"), now, using, context),
      lock.takeBack(),
    ]);
    return page;
  } catch (error) {
    // Another request used the same code.
    if (error instanceof FactorsChanged) return refuse("codeWrong");
    throw error;
  }
}

/** Goes on after a code: to another app, to a passkey, or to the application. */
async function goOn(
  choice: CodeBody["choice"],
  asked: Asked,
  standing: Standing,
  facts: UserFacts,
  using: ReturnType<typeof usingTotp>,
  context: SignInContext,
): Promise<PageResult> {
  const { factors } = facts;
  const isReplaced = choice === "replace";
  const addsPasskey = choice === "add-passkey" && (factors.passkeys?.keys.length ?? 0) < PASSKEYS_MAX;
  if (!isReplaced && !addsPasskey) return proceed(asked, standing, facts, [using], context);
  await context.table.write(using);
  if (addsPasskey) return askPasskeySetup(asked, standing, factors, context);
  return askSetup(asked, standing, factors, context, { replaces: factors.totp?.version });
}

/** The factor after the use of a code; `undefined` where the code is not right. */
async function usedFactor(
  { code, recovery }: CodeBody,
  totp: TotpFactor,
  { tenant, userId }: { readonly tenant: string; readonly userId: string },
  { tools: { factorSeal }, now }: SignInContext,
): Promise<TotpFactor | undefined> {
  const owner = totpOwner(tenant, userId);
  const secret = factorSeal.open(totp.sealedSecret, owner);
  // Sealed again with each use, so that a former key falls out of use.
  const sealedSecret = factorSeal.seal(secret, owner);
  if (recovery) {
    const left = await withoutRecoveryCode(recovery, totp.recoveryDigests);
    return left && { ...totp, sealedSecret, recoveryDigests: left };
  }
  const usedStep = await stepOf(code ?? "", secret, totp.usedStep, now);
  return usedStep === undefined ? undefined : { ...totp, sealedSecret, usedStep };
}

/**
 * Takes the code that proves that an app has the new secret, and stores the secret. A secret that is there is only
 * replaced by somebody who has proven it. Throws `request.invalid` for a form that does not count.
 */
export async function takeSetup(body: SetupBody, headers: PageHeaders, context: SignInContext): Promise<PageResult> {
  const form = opened("setup", body.request, headers, context);
  const { setup } = form.pending.request;
  if (!setup) throw new Error("a form that sets codes up has no secret");
  const { secret, replaces } = setup;
  const { asked, standing, facts, home } = await provenForm(form, headers, context);
  if (!standing) return askPassword(asked, context);
  const { factors } = facts;
  const { totp } = factors;
  // Set up, replaced or taken away meanwhile: the form does not know the factors that count now.
  if (totp?.version !== replaces || !maySetUp(standing, factors)) {
    return proceed(asked, without(standing, "code"), facts, [], context);
  }
  if (body.choice === "passkey") return proceed(asked, standing, facts, [], context, "passkey");
  const usedStep = await stepOf(body.code ?? "", secret, -1, context.now);
  if (usedStep === undefined) {
    const problem = body.code ? "setupWrong" : "codeMissing";
    return askSetup(asked, standing, factors, context, { secret, replaces, problem });
  }
  const { codes, digests } = await newRecoveryCodes();
  const { user } = standing;
  const factor: TotpFactor = {
    sealedSecret: context.tools.factorSeal.seal(secret, totpOwner(home, user.id)),
    version: newId(),
    usedStep,
    recoveryDigests: digests,
  };
  try {
    await changeUser(stores(standing, context), { tenant: home, now: context.now }, user.id, {
      check: factorsAreAsRead(standing),
      change: (before) => before,
      factor: {
        kind: "codes",
        storing: settingUpTotp(home, user.id, factor, totp, () => new FactorsChanged()),
      },
    });
  } catch (error) {
    if (!(error instanceof FactorsChanged)) throw error;
    // Another page set a factor up first.
    const again = await provenForm(form, headers, context);
    if (!again.standing) return askPassword(asked, context);
    return proceed(again.asked, without(again.standing, "code"), again.facts, [], context);
  }
  return showRecoveryCodes(asked, proving(standing, "code"), codes, context);
}

function showRecoveryCodes(
  asked: Asked,
  standing: Standing,
  codes: readonly string[],
  context: SignInContext,
): PageResult {
  return recoveryCodesPage({ ...sealed("saved", asked, standing, context), codes }, optionsOf(asked));
}

/** Goes on from the recovery codes. Throws `request.invalid` for a form that does not count. */
export async function takeSaved(text: string, headers: PageHeaders, context: SignInContext): Promise<PageResult> {
  const { asked, standing, facts } = await provenForm(opened("saved", text, headers, context), headers, context);
  if (!standing) return askPassword(asked, context);
  // Taken away meanwhile: then they prove nothing.
  const counting = facts.factors.totp ? standing : without(standing, "code");
  return proceed(asked, counting, facts, [], context);
}
