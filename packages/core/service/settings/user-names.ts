/** The section `[user_name]` of deployment.toml. */
import { defaultNameRules, type UserNameRules } from "../../directory/users/rules.ts";
import * as z from "../../kernel/zod.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

const MIN_LENGTH_MAX = 50;

const UserName = table({
  min_length: z.int().min(1).max(MIN_LENGTH_MAX).default(defaultNameRules.minLength),
  blanks: z.boolean().default(defaultNameRules.blanks),
});

/** Which names new users may have. */
export const userNameSection = section(
  { user_name: UserName.prefault({}) },
  ({ user_name: given }): { readonly nameRules: UserNameRules } => ({
    nameRules: { minLength: given.min_length, blanks: given.blanks },
  }),
);
