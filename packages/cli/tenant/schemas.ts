/** The JSON Schemas of the files: editors complete and check with them, and this program validates by them. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { OidcBody, PassiveStsBody, SamlManual, WsTrustBody } from "#core/applications/protocols/shapes.ts";
import { editable, fixedSwitches } from "#core/applications/registry/shapes.ts";
import { NewTemplate } from "#core/applications/templates/shapes.ts";
import * as z from "#core/kernel/zod.ts";
import type { KindName } from "./kind.ts";

type Schema = Readonly<Record<string, unknown>>;

const text = { type: "string" } as const;
const texts = { type: "array", items: text, uniqueItems: true } as const;
const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** The name of the schema file of each kind. */
export const schemaFiles: Readonly<Record<KindName, string>> = {
  "api-resources": "api-resource.json",
  groups: "group.json",
  roles: "role.json",
  templates: "template.json",
  applications: "application.json",
};

function object(properties: Schema, required: readonly string[]): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The schema of a shape of the API, in which a member that the shape does not have is a mistake. */
function ofShape(shape: z.ZodType, io: "input" | "output" = "input"): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: "any", target: "draft-2020-12" });
  return closed(schema) as Schema;
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isOpen = !("properties" in value) || "additionalProperties" in value;
  return isOpen || (value as Schema).type !== "object" ? members : { ...members, additionalProperties: false };
}

function application(): Schema {
  const { properties, $defs, ...rest } = ofShape(z.object({ ...editable, ...fixedSwitches })) as {
    readonly properties: Schema;
    readonly $defs?: Readonly<Record<string, Schema>>;
  };
  const { applicationVersion: _, ...members } = properties;
  const advanced = $defs?.AdvancedApplicationConfiguration as { readonly properties: Schema } | undefined;
  const { additionalSpProperties: __, ...switches } = advanced?.properties ?? {};
  const protocols = {
    oidc: ofShape(OidcBody),
    saml: ofShape(SamlManual),
    passiveSts: ofShape(PassiveStsBody),
    wsTrust: ofShape(WsTrustBody),
  };
  const definitions = Object.values(protocols).map((one) => one.$defs ?? {});
  const custom = object({ configName: text, properties: { type: "object" } }, ["configName"]);
  return {
    ...rest,
    properties: {
      ...members,
      associatedRoles: object(
        {
          allowedAudience: { enum: ["ORGANIZATION", "APPLICATION"] },
          roles: { ...texts, description: "Names of roles" },
        },
        [],
      ),
      protocols: {
        type: "object",
        properties: Object.fromEntries(Object.entries(protocols).map(([name, { $defs: _, ...one }]) => [name, one])),
        additionalProperties: { ...custom, description: "A custom protocol of the deployment" },
      },
      authorizedApis: {
        type: "array",
        items: object({ identifier: text, policy: text, scopes: texts }, ["identifier"]),
      },
      assignments: {
        type: "array",
        description: "The groups and roles that may use the application, where it asks for an assignment",
        items: object({ type: { enum: ["group", "role"] }, name: text }, ["type", "name"]),
      },
    },
    $defs: {
      ...$defs,
      ...Object.assign({}, ...definitions),
      ...(advanced && {
        AdvancedApplicationConfiguration: {
          ...advanced,
          properties: {
            ...switches,
            discoverableGroups: {
              type: "array",
              items: object({ userStore: text, groups: { ...texts, description: "Names of groups" } }, ["groups"]),
            },
          },
        },
      }),
    },
  };
}

/** Any value for what a schema refers to and does not define: a template holds parts of protocols, as it was given. */
function withMissing(schema: Schema): Schema {
  const defined = (schema.$defs ?? {}) as Schema;
  const names = [...JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name = ""]) => name);
  return { ...schema, $defs: { ...Object.fromEntries(names.map((name) => [name, {}])), ...defined } };
}

let built: Readonly<Record<KindName, Schema>> | undefined;

/** The schema of each kind. */
export function schemas(): Readonly<Record<KindName, Schema>> {
  built ??= {
    "api-resources": object(
      {
        identifier: text,
        name: text,
        description: text,
        requiresAuthorization: { type: "boolean" },
        scopes: { type: "array", items: object({ name: text, displayName: text, description: text }, ["name"]) },
      },
      ["identifier", "name"],
    ),
    groups: object({ displayName: text }, ["displayName"]),
    roles: object(
      {
        name: text,
        application: { ...text, description: "The application of the role; otherwise the organization" },
        permissions: { ...texts, description: "Scopes" },
        groups: { ...texts, description: "Names of groups" },
      },
      ["name"],
    ),
    templates: withMissing(ofShape(NewTemplate, "output")),
    applications: application(),
  };
  return built;
}

/** The text of a schema file. */
export function schemaText(kind: KindName): string {
  return `${JSON.stringify({ $schema: DRAFT, title: kind, ...schemas()[kind] }, undefined, 2)}\n`;
}

const validators = new Map<KindName, ValidateFunction>();

/** The mistakes of a document: where, and what to change. */
export function mistakesIn(kind: KindName, document: unknown): readonly string[] {
  let validate = validators.get(kind);
  if (!validate) {
    const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
    validate = ajv.compile(schemas()[kind]);
    validators.set(kind, validate);
  }
  if (validate(document)) return [];
  return [...new Set((validate.errors ?? []).map(sentenceOf))];
}

function sentenceOf({ instancePath, keyword, params, message }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
  const under = place === "" ? "" : `${place}.`;
  if (keyword === "additionalProperties") return `${under}${params.additionalProperty} is unknown`;
  if (keyword === "required") return `${under}${params.missingProperty} is missing`;
  if (keyword === "enum") return `${place} must be one of ${params.allowedValues.join(", ")}`;
  return `${place || "the file"} ${message ?? "is wrong"}`;
}
