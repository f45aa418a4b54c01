/** What the gateway and access control derive from the catalogue. Pure. */
import type { Operation, Protection, Protections } from "./operation.ts";
import { FRONT, frontFiles, frontMounts, type ServiceName, services } from "./services.ts";

/** One gateway route: its key as API Gateway writes it, and the function behind it. */
export interface Route {
  /** `ANY /path`, `ANY /path/{proxy+}` or `$default`. */
  readonly key: string;
  readonly service: ServiceName | typeof FRONT;
  /** True where no authorizer is called: static files, the same for everyone. */
  readonly isOpen?: true;
}

/**
 * The gateway routes: two per mount and one per document, the same below `/t/{tenant}`, and `$default`; and those of
 * the page at `/` and the API document, which are there once for all tenants.
 */
export function routes(): readonly Route[] {
  const front = [...frontFiles, ...frontMounts.flatMap((mount) => [mount, `${mount}/{proxy+}`])].map(
    (path) => ({ key: `ANY ${path}`, service: FRONT, isOpen: true }) as const,
  );
  return [...operationRoutes(), ...front];
}

function operationRoutes(): readonly Route[] {
  return Object.entries(services).flatMap(([name, { mounts, documents = [], takesDefault }]) => {
    const service = name as ServiceName;
    const paths = [...mounts.flatMap((mount) => [mount, `${mount}/{proxy+}`]), ...documents];
    return [
      ...paths.flatMap((path) => [`ANY ${path}`, `ANY /t/{tenant}${path}`]),
      ...(takesDefault ? ["$default"] : []),
    ].map((key) => ({ key, service }));
  });
}

/** The protection of each operation: all that the authorizer knows of it. */
export function protectionsOf(operations: Readonly<Record<string, Operation>>): Protections {
  return Object.fromEntries(Object.entries(operations).map(([id, declared]) => [id, protectionOf(declared)]));
}

function protectionOf(declared: Operation): Protection {
  const { method, path, scope, includedIn, furtherScopes, partialScopes } = declared;
  const { openable, staysClosed, does, reaches, seesScopes } = declared;
  return {
    method,
    path,
    scope,
    ...(includedIn && { includedIn }),
    ...(furtherScopes && { furtherScopes }),
    ...(partialScopes && { partialScopes }),
    ...(openable && { openable }),
    ...(staysClosed && { staysClosed }),
    ...(does && { does }),
    ...(reaches && { reaches }),
    ...(seesScopes && { seesScopes }),
  };
}
