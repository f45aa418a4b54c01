/**
 * Creates the super tenant with its administrator, while a stage is deployed. It is invoked as a function, never
 * through the API; the API creates other tenants.
 */

import { SUPER_TENANT } from "../domain/tenant.ts";
import { parseUsername } from "../domain/username.ts";
import { checkName, checkPassword } from "../identities/users/rules.ts";
import { elapsed, pause } from "../platform/clock.ts";
import * as z from "../platform/zod.ts";
import type { OpenTable } from "../table/dynamo.ts";
import { newMeter } from "../table/meter.ts";
import { bootstrapTenant } from "./bootstrap.ts";

/** Characters. The first administrator of a deployed stage has all privileges. */
const PASSWORD_LENGTH_MIN = 12;

const Request = z.strictObject({
  username: z.string().refine((name) => parseUsername(name)?.name === name, "must not name a tenant or a user store"),
  password: z.string().min(PASSWORD_LENGTH_MIN, `must have at least ${PASSWORD_LENGTH_MIN} characters`),
});

/** The result of the function. */
export interface BootstrapResult {
  /** False if the tenant existed: nothing was changed. */
  readonly founded: boolean;
}

/** How long IAM may take to apply the rights of a new role. */
const RIGHTS_KNOWN_MS = 20_000;
const BETWEEN_TRIES_MS = 1_000;

/** Builds the function. It throws an `Error` that says what is wrong and never shows the password. */
export function newTenantBootstrapper(open: OpenTable) {
  return async (event: unknown): Promise<BootstrapResult> => {
    const parsed = Request.safeParse(event);
    if (!parsed.success) {
      throw new Error(parsed.error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; "));
    }
    const { username, password } = parsed.data;
    checkName(username);
    checkPassword(password);
    const founded = await onceRightsAreKnown(() => bootstrapTenant(open(newMeter()), SUPER_TENANT, parsed.data));
    return { founded: founded !== undefined };
  };
}

/** Retries while access is denied: during the first deployment the role is as new as the function. */
async function onceRightsAreKnown<R>(attempt: () => Promise<R>): Promise<R> {
  const untilMs = elapsed() + RIGHTS_KNOWN_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isRefused = error instanceof Error && error.name === "AccessDeniedException";
      if (!isRefused || elapsed() + BETWEEN_TRIES_MS > untilMs) throw error;
      await pause(BETWEEN_TRIES_MS);
    }
  }
}
