/** What the gateway and access control derive from the catalogue. Pure. */
import { type Operation, type Protection, type Protections, PUBLIC } from "./operation.ts";
import { FRONT, frontMounts, type ServiceName, services } from "./services.ts";

/** One gateway route: its key as API Gateway writes it, and the function behind it. */
export interface Route {
  /** `ANY /path`, `ANY /path/{proxy+}` or `$default`. */
  readonly key: string;
  readonly service: ServiceName | typeof FRONT;
  /** True where no authorizer is called: static files, the same for everyone. */
  readonly isOpen?: true;
}

/**
 * The gateway routes: two per mount, the same below `/t/{tenant}`, and `$default`; and those of the page at `/`, which
 * is there once for all tenants.
 */
export function routes(): readonly Route[] {
  const front = ["/", ...frontMounts.flatMap((mount) => [mount, `${mount}/{proxy+}`])].map(
    (path) => ({ key: `ANY ${path}`, service: FRONT, isOpen: true }) as const,
  );
  return [...operationRoutes(), ...front];
}

function operationRoutes(): readonly Route[] {
  return Object.entries(services).flatMap(([name, { mounts, takesDefault }]) => {
    const service = name as ServiceName;
    const paths = mounts.flatMap((mount) => [mount, `/t/{tenant}${mount}`]);
    return [
      ...paths.flatMap((path) => [`ANY ${path}`, `ANY ${path}/{proxy+}`]),
      ...(takesDefault ? ["$default"] : []),
    ].map((key) => ({ key, service }));
  });
}

/** The ids of the operations that need each scope, by scope, in alphabetical order. */
export function scopeTable(operations: Protections): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, string[]>();
  for (const [id, { scope }] of Object.entries(operations)) {
    if (scope !== PUBLIC) table.set(scope, [...(table.get(scope) ?? []), id]);
  }
  return new Map([...table].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The protection of each operation: all that the authorizer knows of it. */
export function protectionsOf(operations: Readonly<Record<string, Operation>>): Protections {
  return Object.fromEntries(Object.entries(operations).map(([id, declared]) => [id, protectionOf(declared)]));
}

function protectionOf(declared: Operation): Protection {
  const { method, path, scope, includedIn, furtherScopes, partialScopes, openable, staysClosed, seesScopes } = declared;
  return {
    method,
    path,
    scope,
    ...(includedIn && { includedIn }),
    ...(furtherScopes && { furtherScopes }),
    ...(partialScopes && { partialScopes }),
    ...(openable && { openable }),
    ...(staysClosed && { staysClosed }),
    ...(seesScopes && { seesScopes }),
  };
}
