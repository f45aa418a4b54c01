/** Parses and validates `deployment.toml`: the settings of a deployment, for all of its tenants. */
import { parse, TomlError } from "smol-toml";
import * as z from "zod";
import type { ClientSecretsShownTo } from "../applications/protocols/contract-secrets.ts";
import type { CustomProperty, CustomProtocolKind } from "../applications/protocols/custom-kind.ts";
import type { ClientLimits } from "../applications/protocols/limits.ts";
import type { AccessSettings } from "../auth/access-control/model.ts";
import { AccessControl, Certificates, certificatesOf, rulesOf } from "./access.ts";
import { lineFinder } from "./lines.ts";
import { clientLimitsOf, OAuth } from "./oauth.ts";
import { parsing, reasonOf, table } from "./shared.ts";
import { type SecondaryStore, UserStores } from "./user-stores.ts";

export interface Deployment {
  /** The custom inbound protocols, in the order of the file. */
  readonly customProtocols: readonly CustomProtocolKind[];
  readonly scim2: Scim2Settings;
  /** Who sees client secrets. */
  readonly clientSecretsShownTo: ClientSecretsShownTo;
  /** What OAuth clients may be configured for. */
  readonly clients: ClientLimits;
  readonly access: AccessSettings;
  /** The user stores besides PRIMARY, in the order of the file. */
  readonly userStores: readonly SecondaryStore[];
}

export interface Scim2Settings {
  /** `wso2`: as WSO2 Identity Server; `rfc7644`: strictly RFC 7644, for Okta, Entra ID and conformance suites. */
  readonly profile: "wso2" | "rfc7644";
  /** Whether a list shows a user of several user stores once. */
  readonly removesDuplicateUsers: boolean;
  /** Whether totals count all matches of a directory, instead of those of the page. */
  readonly countsDirectories: boolean;
}

const NAME_MAX = 100;
const TEXT_MAX = 1_000;
const ITEMS_MAX = 100;
const ISSUES_SHOWN = 5;

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
  property: z.array(Property).max(ITEMS_MAX).superRefine(uniqueNames).default([]),
});

const Scim2 = table({
  profile: z.enum(["wso2", "rfc7644"]).default("wso2"),
  remove_duplicate_users_in_users_response: z.boolean().default(false),
  consider_total_records_for_total_results_of_ldap: z.boolean().default(false),
});

const File = table({
  scim2: Scim2.prefault({}),
  oauth: OAuth.prefault({}),
  intermediate_cert_validation: Certificates.prefault({}),
  resource: table({ access_control: AccessControl }).prefault({}),
  user_store: UserStores,
  custom_inbound_protocol: z.array(Kind).max(ITEMS_MAX).superRefine(uniqueNames).default([]),
});

type LineOf = ReturnType<typeof lineFinder>;

/**
 * Reads the text of a deployment.toml. Throws an `Error` that names the line that is not TOML, or up to 5 wrong keys
 * with what to write instead. The caller adds the name of the file.
 */
export function readDeployment(source: string): Deployment {
  const document = parseToml(source.replace(/^\uFEFF/, ""));
  const lineOf = lineFinder(source);
  const parsed = File.safeParse(document, parsing);
  if (parsed.success) return deploymentOf(parsed.data, lineOf);
  const problems = parsed.error.issues.slice(0, ISSUES_SHOWN).map((issue) => {
    const place = placeOf(document, issue.path);
    const line = lineOf(issue.path);
    return `${place && `${place}: `}${reasonOf(issue)}${line === undefined ? "" : ` (line ${line})`}`;
  });
  throw new Error(problems.join("; "));
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
    clientSecretsShownTo: file.oauth.show_client_secrets_to,
    clients: clientLimitsOf(file.oauth),
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

/** The key path of an issue. An element of a list is shown by its name, or by its number. */
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
