/**
 * From a method and a path to an operation.
 *
 * Literal segments take precedence over parameters, whatever the order of declaration, so `/applications/resident` is
 * never the application with the id "resident": other methods on a literal path are 405.
 */
import { type Method, type Protection, type Protections, PUBLIC } from "./operation.ts";
import { familyOf } from "./services.ts";

/** Characters of the longest path that is matched. */
const PATH_LENGTH_MAX = 4_096;

/** The operation that a method and path lead to, if any. */
export type Match =
  | { readonly kind: "operation"; readonly id: string; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: "method"; readonly allow: readonly Method[] }
  | { readonly kind: "none" };

/** Finds the operation that a request is for. */
export type Matcher = (method: string, path: string) => Match;

/** A path without its tenant prefix. */
export interface TenantPath {
  /** The tenant that the path names, if it names one. */
  readonly tenant: string | undefined;
  readonly path: string;
}

interface Node {
  readonly literals: Map<string, Node>;
  parameter?: Node;
  readonly methods: Map<Method, { readonly id: string; readonly names: readonly string[] }>;
}

interface Found {
  readonly node: Node;
  readonly values: readonly string[];
}

/**
 * Splits `/t/{tenant}/...`. The prefix is offered for the protected families of paths only. A name that is longer than
 * any domain is no tenant: the path does not exist.
 */
export function splitTenant(path: string): TenantPath {
  const [, tenant, rest] = /^\/t\/([^/]{1,255})(\/.*)$/s.exec(path) ?? [];
  return tenant && rest && familyOf(rest) ? { tenant, path: rest } : { tenant: undefined, path };
}

/**
 * The segments of a path. `undefined` for a path with dot segments, empty inner segments, backslashes, semicolons,
 * control characters, or a percent sign after the gateway's decoding: a second decoding could bypass the access rules.
 * One trailing slash is allowed.
 */
export function segmentsOf(path: string): readonly string[] | undefined {
  if (path.length > PATH_LENGTH_MAX || !path.startsWith("/") || !path.isWellFormed()) return undefined;
  const segments = path.replace(/\/$/, "").slice(1).split("/");
  const forbidden = /[\p{Cc}\\;%\uFFFD]/u;
  const isPlain = (segment: string) =>
    segment !== "" && segment !== "." && segment !== ".." && !forbidden.test(segment);
  return segments.every(isPlain) ? segments : undefined;
}

/** Builds the matcher of a set of operations. Throws an `Error` where two operations match the same requests. */
export function matcherOf(operations: Protections): Matcher {
  const root = newNode();
  for (const [id, declaration] of Object.entries(operations)) plant(root, id, declaration);
  return (method, path) => {
    const segments = segmentsOf(path);
    if (!segments) return { kind: "none" };
    const found = walk(root, segments, 0, []);
    if (!found) return { kind: "none" };
    // RFC 9110 section 9.3.2: HEAD is GET without a response body.
    const declared = found.node.methods.get((method === "HEAD" ? "GET" : method) as Method);
    if (!declared) return { kind: "method", allow: [...found.node.methods.keys()] };
    const params = Object.fromEntries(declared.names.map((name, index) => [name, found.values[index] ?? ""]));
    return { kind: "operation", id: declared.id, params };
  };
}

function plant(root: Node, id: string, { method, path }: Protection): void {
  const names: string[] = [];
  let node = root;
  for (const segment of path.slice(1).split("/")) {
    const name = parameterName(segment);
    let next = name === undefined ? node.literals.get(segment) : node.parameter;
    if (!next) {
      next = newNode();
      if (name === undefined) node.literals.set(segment, next);
      else node.parameter = next;
    }
    if (name !== undefined) names.push(name);
    node = next;
  }
  const other = node.methods.get(method);
  if (other) throw new Error(`${id} and ${other.id} match the same requests: ${method} ${path}`);
  node.methods.set(method, { id, names });
}

function parameterName(segment: string): string | undefined {
  return /^\{(\w+)\}$/.exec(segment)?.[1];
}

function newNode(): Node {
  return { literals: new Map(), methods: new Map() };
}

/** Tries the literal first, then the parameter. */
function walk(node: Node, segments: readonly string[], at: number, values: readonly string[]): Found | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.methods.size > 0 ? { node, values } : undefined;
  const literal = node.literals.get(segment);
  return (
    (literal && walk(literal, segments, at + 1, values)) ??
    (node.parameter && walk(node.parameter, segments, at + 1, [...values, segment]))
  );
}

/** Whether the methods of a path may be shown to unauthenticated callers: all its operations are public. */
export function isOpenPath(match: Matcher, operations: Protections, path: string, methods: readonly Method[]): boolean {
  return methods.every((method) => {
    const found = match(method, path);
    return found.kind === "operation" && operations[found.id]?.scope === PUBLIC;
  });
}
