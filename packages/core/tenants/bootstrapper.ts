/**
 * Founds the first tenant of a stage, with its administrator, while the stage is deployed. It is called as a function, never
 * through the API; other tenants are made through the API.
 */
import * as z from "zod";
import { SUPER_TENANT } from "../domain/tenant.ts";
import { parseUsername } from "../domain/username.ts";
import { checkName, checkPassword } from "../identities/users/rules.ts";
import { elapsed, pause } from "../platform/clock.ts";
import type { OpenTable } from "../table/dynamo.ts";
import { newMeter } from "../table/meter.ts";
import { foundTenant } from "./bootstrap.ts";

/** Characters of the password of a deployed stage's first administrator, who may do everything. */
const PASSWORD_LENGTH_MIN = 12;

const Request = z.strictObject({
  username: z.string().refine((name) => parseUsername(name)?.name === name, "it names another tenant or user store"),
  password: z.string().min(PASSWORD_LENGTH_MIN, `at least ${PASSWORD_LENGTH_MIN} characters are needed`),
});

/** What came of it. */
export interface Founded {
  /** False where the tenant was there already: nothing was changed. */
  readonly founded: boolean;
}

/** How long the rights of a role that was made a moment ago may take to be known everywhere. */
const RIGHTS_KNOWN_MS = 20_000;
const BETWEEN_TRIES_MS = 1_000;

/** Makes the function. It throws an `Error` (of a name or a password, `request.invalid`) that says what is wrong and never shows the password. */
export function newFounder(open: OpenTable) {
  return async (event: unknown): Promise<Founded> => {
    const parsed = Request.safeParse(event);
    if (!parsed.success) {
      throw new Error(parsed.error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; "));
    }
    const { username, password } = parsed.data;
    checkName(username);
    checkPassword(password);
    const founded = await onceRightsAreKnown(() => foundTenant(open(newMeter()), SUPER_TENANT, parsed.data));
    return { founded: founded !== undefined };
  };
}

/** Repeats what is refused for want of rights: while a stage is made, the role is as young as the function. */
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
