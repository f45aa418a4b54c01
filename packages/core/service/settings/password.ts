/** The section `[password]` of deployment.toml. */
import {
  defaultPasswordLimits,
  PASSWORD_HISTORY_MOST,
  PASSWORD_LENGTH_LEAST,
  PASSWORD_LENGTH_MOST,
  type PasswordLimits,
} from "../../directory/credentials/password-limits.ts";
import * as z from "../../kernel/zod.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

/** NIST SP 800-63B section 3.1.1.2: verifiers permit passwords of at least 64 characters. */
const LONGEST_LEAST = 64;

const Password = table({
  min_length: z.int().min(PASSWORD_LENGTH_LEAST).max(LONGEST_LEAST).default(defaultPasswordLimits.lengthMin),
  max_length: z.int().min(LONGEST_LEAST).max(PASSWORD_LENGTH_MOST).default(defaultPasswordLimits.lengthMax),
  history: z.int().min(0).max(PASSWORD_HISTORY_MOST).default(defaultPasswordLimits.history),
  failed_names: z.int().min(5).max(100).default(30),
});

/** The rules for new passwords, and how many names may fail at a source. */
export const passwordSection = section(
  { password: Password.prefault({}) },
  ({ password }): { readonly passwords: PasswordLimits; readonly sourceNames: { readonly ofTenantMax: number } } => ({
    passwords: { lengthMin: password.min_length, lengthMax: password.max_length, history: password.history },
    sourceNames: { ofTenantMax: password.failed_names },
  }),
);
