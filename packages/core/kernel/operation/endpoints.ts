/** Shortens the declaration of operations that share a service, a base path, and a family of scopes. */
import type { Method } from "./operation.ts";
import type { ServiceName } from "./services.ts";

/**
 * Returns a function that declares one endpoint: method, path below `base`, scope by its key, and source, unless it is
 * the shared one.
 */
export function endpointsOf<
  Service extends ServiceName,
  Base extends `/${string}`,
  const Scopes extends Readonly<Record<string, string>>,
>(service: Service, base: Base, scopes: Scopes, shared = "") {
  return <M extends Method, P extends string, S extends keyof Scopes>(
    method: M,
    path: P,
    scope: S,
    source = shared,
  ) => {
    return {
      service,
      method,
      path: `${base}${path}`,
      scope: scopes[scope],
      source,
    } as const;
  };
}
