/**
 * What a request is for, and which scopes it needs: the authorizer decides by it, and explanations of access say it
 * (decision 0194). Pure.
 */
import { isOpenPath, matcherOf } from "../../kernel/operation/match.ts";
import { nearestPathOf } from "../../kernel/operation/nearest.ts";
import { type Protection, type Protections, PUBLIC } from "../../kernel/operation/operation.ts";
import { familyOf, isWellKnown } from "../../kernel/operation/services.ts";
import { neededScopes } from "./access-control/needed.ts";
import type { ReadyRule } from "./access-control/rules.ts";

/** What decides which operation a request is for. */
export interface Addressed {
  readonly method: string;
  /** Without the tenant that it names. */
  readonly path: string;
  readonly pathTenant?: string | undefined;
}

/** The operation that a request is for, and what the catalogue says about its protection. */
export interface Target {
  /** The id of the operation; empty where the path and method lead to none. */
  readonly operation: string;
  readonly declared: Protection | undefined;
  /** True where the catalogue needs no credential. */
  readonly isOpen: boolean;
  /** For an unknown path: the one that the request probably means. */
  readonly nearest?: string | undefined;
}

/** The scopes by which a request passes, and those that it needs besides. */
export interface Needed {
  readonly held: readonly string[];
  readonly missing: readonly string[];
  /** True where the held ones authorise a part of what the operation does. */
  readonly isPart?: true;
}

/** Finds the target of a request. */
export function newTargets(operations: Protections): (request: Addressed) => Target {
  const match = matcherOf(operations);
  const nearestTo = nearestPathOf(operations);
  return ({ method, path, pathTenant }) => {
    const found = match(method, path);
    const operation = found.kind === "operation" ? found.id : "";
    const declared = operations[operation];
    const isOpen =
      declared?.scope === PUBLIC ||
      (!declared && !familyOf(path)) ||
      (found.kind === "none" && isWellKnown(path)) ||
      (found.kind === "method" && isOpenPath(match, operations, path, found.allow));
    const nearest =
      found.kind === "none" ? nearestTo(pathTenant === undefined ? path : `/t/${pathTenant}${path}`) : undefined;
    return { operation, declared, isOpen, nearest };
  };
}

/** A rule can protect what the catalogue leaves open, and open what the catalogue declares openable; nothing else. */
export function isPublic({ isOpen, declared }: Target, rule: ReadyRule | undefined): boolean {
  return rule ? !rule.isSecured && (isOpen || declared?.openable === true) : isOpen;
}

/** What a credential has of the scopes that a request needs. A partial scope replaces the operation's own. */
export function neededOf({ declared }: Target, rule: ReadyRule | undefined, scopes: ReadonlySet<string>): Needed {
  const needed = neededScopes(declared, rule);
  const missing = needed.filter((scope) => !scopes.has(scope));
  const held = needed.filter((scope) => scopes.has(scope));
  if (missing.length === 0 || rule?.scopes || !declared) return { held, missing };
  const parts = (declared.partialScopes ?? []).filter((scope) => scopes.has(scope));
  if (parts.length > 0) return { held: [...held, ...parts], missing: [], isPart: true };
  const including = declared.includedIn?.find((scope) => scopes.has(scope));
  return including === undefined
    ? { held, missing }
    : { held: [...held, including], missing: missing.filter((scope) => scope !== declared.scope) };
}
