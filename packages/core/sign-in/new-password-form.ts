/** The form for a new password, for users who must choose one. */
import { changeUser } from "../identities/provisioning/users.ts";
import { mustChangePassword, withSystemAttributes } from "../identities/users/model.ts";
import { checkPassword } from "../identities/users/rules.ts";
import type { PageResult } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";
import { verifyPassword } from "../platform/password.ts";
import { revocationStore } from "../tokens/revocation-store.ts";
import type { SignInContext } from "./context.ts";
import { fromNow, nextFactor, type Standing } from "./factors.ts";
import { askPassword } from "./flow.ts";
import { opened, type PageHeaders } from "./forms.ts";
import type { NewPasswordForm } from "./pages/factor-pages.ts";
import { askNewPassword, proceed } from "./proceed.ts";
import { provenForm, storesAs } from "./proven-form.ts";
import { marksOf } from "./session.ts";

/** What the form contains. */
export interface NewPasswordBody {
  readonly request: string;
  readonly password?: string | undefined;
  readonly repeated?: string | undefined;
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
  if (!standing) return askPassword(asked, context);
  // Another page set it first, or an administrator decided otherwise.
  if (!mustChangePassword(standing.user)) return proceed(asked, standing, facts, [], context);
  // A second factor that was set up meanwhile comes first.
  if (nextFactor(asked, standing, facts.factors)) return proceed(asked, standing, facts, [], context);
  const { password = "" } = body;
  const problem = await problemOf(body, standing, tenant, context);
  if (problem) return askNewPassword(asked, standing, context, problem);
  let { user } = standing;
  try {
    user = await changeUser(storesAs(standing, context), { tenant, now: context.now }, user.id, {
      change: (before) => ({ ...withSystemAttributes(before, { forcePasswordReset: undefined }), password }),
    });
  } catch (error) {
    // A directory has rules of its own.
    const isRefused = error instanceof Fault && error.row.status < 500 && error.fault !== "scim.not_found";
    if (isRefused) return askNewPassword(asked, standing, context, "passwordRefused");
    throw error;
  }
  const marks = marksOf(user.id, asked.request.clientId);
  const fromMs = await revocationStore(context.table).validFrom(tenant, marks);
  const { home, methods } = standing;
  // Without the session, which has ended with the former password.
  const signedIn: Standing = { user, home, ...fromNow(fromMs, context.now), methods };
  return proceed(asked, signedIn, facts, [], context);
}

async function problemOf(
  { password = "", repeated = "" }: NewPasswordBody,
  { user }: Standing,
  tenant: string,
  { credentials }: SignInContext,
): Promise<NewPasswordForm["problem"]> {
  if (password === "") return "passwordMissing";
  if (password !== repeated) return "passwordsDiffer";
  try {
    checkPassword(password);
  } catch (error) {
    if (error instanceof Fault) return "passwordRules";
    throw error;
  }
  // A directory compares by itself, if it does.
  const credential = user.hasPassword ? await credentials.find(tenant, user.id) : undefined;
  const isSame = credential && !credential.isImported && (await verifyPassword(password, credential.passwordHash));
  return isSame ? "passwordSame" : undefined;
}
