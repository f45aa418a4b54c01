/** Matches requests to routes in the order of API Gateway HTTP APIs. */
import type { IncomingMessage } from "node:http";

/** A route of the gateway and the function behind it. */
export interface GatewayRoute {
  /** `METHOD /path`, `ANY /path`, either with `{name}` segments and a last `{name+}`, or `$default`. */
  readonly key: string;
  /** The name of the function. */
  readonly service: string;
  /** True where no authorizer is called. */
  readonly isOpen?: true;
}

/** The route of a request. */
export interface MatchedRoute {
  readonly route: GatewayRoute;
  /** The values of the variables; absent if the route has none. */
  readonly pathParameters?: Readonly<Record<string, string>>;
}

/** Finds the route for a method and a decoded path. */
type RouteMatcher = (method: string, path: string) => MatchedRoute | undefined;

type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "greedy"; readonly name: string };

interface Pattern {
  readonly route: GatewayRoute;
  readonly method: string;
  readonly segments: readonly Segment[];
}

/** Prepares the matching. Throws an `Error` for an invalid route key, and for two routes with one key. */
export function routeMatcher(routes: readonly GatewayRoute[]): RouteMatcher {
  const keys = new Set<string>();
  for (const { key } of routes) {
    if (keys.has(key)) throw new Error(`two routes have the key "${key}"`);
    keys.add(key);
  }
  const fallback = routes.find(({ key }) => key === "$default");
  const patterns = routes.filter((route) => route !== fallback).map(patternOf);
  patterns.sort(moreSpecific);
  return (method, path) => {
    const given = path.slice(1).split("/");
    for (const pattern of patterns) {
      if (pattern.method !== "ANY" && pattern.method !== method) continue;
      const values = capture(pattern, given);
      if (!values) continue;
      return values.size > 0
        ? { route: pattern.route, pathParameters: Object.fromEntries(values) }
        : { route: pattern.route };
    }
    return fallback && { route: fallback };
  };
}

function patternOf(route: GatewayRoute): Pattern {
  const [, method, path] = /^([A-Z]+) \/(.*)$/.exec(route.key) ?? [];
  if (!method || path === undefined) throw new Error(`"${route.key}" is not a route key`);
  const segments = path.split("/").map(segmentOf);
  const greedyAt = segments.findIndex(({ kind }) => kind === "greedy");
  if (greedyAt >= 0 && greedyAt < segments.length - 1)
    throw new Error(`"${route.key}" has segments after its greedy variable`);
  return { route, method, segments };
}

function segmentOf(text: string): Segment {
  const [, name, plus] = /^\{(\w+)(\+?)\}$/.exec(text) ?? [];
  if (!name) return { kind: "literal", text };
  return plus ? { kind: "greedy", name } : { kind: "variable", name };
}

/**
 * Full matches before greedy ones; then the longer path, then more literal segments, then a named method before ANY.
 */
function moreSpecific(a: Pattern, b: Pattern): number {
  return (
    Number(isGreedy(a)) - Number(isGreedy(b)) ||
    b.segments.length - a.segments.length ||
    literals(b) - literals(a) ||
    Number(a.method === "ANY") - Number(b.method === "ANY")
  );
}

function literals({ segments }: Pattern): number {
  return segments.filter(({ kind }) => kind === "literal").length;
}

/** The variables of a matching path; `undefined` for another path. */
function capture(pattern: Pattern, given: readonly string[]): ReadonlyMap<string, string> | undefined {
  const { segments } = pattern;
  if (isGreedy(pattern) ? given.length < segments.length : given.length !== segments.length) return undefined;
  // Most patterns of a request end here: hundreds are tried.
  if (!segments.every((segment, at) => fits(segment, given[at] ?? ""))) return undefined;
  const values = new Map<string, string>();
  for (const [at, segment] of segments.entries()) {
    if (segment.kind === "greedy") values.set(segment.name, given.slice(at).join("/"));
    else if (segment.kind === "variable") values.set(segment.name, given[at] ?? "");
  }
  return values;
}

function fits(segment: Segment, text: string): boolean {
  if (segment.kind === "literal") return segment.text === text;
  return segment.kind === "greedy" || text !== "";
}

function isGreedy({ segments }: Pattern): boolean {
  return segments.at(-1)?.kind === "greedy";
}

/** The names of the machine itself. */
export const loopbackNames: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/** A name or an address, with or without a port, which a container may publish as another one. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[^\s:@/?#[\]]+)(?::\d*)?$/i;

/** The name in an authority, in lower case; `undefined` for a text that is none. */
export function nameIn(authority: string): string | undefined {
  return AUTHORITY.exec(authority)?.[1]?.toLowerCase();
}

/** Whether a request names one of the own names in its `Host` header, and in its target where that is absolute. */
export function isForOwnName({ headers, url = "" }: IncomingMessage, own: ReadonlySet<string>): boolean {
  const [, target] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [];
  return [headers.host ?? "", ...(target === undefined ? [] : [target])].every((authority) => {
    const name = nameIn(authority);
    return name !== undefined && own.has(name);
  });
}
