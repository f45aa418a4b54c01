/** Which scopes a request needs. Pure. */
import { type Protection, PUBLIC } from "../../../kernel/operation/operation.ts";
import type { ReadyRule } from "./rules.ts";

/**
 * The scopes of the rule, if it names any; otherwise those of the operation. An operation that stays closed needs its
 * own besides those of a rule for the paths around it.
 */
export function neededScopes(declared: Protection | undefined, rule: ReadyRule | undefined): readonly string[] {
  const own = declared === undefined || declared.scope === PUBLIC ? [] : ownScopes(declared);
  if (!rule?.scopes) return own;
  return declared?.staysClosed && rule.isAround ? [...new Set([...rule.scopes, ...own])] : rule.scopes;
}

function ownScopes({ scope, furtherScopes = [] }: Protection): readonly string[] {
  return [scope, ...furtherScopes];
}
