/** Writes access rules as they stand in deployment.toml. Pure. */
import type { Protection } from "../../../kernel/operation/operation.ts";
import type { AuthenticationHandler } from "./model.ts";

/** How an operation is protected. */
export interface Guard {
  readonly declared: Protection;
  /** A request for it, with any ids. */
  readonly method: string;
  readonly path: string;
  readonly isOpen: boolean;
  readonly scopes: readonly string[];
  readonly handlers: ReadonlySet<AuthenticationHandler> | undefined;
  /** Whether a rule names the scopes. */
  readonly namesScopes: boolean;
  /** True where a rule must be written. */
  readonly isChanged?: true;
}

/** Characters of a context. */
const CONTEXT_MAX = 900;

/** Rules for the beginning of a file. */
interface Written {
  readonly text: string;
  /** Whether one of them matches a request, so that no later rule does. */
  matches(method: string, path: string): boolean;
}

/**
 * The rules for the changed ones of some guards, for the beginning of a file. An operation whose path a new rule would
 * match too keeps its protection by a rule before it.
 */
export function writtenRules(guards: readonly Guard[], before: readonly Guard[]): Written {
  const changed = guards.filter(({ isChanged }) => isChanged);
  const caught = before.filter(({ declared, method, path }, at) => {
    const others = changed.filter((each) => each.declared !== declared && each.method === method && isAt(each, path));
    return !guards[at]?.isChanged && others.length > 0;
  });
  const byPrecision = [...changed, ...caught].toSorted((a, b) => parametersOf(a) - parametersOf(b));
  return {
    text: grouped(byPrecision, before).join("\n"),
    matches: (method, path) => byPrecision.some((each) => each.method === method && isAt(each, path)),
  };
}

/** Rules of neighbours with the same protection are one. */
function grouped(guards: readonly Guard[], before: readonly Guard[]): readonly string[] {
  const written: { head: string; end: string; contexts: string[] }[] = [];
  for (const guard of guards) {
    const was = before.find(({ declared }) => declared === guard.declared);
    const namesScopes = guard.namesScopes || guard.scopes.length !== was?.scopes.length;
    const end = [
      `http_method = "${guard.method}"`,
      ...(guard.isOpen ? ["secured = false"] : []),
      ...(namesScopes ? [`scope = ${JSON.stringify(guard.scopes)}`] : []),
      ...(guard.handlers ? [`allowed_auth_handlers = ${JSON.stringify([...guard.handlers])}`] : []),
    ].join("\n");
    const head = `${parametersOf(guard)}`;
    const context = contextOf(guard);
    const same = written.find(
      (each) => each.head === head && each.end === end && each.contexts.join("|").length + context.length < CONTEXT_MAX,
    );
    if (same) {
      if (!same.contexts.includes(context)) same.contexts.push(context);
    } else written.push({ head, end, contexts: [context] });
  }
  return written.map(({ contexts, end }) => {
    const [first = ""] = contexts;
    const context = contexts.length === 1 ? first : `(${contexts.join("|")})`;
    return `[[resource.access_control]]\ncontext = '${context}'\n${end}\n`;
  });
}

function contextOf({ declared: { path } }: Guard): string {
  return path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
}

/** Whether a path is one of the operation, with any ids. */
function isAt({ declared }: Guard, path: string): boolean {
  const [wanted, given] = [declared.path.split("/"), path.split("/")];
  const fits = (segment: string, at: number) =>
    segment.startsWith("{") ? given[at] !== "" : segment.toLowerCase() === given[at]?.toLowerCase();
  return wanted.length === given.length && wanted.every(fits);
}

function parametersOf({ declared: { path } }: Guard): number {
  return path.split("{").length;
}
