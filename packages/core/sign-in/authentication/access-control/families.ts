/**
 * Finds ways around access rules: an operation that does the same as another one, which a rule protects more strictly
 * (decision 0144). Pure.
 *
 * A rule is stricter than an operation is declared where it allows some kinds of credentials only, or requires a scope
 * that is for something else. Each other operation that does the same, or gives the same besides, must then allow no
 * more kinds, and require these scopes. Operations on the caller's own account do not: to be allowed to read others is
 * not needed to read oneself.
 */
import { type Protection, type Protections, PUBLIC, SIGNED_IN } from "../../../kernel/operation/operation.ts";
import { actsOf, doneBy, kindOf, reachedBy } from "../../../kernel/operation/reach.ts";
import { listed } from "../../../kernel/words.ts";
import type { AuthenticationHandler } from "./model.ts";
import { neededScopes } from "./needed.ts";
import { type ReadyRule, ruleFor } from "./rules.ts";
import { anySamples, type Sample, samplesFor } from "./samples.ts";
import { type Guard, writtenRules } from "./written.ts";

/** What a rule requires of operations that do the same as one that it matches. */
interface Demand {
  readonly origin: ReadyRule;
  /** The operation that it protects. */
  readonly from: Protection;
  readonly act: string;
  readonly scopes: readonly string[];
  readonly handlers: ReadonlySet<AuthenticationHandler> | undefined;
}

/** The sentences about rules with ways around them, each with the rules to add. */
export function openTwins(rules: readonly ReadyRule[], operations: Protections): readonly string[] {
  if (!rules.some(isNarrow)) return [];
  const samples = [...anySamples(operations).values()];
  const guards = samples.map((sample) => guardOf(sample, rules));
  const demands = rules.flatMap((rule) => demandsOf(rule, rules, operations, guards));
  const reasons = new Map<ReadyRule, string>();
  const conflicts = new Set<string>();
  const tightened = guards.map((guard) => {
    let now: Guard = guard;
    for (const demand of demands.filter(({ act }) => reachedBy(guard.declared).includes(act))) {
      if (isMet(demand, now)) continue;
      const handlers = common(now.handlers, demand.handlers);
      const other = ruleFor(rules, guard.method, guard.path);
      if (handlers?.size === 0 && other) {
        conflicts.add(conflictOf(demand.origin, other));
        continue;
      }
      if (!reasons.has(demand.origin)) reasons.set(demand.origin, reasonOf(demand, guard));
      now = { ...now, scopes: [...new Set([...now.scopes, ...scopesFor(demand, guard)])], handlers, isChanged: true };
    }
    return now;
  });
  if (conflicts.size > 0) return [...conflicts];
  if (reasons.size === 0) return [];
  const told = [...reasons].map(([{ place }, reason]) => `${place}: ${reason}`);
  const written = writtenRules(tightened, guards);
  const replaced = rules.filter((rule) =>
    decidedBy(rule, rules, operations).every(({ method, path }) => written.matches(method, path)),
  );
  const places = listed(
    replaced.map(({ place }) => place),
    "and",
  );
  const instead = replaced.length === 0 ? "" : `, and delete ${places}, which they replace`;
  return [
    `${told.join("; ")}. Add these rules before all others${instead}, or take the restriction away:\n\n${written.text}`,
  ];
}

/** What a rule requires of the twins of the operations that it decides about. */
function demandsOf(
  rule: ReadyRule,
  rules: readonly ReadyRule[],
  operations: Protections,
  guards: readonly Guard[],
): readonly Demand[] {
  if (!isNarrow(rule)) return [];
  const decided = decidedBy(rule, rules, operations);
  return decided.flatMap(({ declared }) => {
    // It is as strict as what it gives besides: that says nothing of what it does itself.
    const given = (declared.reaches ?? []).map((act) => guards.filter((each) => doneBy(each.declared).includes(act)));
    const isOwed = (is: (guard: Guard) => boolean) => given.some((doing) => doing.length > 0 && doing.every(is));
    const scopes = strangeScopes(rule, declared, decided).filter(
      (scope) => !isOwed((guard) => guard.scopes.includes(scope)),
    );
    const { handlers: allowed } = rule;
    const isKindOwed = allowed && isOwed(({ handlers }) => handlers !== undefined && allowed.isSubsetOf(handlers));
    const handlers = isKindOwed ? undefined : allowed;
    if (scopes.length === 0 && !handlers) return [];
    return doneBy(declared).map((act) => ({ origin: rule, from: declared, act, scopes, handlers }));
  });
}

/** The requests that a rule decides about. */
function decidedBy(rule: ReadyRule, rules: readonly ReadyRule[], operations: Protections): readonly Sample[] {
  return samplesFor(operations, rule.context).filter(({ method, path }) => ruleFor(rules, method, path) === rule);
}

/** Whether a rule restricts anything. */
function isNarrow({ isSecured, handlers, scopes = [] }: ReadyRule): boolean {
  return isSecured && (handlers !== undefined || scopes.length > 0);
}

/** Whether an operation is protected as much as a demand says. */
function isMet(demand: Demand, guard: Guard): boolean {
  const { handlers } = demand;
  const isNarrowEnough = handlers === undefined || (guard.handlers?.isSubsetOf(handlers) ?? false);
  return isNarrowEnough && scopesFor(demand, guard).every((scope) => guard.scopes.includes(scope));
}

/** The scopes that a demand requires of an operation. */
function scopesFor({ scopes }: Demand, { declared }: Guard): readonly string[] {
  return declared.scope === SIGNED_IN ? [] : scopes;
}

function common(one: Guard["handlers"], other: Guard["handlers"]): Guard["handlers"] {
  return one && other ? one.intersection(other) : (one ?? other);
}

/**
 * The scopes of a rule that are for something else than the operation does. None where the rule requires of another
 * operation of that kind and method what it is declared with: a rule for `POST /scim2/Users(.*)` with the scope that
 * creates users means creation. An operation that stays closed needs its own scopes in any case.
 */
function strangeScopes(rule: ReadyRule, declared: Protection, decided: readonly Sample[]): readonly string[] {
  const { scopes = [] } = rule;
  const kinds = new Set(doneBy(declared).map(kindOf));
  const isRestated = decided.some(
    ({ declared: other }) =>
      other.method === declared.method &&
      (declared.staysClosed || doneBy(other).some((act) => kinds.has(kindOf(act)))) &&
      scopes.every((scope) => ownScopes(other).includes(scope)),
  );
  if (isRestated) return [];
  const acts = new Set(doneBy(declared));
  // Every caller with a credential has the scope of signed-in callers.
  const isForSame = (scope: string) =>
    scope === SIGNED_IN || (actsOf(scope).length > 0 && actsOf(scope).every((act) => acts.has(act)));
  return scopes.filter((scope) => !ownScopes(declared).includes(scope) && !isForSame(scope));
}

function ownScopes({ scope, furtherScopes = [], partialScopes = [] }: Protection): readonly string[] {
  return [scope, ...furtherScopes, ...partialScopes];
}

function guardOf({ declared, method, path }: Sample, rules: readonly ReadyRule[]): Guard {
  const rule = ruleFor(rules, method, path);
  const scopes = neededScopes(declared, rule);
  const isOpen = rule ? !rule.isSecured : declared.scope === PUBLIC;
  return { declared, method, path, isOpen, scopes, handlers: rule?.handlers, namesScopes: rule?.scopes !== undefined };
}

function reasonOf({ from, act }: Demand, { declared }: Guard): string {
  return `it protects ${from.method} ${from.path} (${act}) more than ${declared.method} ${declared.path}, which gives the same`;
}

function conflictOf(one: ReadyRule, other: ReadyRule): string {
  return `${one.place} and ${other.place} protect operations that do the same, and allow no kind of credential in common: give both the same allowed_auth_handlers`;
}
