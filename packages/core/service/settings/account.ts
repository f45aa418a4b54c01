/** The section `[account]` of deployment.toml. */
import * as z from "../../kernel/zod.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

const Account = table({ can_delete: z.boolean().default(false) });

/** What people may do with their accounts. */
export const accountSection = section(
  { account: Account.prefault({}) },
  ({ account }): { readonly canDeleteAccount: boolean } => ({ canDeleteAccount: account.can_delete }),
);
