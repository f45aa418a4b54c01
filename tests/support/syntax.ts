/** Reads the syntax tree of a source file, for tests that hold rules against it. */
import { parseAst } from "rolldown/parseAst";

/** A node of the tree (ESTree, with the nodes of TypeScript). */
export interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const known = new Map<string, readonly Node[]>();

/** All nodes of a file, parents before children. Throws where the text is no TypeScript. */
export const nodesOf = (path: string, text: string): readonly Node[] => {
  const nodes = known.get(text) ?? [...walk(path, text)];
  known.set(text, nodes);
  return nodes;
};

function* walk(path: string, text: string): Generator<Node> {
  const waiting: unknown[] = [parseAst(text, { lang: "ts" }, path)];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (Array.isArray(next)) waiting.push(...next.toReversed());
    else if (typeof next === "object" && next !== null) {
      if (isNode(next)) yield next;
      waiting.push(...Object.values(next).toReversed());
    }
  }
}

/** The modules that a file imports or exports from, types too, as written. */
export const importsOf = (path: string, text: string): readonly string[] =>
  nodesOf(path, text).flatMap((node) => {
    if (!/^(?:Import|ExportNamed|ExportAll)(?:Declaration|Expression)$|^TSImportType$/.test(node.type)) return [];
    const source = node.source ?? node.argument;
    return isNode(source) && typeof source.value === "string" ? [source.value] : [];
  });

/** The names that a file calls, by the last part: `a.b(...)` is a call of `b`. */
export const callsOf = (path: string, text: string): readonly string[] =>
  nodesOf(path, text).flatMap((node) => {
    const { callee } = node;
    if (node.type !== "CallExpression" || !isNode(callee)) return [];
    const named = callee.type === "MemberExpression" ? callee.property : callee;
    return isNode(named) && typeof named.name === "string" ? [named.name] : [];
  });

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
