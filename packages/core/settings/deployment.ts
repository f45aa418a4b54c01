/** `deployment.toml`: what a deployment decides once, for all of its tenants. Text in, checked settings out. */
import { parse, TomlError } from "smol-toml";
import * as z from "zod";
import type { CustomProperty, CustomProtocolKind } from "../applications/protocols/custom-kind.ts";
import type { AccessSettings } from "../auth/access-control/model.ts";
import { AccessControl, Certificates, certificatesOf, rulesOf } from "./access.ts";
import { lineFinder } from "./lines.ts";
import { table } from "./table.ts";
import { type SecondaryStore, UserStores } from "./user-stores.ts";

/** The settings of a deployment. */
export interface Deployment {
  /** The custom inbound protocols, in the order of the file. */
  readonly customProtocols: readonly CustomProtocolKind[];
  readonly scim2: Scim2Settings;
  readonly access: AccessSettings;
  /** The user stores beside PRIMARY, in the order of the file. */
  readonly userStores: readonly SecondaryStore[];
}

/** How SCIM 2.0 is spoken (DESIGN section 4). */
export interface Scim2Settings {
  /** `wso2`: as the spec of this API shows it; `rfc7644`: by the letter, for Okta, Entra ID and conformance suites. */
  readonly profile: "wso2" | "rfc7644";
  /** True: a user that several user stores list is answered once. */
  readonly removesDuplicateUsers: boolean;
  /** True: totals count all matches of a directory, and not only those of the page. */
  readonly countsDirectories: boolean;
}

const NAME_MAX = 100;
const TEXT_MAX = 1_000;
const ITEMS_MAX = 100;
const ISSUES_TOLD = 5;

/** Names that paths, lists and stored settings use for the standard protocols. */
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

/** A value as TOML writes it: 10 and true are what an INTEGER and a BOOLEAN naturally are. */
const Value = z.union([z.string().max(TEXT_MAX), z.boolean(), z.int()], {
  error: "expected a string, a boolean or a whole number",
});
type Value = z.output<typeof Value>;

const Property = table({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9 ._-]*$/, "expected letters, digits, blanks and . _ - only")
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

/** A value that fits the type: in TOML's own form or as the text that requests send. */
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
      "expected letters, digits, blanks and . _ - only, beginning with a letter or digit and not ending with a blank",
    )
    .refine((name) => !STANDARD.has(name.toLowerCase()), "is the name of a standard protocol"),
  display_name: text.optional(),
  config_name: text.optional(),
  property: z.array(Property).max(ITEMS_MAX).superRefine(uniqueNames).default([]),
});

const Scim2 = table({
  profile: z.enum(["wso2", "rfc7644"]).default("wso2"),
  remove_duplicate_users_in_users_response: z.boolean().default(false),
  consider_total_records_for_total_results_of_ldap: z.boolean().default(false),
});

const File = table({
  scim2: Scim2.prefault({}),
  intermediate_cert_validation: Certificates.prefault({}),
  resource: table({ access_control: AccessControl }).prefault({}),
  user_store: UserStores,
  custom_inbound_protocol: z.array(Kind).max(ITEMS_MAX).superRefine(uniqueNames).default([]),
});

type LineOf = ReturnType<typeof lineFinder>;

/**
 * Reads the text of a deployment.toml. Throws an `Error` whose message tells the line that is no TOML, or every key that
 * is wrong and why; the caller adds the name of the file.
 */
export function readDeployment(source: string): Deployment {
  const document = parseToml(source.replace(/^\uFEFF/, ""));
  const lineOf = lineFinder(source);
  const parsed = File.safeParse(document, { reportInput: true });
  if (parsed.success) return deploymentOf(parsed.data, lineOf);
  const told = parsed.error.issues.slice(0, ISSUES_TOLD).map(({ code, path, message, input }) => {
    const place = placeOf(document, path);
    const isMissing = (code === "invalid_type" || code === "invalid_union") && input === undefined;
    const reason = isMissing ? "is required" : message;
    const line = lineOf(path);
    const told = place ? `${place}: ${reason}` : reason;
    return line === undefined ? told : `${told} (line ${line})`;
  });
  throw new Error(told.join("; "));
}

function parseToml(source: string): unknown {
  try {
    return parse(source);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [reason] = cause.message.split("\n");
    throw new Error(`line ${cause.line}, column ${cause.column}: ${reason}`, { cause });
  }
}

function deploymentOf(file: z.output<typeof File>, lineOf: LineOf): Deployment {
  return {
    customProtocols: file.custom_inbound_protocol.map(kindOf),
    access: {
      rules: rulesOf(
        file.resource.access_control,
        (index) => lineOf(["resource", "access_control", index]) ?? lineOf(["resource", "access_control"]),
      ),
      certificates: certificatesOf(file.intermediate_cert_validation),
    },
    scim2: {
      profile: file.scim2.profile,
      removesDuplicateUsers: file.scim2.remove_duplicate_users_in_users_response,
      countsDirectories: file.scim2.consider_total_records_for_total_results_of_ldap,
    },
    userStores: file.user_store,
  };
}

function kindOf(declared: z.output<typeof Kind>): CustomProtocolKind {
  return {
    name: declared.name,
    displayName: declared.display_name ?? declared.name,
    configName: declared.config_name ?? declared.name,
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

/** Where an issue is, in the words of the file: an entry of a list by its name, or by its number where it has none. */
function placeOf(document: unknown, path: readonly PropertyKey[]): string {
  let place = "";
  let value = document;
  for (const step of path) {
    value = memberOf(value, step);
    if (typeof step !== "number") place += place ? `.${String(step)}` : String(step);
    else {
      const name = memberOf(value, "name") ?? memberOf(value, "domain");
      place += typeof name === "string" ? `["${name.slice(0, NAME_MAX)}"]` : `[number ${step + 1}]`;
    }
  }
  return place;
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
}

/** What the keys of one property say against each other, by the key to change. */
function* contradictionsOf(property: Declared): Generator<readonly [keyof Declared, string], void> {
  const { type, available_values: available, default_value: fallback, confidential } = property;
  const odd = available.find((value) => !fits[type](value));
  if (odd !== undefined) yield ["available_values", `"${odd}" is no ${type}`];
  if (property.validation_regex !== undefined && type !== "STRING") {
    yield ["validation_regex", `only a STRING is held against a pattern, not a ${type}`];
  }
  if (fallback === undefined) return;
  if (confidential)
    yield ["default_value", "a confidential property has none: whoever reads the metadata would see it"];
  else if (!fits[type](fallback)) yield ["default_value", `"${fallback}" is no ${type}`];
  else if (available.length > 0 && !available.map(String).includes(String(fallback))) {
    yield ["default_value", `"${fallback}" is not one of available_values`];
  }
}

/** Two names that differ only in the case of their letters are one name to the people who read them. */
function uniqueNames(entries: readonly { readonly name: string }[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { name }] of entries.entries()) {
    const folded = name.toLowerCase();
    if (seen.has(folded))
      context.addIssue({ code: "custom", path: [index, "name"], message: `"${name}" is used twice` });
    seen.add(folded);
  }
}
