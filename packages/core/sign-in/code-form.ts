/** The forms of one-time codes: entering one, setting them up, and going on from the recovery codes. */
import { codeLock } from "../auth/code-lock-store.ts";
import {
  findTotp,
  settingUpTotp,
  type TotpFactor,
  totpOwner,
  usingTotp,
} from "../identities/credentials/totp-store.ts";
import { changeUser } from "../identities/provisioning/users.ts";
import type { PageResult } from "../operation/operation.ts";
import { newId } from "../platform/ids.ts";
import { later } from "../platform/later.ts";
import { findConsent } from "../sessions/consent-store.ts";
import { readOwnSession, sessionsOf } from "../sessions/session-store.ts";
import { homeOf } from "../tokens/model.ts";
import { tenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { type Standing, standingOf } from "./factors.ts";
import { type Asked, askPassword, takenRequest } from "./flow.ts";
import { type OpenedForm, opened, type PageHeaders } from "./forms.ts";
import { recoveryCodesPage } from "./pages/factor-pages.ts";
import { askCode, askSetup, optionsOf, proceed, sealed, type UserFacts } from "./proceed.ts";
import { referenceIn } from "./session.ts";

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
  readonly choice?: "replace" | "other" | undefined;
}

/** What the form that sets codes up contains. */
export type SetupBody = Pick<CodeBody, "request" | "code">;

type ProvenStage = "code" | "setup" | "saved" | "new-password";

/** The request of a form with everything that the next page needs. One round trip. */
export async function provenForm(form: OpenedForm<ProvenStage>, headers: PageHeaders, context: SignInContext) {
  const { request } = form.pending;
  const { tenant, asked: wanted, proven } = request;
  const { table } = context;
  const { id } = proven.user;
  const home = homeOf(proven.user, tenant);
  const sessionIn = async (of: string) => {
    const reference = referenceIn(context, of);
    return reference && readOwnSession(table, reference);
  };
  const [asked, known, totp, ofTenant, consent, sessions, former, replaced] = await Promise.all([
    takenRequest(wanted, form, context),
    standingOf(request, form.pending.session, context),
    findTotp(table, home, id),
    tenantFacts(tenant, wanted.scopes, context),
    findConsent(table, home, id, wanted.applicationId),
    sessionsOf(table, home, id),
    sessionIn(home),
    home === tenant ? undefined : sessionIn(tenant),
  ]);
  const opening = { sessions, former, replaced, userAgent: headers["user-agent"] };
  const facts: UserFacts = { totp, facts: ofTenant, consent, opening };
  const standing = home === tenant || asked.client.settings.takesGuests ? known : undefined;
  return { asked, standing, facts, home };
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
  const { totp } = facts;
  // An administrator has taken the codes away meanwhile.
  if (!totp) return proceed(asked, standing, facts, [], context);
  if (!body.code && !body.recovery) return askCode(asked, standing, context, "codeMissing");
  const refuse = (problem: "codeWrong" | "codeLocked") => {
    const { traceId, sourceIp, tools } = context;
    const { userName: name, userStore } = standing.user;
    const reason = problem === "codeLocked" ? "one-time codes locked" : "one-time code";
    tools.refusals({ traceId, sourceIp, operation: "enterCode" })({ tenant: home, userStore, name }, reason);
    return askCode(asked, standing, context, problem);
  };
  if (!(await lock.admits(attempts, totp.version, context.now))) return refuse("codeLocked");
  const after = await usedFactor(body, totp, { tenant: home, userId: standing.user.id }, context);
  if (!after) return refuse("codeWrong");
  const isReplaced = body.choice === "replace";
  const using = usingTotp(home, standing.user.id, { before: totp, after }, () => new CodeUsed());
  const proving: Standing = { ...standing, methods: ["pwd", "otp"] };
  try {
    const [page] = await Promise.all([
      isReplaced
        ? context.table.write(using).then(() => askSetup(asked, proving, context, { replaces: totp.version }))
        : proceed(asked, proving, { ...facts, totp: after }, [using], context),
      lock.takeBack(),
    ]);
    return page;
  } catch (error) {
    // Another request used the same code.
    if (error instanceof CodeUsed) return refuse("codeWrong");
    throw error;
  }
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
  const { totp } = facts;
  // Set up, replaced or taken away meanwhile: the form does not know the codes that count now.
  if (totp?.version !== replaces) {
    return proceed(asked, { ...standing, methods: ["pwd"] }, facts, [], context);
  }
  const usedStep = await stepOf(body.code ?? "", secret, -1, context.now);
  if (usedStep === undefined) {
    const problem = body.code ? "setupWrong" : "codeMissing";
    return askSetup(asked, standing, context, { secret, replaces, problem });
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
      change: (before) => before,
      codes: settingUpTotp(home, user.id, factor, totp, () => new CodeUsed()),
    });
  } catch (error) {
    if (!(error instanceof CodeUsed)) throw error;
    // Another page set codes up first.
    return proceed(asked, { ...standing, methods: ["pwd"] }, { ...facts, totp: factor }, [], context);
  }
  return showRecoveryCodes(asked, { ...standing, methods: ["pwd", "otp"] }, codes, context);
}

/** The stores that change a user, with records that name that user. */
export function stores({ user, home: tenant }: Standing, context: SignInContext) {
  const { id: subject, userName: username, userStore } = user;
  return context.identitiesAs({ kind: "user", tenant, subject, username, userStore });
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
  // Taken away meanwhile: then nothing but the password is proven.
  const counting: Standing = facts.totp ? standing : { ...standing, methods: ["pwd"] };
  return proceed(asked, counting, facts, [], context);
}

/** The code was used, or the factor replaced, since it was read. */
class CodeUsed extends Error {}
