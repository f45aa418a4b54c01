/**
 * The attributes of users that have an index, `[[scim2.index]]` in deployment.toml. Only functions that write or list
 * users read them.
 */
import * as z from "../../kernel/zod.ts";
import { indexedAttribute } from "../../scim/protocol/indexed.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

/** Those of a file that declares none. */
export const shippedIndexes: readonly string[] = [
  "emails.value",
  "name.familyName",
  "name.givenName",
  "displayName",
  "active",
  "externalId",
  "meta.created",
  "meta.lastModified",
];

const HOW_TO_WRITE =
  "must be written as [[scim2.index]], with double brackets, for each attribute, or as index = [] for none";
const INDEXES_MAX = 16;
const NAME_MAX = 200;

const Index = table({
  attribute: z
    .string()
    .max(NAME_MAX)
    .transform((name, context) => {
      const attribute = indexedAttribute(name.trim());
      if (attribute) return attribute.name;
      const message = `"${name.slice(0, NAME_MAX)}" cannot have an index; name a text or true-false attribute of users that clients write, such as "name.familyName" or "emails.value", or "meta.created" or "meta.lastModified"`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }),
});

const Indexes = z
  .array(
    z.lazy(() => Index),
    { error: (issue) => (issue.code === "invalid_type" ? HOW_TO_WRITE : undefined) },
  )
  .max(INDEXES_MAX)
  .superRefine((indexes, context) => {
    for (const [at, { attribute }] of indexes.entries()) {
      if (indexes.findIndex((other) => other.attribute === attribute) === at) continue;
      context.addIssue({
        code: "custom",
        path: [at, "attribute"],
        message: `"${attribute}" is declared twice; delete one`,
      });
    }
  })
  .default(() => shippedIndexes.map((attribute) => ({ attribute })));

/** The names of the attributes that have an index, as `pathName` writes them. */
export const indexSection = section(
  { scim2: z.object({ index: Indexes }).prefault({}) },
  ({ scim2 }): { readonly indexes: readonly string[] } => ({ indexes: scim2.index.map(({ attribute }) => attribute) }),
);
