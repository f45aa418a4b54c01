/** Asks a user to choose another password: it was only for the next sign-in, breaks a rule, or the user wishes so. */
import { mustChangePassword } from "../../directory/users/model.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { type NewPasswordForm, newPasswordPage } from "../pages/factor-pages.ts";
import { pathOf } from "../pages/paths.ts";
import { ACCOUNT_PATH } from "./account.ts";
import type { Asked } from "./asked.ts";
import type { SignInContext } from "./context.ts";
import type { Standing } from "./factors.ts";
import { optionsOf, sealed } from "./proven-page.ts";

/** Asks for another password. Says what to do where the user store takes none from here. */
export function askNewPassword(
  asked: Asked,
  standing: Standing,
  context: SignInContext,
  problem?: NewPasswordForm["problem"],
): PageResult {
  const isElsewhere = context.users.elsewhere?.isReadOnly(standing.home, standing.user.userStore) === true;
  const form = sealed("new-password", asked, standing, context);
  const { account: visit, tenant } = asked.request;
  const account = visit?.task === "password" ? pathOf(ACCOUNT_PATH, tenant) : undefined;
  const weakness = account !== undefined || mustChangePassword(standing.user) ? undefined : standing.weakness;
  return newPasswordPage(
    { ...form, isElsewhere, account, limits: context.tools.passwords, weakness, problem },
    optionsOf(asked),
  );
}
