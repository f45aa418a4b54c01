/** What `/Schemas` and `/ResourceTypes` of a running service declare, and how answers differ from it. */
import type { Shown } from "./scim.ts";

/** An attribute, or a part of one, with its path in requests and in a resource. */
export interface Declared {
  /** As `attributes` and paths of PATCH have it: `name.givenName`, or with the URN of its extension. */
  readonly path: string;
  /** The members that lead to its value. */
  readonly steps: readonly string[];
  readonly attribute: Shown;
  /** The attribute that it is a part of. */
  readonly parent: Declared | undefined;
}

/** The attributes that every resource has and no schema declares (RFC 7643 section 3.1). */
const common: readonly Shown[] = [
  { name: "schemas", type: "reference", multiValued: true, mutability: "readOnly", returned: "always" },
  { name: "id", type: "string", multiValued: false, mutability: "readOnly", returned: "always" },
  { name: "externalId", type: "string", multiValued: false, mutability: "readWrite", returned: "default" },
  {
    name: "meta",
    type: "complex",
    multiValued: false,
    mutability: "readOnly",
    returned: "default",
    subAttributes: ["resourceType", "created", "lastModified", "location", "version"].map((name) => ({
      name,
      type: name === "created" || name === "lastModified" ? "dateTime" : "string",
      multiValued: false,
      mutability: "readOnly",
      returned: "default",
    })),
  },
];

/** The attributes and parts of a resource type, in its schema and the extensions of which `isLeftOut` is not true. */
export const declaredBy = (
  schemas: readonly Shown[],
  type: Shown,
  isLeftOut: (urn: string) => boolean = () => false,
): readonly Declared[] => {
  const attributesOf = (urn: string): readonly Shown[] => schemas.find(({ id }) => id === urn)?.attributes ?? [];
  const extensions: readonly string[] = type.schemaExtensions.map(({ schema }: Shown) => schema);
  return [
    ...common.filter(({ name }) => name !== "schemas").flatMap((one) => withParts(one, [], "")),
    ...attributesOf(type.schema).flatMap((one) => withParts(one, [], "")),
    ...extensions
      .filter((urn) => !isLeftOut(urn))
      .flatMap((urn) => attributesOf(urn).flatMap((one) => withParts(one, [urn], `${urn}:`))),
  ];
};

const withParts = (attribute: Shown, above: readonly string[], prefix: string): readonly Declared[] => {
  const whole: Declared = {
    path: `${prefix}${attribute.name}`,
    steps: [...above, attribute.name],
    attribute,
    parent: undefined,
  };
  const parts = (attribute.subAttributes ?? []).map((sub: Shown) => ({
    path: `${whole.path}.${sub.name}`,
    steps: [...whole.steps, sub.name],
    attribute: sub,
    parent: whole,
  }));
  return [whole, ...parts];
};

/** The values at some steps, in all elements of lists. */
export const valuesAt = (resource: unknown, [step, ...steps]: readonly string[]): readonly unknown[] => {
  if (step === undefined) return [resource];
  if (typeof resource !== "object" || resource === null || !Object.hasOwn(resource, step)) return [];
  return [(resource as Shown)[step]].flat().flatMap((value) => valuesAt(value, steps));
};

const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  reference: (value) => typeof value === "string" && (URL.canParse(value) || value.startsWith("urn:")),
  boolean: (value) => typeof value === "boolean",
  integer: (value) => Number.isInteger(value),
  decimal: (value) => typeof value === "number",
  dateTime: (value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value) && Date.parse(value) > 0,
  binary: (value) => typeof value === "string" && Buffer.from(value, "base64").toString("base64") === value,
  complex: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/**
 * What a resource of an answer has that its schemas do not declare, or declare in another way. `isWhole`: it has to
 * have what is required.
 */
export const violationsIn = (schemas: readonly Shown[], resource: Shown, isWhole = true): string[] => {
  const found: string[] = [];
  const check = (members: Shown, attributes: readonly Shown[], path: string): void => {
    for (const { name, required, returned } of attributes) {
      if (isWhole && required && returned !== "never" && !(name in members)) found.push(`${path}${name} is missing`);
    }
    for (const [name, value] of Object.entries(members)) {
      const attribute = attributes.find((one) => one.name === name);
      if (!attribute) found.push(`${path}${name} is in no schema`);
      else if (attribute.returned === "never") found.push(`${path}${name} is never returned`);
      else if (Array.isArray(value) !== attribute.multiValued) found.push(`${path}${name} is a list, or none`);
      else {
        for (const one of [value].flat()) {
          if (!fits[attribute.type]?.(one)) found.push(`${path}${name} is no ${attribute.type}`);
          else if (attribute.type === "complex") check(one as Shown, attribute.subAttributes, `${path}${name}.`);
          else if (attribute.mutability === "readOnly" && attribute.canonicalValues?.includes(one) === false)
            found.push(`${path}${name} is not one of its values`);
        }
      }
    }
  };
  const [core, ...extensions]: string[] = resource.schemas;
  const rest = { ...resource };
  for (const extension of extensions) {
    const declared = schemas.find(({ id }) => id === extension);
    if (!declared || !(extension in rest)) found.push(`${extension} has no values or no schema`);
    else check(rest[extension], declared.attributes, `${extension}:`);
    delete rest[extension];
  }
  check(rest, [...common, ...(schemas.find(({ id }) => id === core)?.attributes ?? [])], "");
  return found;
};
