/** The groups of operations in generated clients and in the navigation of readers: by domain, derived from the path. */
import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import type { Operation } from "../../kernel/operation/operation.ts";
import type { Json } from "./json-schema.ts";

/** A tag with an expression for the paths of its operations. */
interface Tag {
  readonly name: string;
  /** A heading of the navigation, which holds several tags. */
  readonly group: string;
  readonly description: string;
  readonly paths: string;
}

const { groups, reversed, tags } = load(readFileSync(new URL("tags.yaml", import.meta.url), "utf8")) as {
  readonly groups: readonly string[];
  readonly reversed: readonly string[];
  readonly tags: readonly Tag[];
};
const table = tags.map((tag) => ({ ...tag, paths: new RegExp(tag.paths) }));

/** The name of the tag of an operation. Throws an `Error` where no row of the table fits its path. */
export function tagOf({ path }: Pick<Operation, "path">): string {
  const tag = table.find(({ paths }) => paths.test(path));
  if (!tag) throw new Error(`No tag of packages/core/service/documents/tags.yaml fits ${path}: add it to a row.`);
  return tag.name;
}

/** The tags with these names, and their groups (`x-tagGroups`), in the order in which readers show them. */
export function tagsOf(used: ReadonlySet<string>): {
  readonly tags: readonly Json[];
  readonly groups: readonly Json[];
} {
  const grouped = groups
    .map((name) => ({ name, rows: table.filter((tag) => tag.group === name && used.has(tag.name)) }))
    .filter(({ rows }) => rows.length > 0)
    .map(({ name, rows }) => ({ name, rows: reversed.includes(name) ? rows.toReversed() : rows }));
  return {
    tags: grouped.flatMap(({ rows }) => rows.map(({ name, description }) => ({ name, description }))),
    groups: grouped.map(({ name, rows }) => ({ name, tags: rows.map((tag) => tag.name) })),
  };
}
