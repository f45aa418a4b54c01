/**
 * Creates the super tenant with its administrator, while a stage is deployed. It is invoked as a function, never
 * through the API; the API creates other tenants.
 */

import type { OpenTable } from "../../database/table/dynamo.ts";
import { newMeter } from "../../database/table/meter.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { PRIMARY, parseUsername } from "../../kernel/domain/username.ts";
import * as z from "../../kernel/zod.ts";
import type { PasswordLimits } from "../credentials/password-limits.ts";
import { checkPassword } from "../credentials/password-rules.ts";
import type { DeclaredIndexes } from "../users/declared-indexes.ts";
import { checkName, type UserNameRules } from "../users/rules.ts";
import { bootstrapTenant } from "./bootstrap.ts";
import { onceRightsAreKnown } from "./new-rights.ts";

/** Characters. The first administrator of a deployed stage has all privileges. */
const PASSWORD_LENGTH_MIN = 12;

const Request = z.strictObject({
  username: z.string().refine((name) => parseUsername(name)?.name === name, "must not name a tenant or a user store"),
  password: z.string().min(PASSWORD_LENGTH_MIN, `must have at least ${PASSWORD_LENGTH_MIN} characters`),
});

/** The result of the function. */
export interface BootstrapResult {
  /** False where nothing was changed: the tenant exists, or another user of it has the name. */
  readonly founded: boolean;
}

/**
 * Builds the function. `declared`: the indexes that users get. It throws an `Error` that says what is wrong and never
 * shows the password.
 */
export function newTenantBootstrapper(
  open: OpenTable,
  passwords: PasswordLimits,
  declared?: DeclaredIndexes,
  nameRules?: UserNameRules,
) {
  return async (event: unknown): Promise<BootstrapResult> => {
    const parsed = Request.safeParse(event);
    if (!parsed.success) {
      throw new Error(parsed.error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; "));
    }
    const { username, password } = parsed.data;
    checkName(username, nameRules);
    checkPassword(password, { tenant: SUPER_TENANT, userStore: PRIMARY, name: username }, passwords);
    const founded = await onceRightsAreKnown(() =>
      bootstrapTenant(open(newMeter()), SUPER_TENANT, parsed.data, declared),
    );
    return { founded: founded !== undefined };
  };
}
