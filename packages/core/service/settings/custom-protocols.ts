/** The section `[[custom_inbound_protocol]]` of deployment.toml. */

import { problemOfCasKind } from "../../applications/protocols/cas-kind.ts";
import type { CustomProperty, CustomProtocolKind } from "../../applications/protocols/custom-kind.ts";
import * as z from "../../kernel/zod.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

const NAME_MAX = 100;
const TEXT_MAX = 1_000;
const ITEMS_MAX = 100;

/** Names of the standard protocols in paths, lists and stored settings. */
const STANDARD: ReadonlySet<string> = new Set([
  "saml",
  "samlsso",
  "oidc",
  "oauth2",
  "passive-sts",
  "passivests",
  "ws-trust",
  "wstrust",
]);

const text = z.string().trim().min(1).max(TEXT_MAX);

/** An INTEGER and a BOOLEAN may be written as TOML values, `10` and `true`, or as strings. */
const Value = z.union([z.string().max(TEXT_MAX), z.boolean(), z.int()], {
  error: "must be a string, a whole number, true or false",
});
type Value = z.output<typeof Value>;

const Property = table({
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9_][A-Za-z0-9 ._-]*$/,
      "must contain only letters, digits, spaces and . _ -, and begin with a letter, a digit or _",
    )
    .max(NAME_MAX),
  display_name: text.optional(),
  type: z.enum(["STRING", "BOOLEAN", "INTEGER"]).default("STRING"),
  required: z.boolean().default(false),
  available_values: z.array(Value).max(ITEMS_MAX).default([]),
  default_value: Value.optional(),
  validation_regex: z.string().min(1).max(TEXT_MAX).optional(),
  display_order: z.int().min(0).max(10_000).optional(),
  confidential: z.boolean().default(false),
}).superRefine((property, context) => {
  for (const [key, message] of contradictionsOf(property)) context.addIssue({ code: "custom", path: [key], message });
});

/** Whether a value fits the type, as a TOML value or as a string. */
const fits: Readonly<Record<CustomProperty["type"], (value: Value) => boolean>> = {
  STRING: (value) => typeof value === "string",
  BOOLEAN: (value) => value === "true" || value === "false" || typeof value === "boolean",
  INTEGER: (value) => (typeof value === "string" ? /^-?\d{1,15}$/.test(value) : typeof value === "number"),
};

interface Declared {
  readonly type: CustomProperty["type"];
  readonly available_values: readonly Value[];
  readonly default_value?: Value | undefined;
  readonly validation_regex?: string | undefined;
  readonly confidential: boolean;
}

const Kind = table({
  name: z
    .string()
    .max(NAME_MAX)
    .regex(
      /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]*[A-Za-z0-9._-])?$/,
      "must contain only letters, digits, spaces and . _ -, begin with a letter or digit, and not end with a space",
    )
    .refine((name) => !STANDARD.has(name.toLowerCase()), "is the name of a standard protocol; choose another name"),
  display_name: text.optional(),
  config_name: text.optional(),
  engine: z.enum(["cas", "none"]).default("none"),
  property: z
    .array(z.lazy(() => Property))
    .max(ITEMS_MAX)
    .superRefine(uniqueNames)
    .default([]),
}).superRefine((kind, context) => {
  if (kind.engine !== "cas") return;
  const problem = problemOfCasKind(kind.property.map(propertyOf));
  if (problem !== undefined) context.addIssue({ code: "custom", path: ["engine"], message: `"cas" ${problem}` });
});

/** The custom inbound protocols, in the order of the file. */
export const customProtocolSection = section(
  {
    custom_inbound_protocol: z
      .array(z.lazy(() => Kind))
      .max(ITEMS_MAX)
      .superRefine(uniqueNames)
      .superRefine(oneOfEngine)
      .default([]),
  },
  ({ custom_inbound_protocol: declared }) => ({ customProtocols: declared.map(kindOf) }),
);

function kindOf(declared: z.output<typeof Kind>): CustomProtocolKind {
  return {
    name: declared.name,
    displayName: declared.display_name ?? declared.name,
    configName: declared.config_name ?? declared.name,
    ...(declared.engine === "cas" && { engine: declared.engine }),
    properties: declared.property.map(propertyOf).sort((a, b) => a.displayOrder - b.displayOrder),
  };
}

function propertyOf(declared: z.output<typeof Property>, index: number): CustomProperty {
  return {
    name: declared.name,
    displayName: declared.display_name ?? declared.name,
    type: declared.type,
    required: declared.required,
    availableValues: declared.available_values.map(String),
    ...(declared.default_value !== undefined && { defaultValue: String(declared.default_value) }),
    ...(declared.validation_regex !== undefined && { validationRegex: declared.validation_regex }),
    displayOrder: declared.display_order ?? index + 1,
    isConfidential: declared.confidential,
  };
}

/** Contradictions between the keys of one property, each with the key to change. */
function* contradictionsOf(property: Declared): Generator<readonly [keyof Declared, string], void> {
  const { type, available_values: available, default_value: fallback, confidential } = property;
  const odd = available.find((value) => !fits[type](value));
  if (odd !== undefined) yield ["available_values", `must be of type ${type}, but "${odd}" is not`];
  if (property.validation_regex !== undefined && type !== "STRING") {
    yield ["validation_regex", `is for type = "STRING" only; delete it, or change the type`];
  }
  if (fallback === undefined) return;
  if (confidential) {
    yield ["default_value", "must be absent: metadata would show the default of a confidential property"];
  } else if (!fits[type](fallback)) yield ["default_value", `must be of type ${type}, but "${fallback}" is not`];
  else if (available.length > 0 && !available.map(String).includes(String(fallback))) {
    yield ["default_value", `must be one of available_values, but "${fallback}" is not`];
  }
}

/** Settings and requests of CAS name no kind. */
function oneOfEngine(entries: readonly { readonly engine: string }[], context: z.RefinementCtx): void {
  const [, second] = entries.flatMap(({ engine }, index) => (engine === "cas" ? [index] : []));
  if (second === undefined) return;
  context.addIssue({ code: "custom", path: [second, "engine"], message: '"cas" can sign in one protocol only' });
}

/** Names must differ by more than case. */
function uniqueNames(entries: readonly { readonly name: string }[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { name }] of entries.entries()) {
    const folded = name.toLowerCase();
    if (seen.has(folded)) {
      context.addIssue({ code: "custom", path: [index, "name"], message: `"${name}" is used twice; rename one` });
    }
    seen.add(folded);
  }
}
