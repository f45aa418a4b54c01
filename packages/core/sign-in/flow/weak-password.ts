/** Which rule for new passwords one breaks that exists: it stays valid, and its user is told (decision 0185). */

import { type PasswordProblem, passwordProblem } from "../../directory/credentials/password-rules.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { PRIMARY } from "../../kernel/domain/username.ts";
import type { SignInContext } from "./context.ts";
import type { Person } from "./hints.ts";

/**
 * The rule that the password of a user breaks. A directory has rules of its own; and the administrator of `npm start`
 * has the password that the environment says, with each start.
 */
export async function weaknessOf(
  password: string,
  { user, home: tenant }: Person,
  { users, tools }: Pick<SignInContext, "users" | "tools">,
): Promise<PasswordProblem | undefined> {
  const { userStore, userName: name } = user;
  if (users.elsewhere?.has(tenant, userStore)) return undefined;
  if (tenant === SUPER_TENANT && userStore === PRIMARY && name === tools.localAdministrator) return undefined;
  return passwordProblem(password, { tenant, userStore, name }, tools.passwords);
}
