/** The forms of one-time codes: entering one, setting them up, and going on from the recovery codes. */

import type { Way } from "../../applications/registry/sequence-model.ts";
import type { Factors } from "../../directory/credentials/factor-store.ts";
import { settingUpTotp, type TotpFactor, totpOwner, usingTotp } from "../../directory/credentials/totp-store.ts";
import { newId } from "../../kernel/ids.ts";
import { later } from "../../kernel/later.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { codeLock } from "../authentication/factor-lock-store.ts";
import { recoveryCodesPage } from "../pages/factor-pages.ts";
import { askCode, askSetup } from "./ask-code.ts";
import { askPasskeySetup } from "./ask-passkey.ts";
import { askPassword } from "./ask-password.ts";
import type { Asked } from "./asked.ts";
import type { SignInContext } from "./context.ts";
import { mayAddPasskey, maySetUp, proving, type Standing, wayOf, without } from "./factors.ts";
import { opened, type PageHeaders } from "./forms.ts";
import { provenForm } from "./proven-form.ts";
import { optionsOf, sealed } from "./proven-page.ts";
import {
  factorsChanged,
  goOnNow,
  goOnProven,
  logRefusalOf,
  type NextSetup,
  provingForm,
  setUpFactor,
} from "./second-factor.ts";
import { isFresh, proceed } from "./steps.ts";

const { newRecoveryCodes, stepOf, withoutRecoveryCode } = later(
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
  readonly choice?: "replace" | "add-passkey" | Way | "other" | "cancel" | undefined;
}

/** What the form that sets codes up contains. */
export interface SetupBody extends Pick<CodeBody, "request" | "code"> {
  readonly choice?: "passkey" | "other" | "cancel" | undefined;
}

/** What the log says of codes that do not count. */
const reasons = { codeWrong: "one-time code", codeLocked: "one-time codes locked" } as const;

/**
 * Takes a one-time code or a recovery code. Each counts once. Throws `request.invalid` for a form that does not count.
 */
export async function takeCode(body: CodeBody, headers: PageHeaders, context: SignInContext): Promise<PageResult> {
  const form = opened("code", body.request, headers, context);
  const { asked, standing, facts, home, lock, admits } = await provingForm(form, codeLock, headers, context);
  if (!standing || body.choice === "other") return askPassword(asked, context);
  const { factors } = facts;
  const { totp } = factors;
  // An administrator has taken the codes away meanwhile.
  if (!totp) return proceed(asked, standing, facts, [], context);
  const way = wayOf(body.choice);
  if (way) return proceed(asked, standing, facts, [], context, way);
  if (!body.code && !body.recovery) return askCode(asked, standing, factors, context, "codeMissing");
  const refuse = (problem: keyof typeof reasons) => {
    logRefusalOf(reasons[problem], "enterCode", standing, context);
    return askCode(asked, standing, factors, context, problem);
  };
  if (!(await admits(totp.version))) return refuse("codeLocked");
  const { id: userId } = standing.user;
  const after = await usedFactor(body, totp, totpOwner(home, userId), context);
  if (!after) return refuse("codeWrong");
  const now = { ...facts, factors: { ...factors, totp: after } };
  const storing = usingTotp(home, userId, { before: totp, after }, factorsChanged);
  const choice = body.choice ?? (asked.request.account?.task === "app" ? "replace" : undefined);
  const proof = { storing, lock, nextSetup: nextSetupOf(choice, now.factors) };
  const page = await goOnProven(asked, proving(standing, "code"), now, proof, context);
  // Another request used the same code.
  return page ?? refuse("codeWrong");
}

/** What the person wants to set up after a code: another app, or a passkey. */
function nextSetupOf(choice: CodeBody["choice"], { totp, passkeys }: Factors): NextSetup | undefined {
  if (choice === "replace") return (...given) => askSetup(...given, { replaces: totp?.version });
  return choice === "add-passkey" && mayAddPasskey(passkeys) ? askPasskeySetup : undefined;
}

/** The factor after the use of a code; `undefined` where the code is not right. */
async function usedFactor(
  { code, recovery }: CodeBody,
  totp: TotpFactor,
  owner: string,
  { tools: { factorSeal }, now }: SignInContext,
): Promise<TotpFactor | undefined> {
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
  if (!standing || body.choice === "other") return askPassword(asked, context);
  const { factors } = facts;
  const { totp } = factors;
  // Set up, replaced or taken away meanwhile: the form does not know the factors that count now.
  if (totp?.version !== replaces || !maySetUp(standing, factors)) {
    return proceed(asked, without(standing, "code"), facts, [], context);
  }
  if (body.choice === "passkey") return proceed(asked, standing, facts, [], context, "passkey");
  if (!isFresh(standing, context)) return askPassword(asked, context, { problem: "late" });
  const usedStep = await stepOf(body.code ?? "", secret, -1, context.now);
  if (usedStep === undefined) {
    const problem = body.code ? "setupWrong" : "codeMissing";
    return askSetup(asked, standing, factors, context, { secret, replaces, problem });
  }
  const { codes, digests } = await newRecoveryCodes();
  const { id } = standing.user;
  const after: TotpFactor = {
    sealedSecret: context.tools.factorSeal.seal(secret, totpOwner(home, id)),
    version: newId(),
    usedStep,
    recoveryDigests: digests,
  };
  const storing = settingUpTotp(home, id, { before: totp, after }, factorsChanged);
  if (await setUpFactor(standing, { kind: "codes", storing }, context)) {
    return showRecoveryCodes(asked, proving(standing, "code"), codes, context);
  }
  return goOnNow(form, headers, context, (again) => without(again, "code"));
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
  // Codes that were taken away meanwhile prove nothing.
  return goOnNow(opened("saved", text, headers, context), headers, context, (standing, { totp }) =>
    totp ? standing : without(standing, "code"),
  );
}
