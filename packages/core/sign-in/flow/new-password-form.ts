/** The form for a new password, for users who must choose one. */
import { passwordProblem } from "../../directory/credentials/password-rules.ts";
import { changeUser } from "../../directory/provisioning/users.ts";
import { mustChangePassword, withSystemAttributes } from "../../directory/users/model.ts";
import { Fault } from "../../kernel/faults.ts";
import { passwordForms } from "../../kernel/opaque-string.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { verifyPassword } from "../../kernel/password.ts";
import { revocationStore } from "../../tokens/revocation-store.ts";
import type { NewPasswordForm } from "../pages/factor-pages.ts";
import { askNewPassword } from "./ask-new-password.ts";
import { askPassword } from "./ask-password.ts";
import type { SignInContext } from "./context.ts";
import { fromNow, isFactorOpen, nextProof, type Standing } from "./factors.ts";
import { opened, type PageHeaders } from "./forms.ts";
import { provenForm, storesAs } from "./proven-form.ts";
import { pageMarksOf } from "./session.ts";
import { isFresh, proceed } from "./steps.ts";

/** What the form contains. */
export interface NewPasswordBody {
  readonly request: string;
  readonly password?: string | undefined;
  readonly repeated?: string | undefined;
  /** The button that was pressed: `later` keeps a password that breaks a rule. */
  readonly choice?: "later" | "other" | "cancel" | undefined;
}

/**
 * Sets the password, which ends all sessions and tokens of the user, and goes on. Throws `request.invalid` for a form
 * that does not count.
 */
export async function takeNewPassword(
  body: NewPasswordBody,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const form = opened("new-password", body.request, headers, context);
  const { asked, standing, facts, home: tenant } = await provenForm(form, headers, context);
  if (!standing || body.choice === "other") return askPassword(asked, context);
  const { account } = asked.request;
  const isAsked = mustChangePassword(standing.user) || account?.task === "password";
  // Another page set it first, or an administrator decided otherwise.
  const isLeft = standing.weakness === undefined || body.choice === "later";
  if (!isAsked && isLeft) return proceed(asked, { ...standing, weakness: undefined }, facts, [], context);
  if (isFactorOpen(standing.methods, facts.factors)) return proceed(asked, standing, facts, [], context);
  // A second factor that was set up meanwhile comes first.
  if (nextProof(asked, standing, facts.factors)) return proceed(asked, standing, facts, [], context);
  if (!isFresh(standing, context)) return askPassword(asked, context, { problem: "late" });
  const { password = "" } = body;
  const problem = await problemOf(body, standing, tenant, context);
  if (problem) return askNewPassword(asked, standing, context, problem);
  let { user } = standing;
  try {
    user = await changeUser(
      storesAs(standing, context),
      { tenant, now: context.now, sourceIp: context.sourceIp },
      user.id,
      {
        change: (before) => ({ ...withSystemAttributes(before, { forcePasswordReset: undefined }), password }),
      },
    );
  } catch (error) {
    // A directory has rules of its own.
    const isRefused = error instanceof Fault && error.row.status < 500 && error.fault !== "scim.not_found";
    const { elsewhere } = context.users;
    const why = elsewhere?.has(tenant, user.userStore) ? "passwordRefused" : "passwordFormer";
    if (isRefused) return askNewPassword(asked, standing, context, why);
    throw error;
  }
  const marks = pageMarksOf(user.id, asked.request.clientId);
  const fromMs = await revocationStore(context.table).validFrom(tenant, marks);
  const { home, methods } = standing;
  // Without the session, which has ended with the former password.
  const signedIn: Standing = { user, home, ...fromNow(fromMs, context.now), methods };
  const done = account && { request: { ...asked.request, account: { page: account.page, done: "password" as const } } };
  return proceed({ ...asked, ...done }, signedIn, facts, [], context);
}

async function problemOf(
  { password = "", repeated = "" }: NewPasswordBody,
  { user }: Standing,
  tenant: string,
  { credentials, tools }: SignInContext,
): Promise<NewPasswordForm["problem"]> {
  if (password === "") return "passwordMissing";
  if (password !== repeated) return "passwordsDiffer";
  const { userStore, userName: name } = user;
  const problem = passwordProblem(password, { tenant, userStore, name }, tools.passwords);
  if (problem) return problem;
  // A directory compares by itself, if it does.
  const credential = user.hasPassword ? await credentials.find(tenant, user.id) : undefined;
  const isSame = credential && !credential.isImported && (await isPassword(password, credential.passwordHash));
  return isSame ? "passwordSame" : undefined;
}

/** In any form in which it can be stored. */
async function isPassword(password: string, hash: string): Promise<boolean> {
  const results = await Promise.all(passwordForms(password).map((form) => verifyPassword(form, hash)));
  return results.includes(true);
}
