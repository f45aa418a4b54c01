/** Shortens the declaration of operations that share a service, a base path, a family of scopes and a source. */
import type { Method } from "./operation.ts";
import type { ServiceName } from "./services.ts";

/** Returns a function that declares one endpoint: its method, path below `base`, scope by its key, and row of the source. */
export function endpointsOf<
  Service extends ServiceName,
  Base extends `/${string}`,
  const Scopes extends Readonly<Record<string, string>>,
>(service: Service, base: Base, scopes: Scopes, source: string) {
  return <M extends Method, P extends string, S extends keyof Scopes>(method: M, path: P, scope: S, row?: string) => {
    return {
      service,
      method,
      path: `${base}${path}`,
      scope: scopes[scope],
      source: row === undefined ? source : `${source}, ${row}`,
    } as const;
  };
}
