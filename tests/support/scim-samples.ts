/** Values that a client makes up from `/Schemas`, as conformance suites do. */
import { randomUUID } from "node:crypto";
import type { Shown } from "./scim.ts";

const simple: Readonly<Record<string, () => unknown>> = {
  boolean: () => true,
  integer: () => 7,
  decimal: () => 7.5,
  dateTime: () => "2024-05-13T04:42:34Z",
  binary: () => Buffer.from(randomUUID()).toString("base64"),
  reference: () => `https://${randomUUID()}.test`,
};

const isWritable = ({ mutability }: Shown): boolean => mutability !== "readOnly";

/** A value of one attribute, with everything in it that may be written. */
export const sampleOf = ({ type, multiValued, subAttributes, canonicalValues }: Shown): unknown => {
  const one =
    type === "complex" ? sampleOfAll(subAttributes) : (canonicalValues?.[0] ?? simple[type]?.() ?? randomUUID());
  return multiValued ? [one] : one;
};

/** A value of each attribute that may be written. */
export const sampleOfAll = (attributes: readonly Shown[]): Shown =>
  Object.fromEntries(attributes.filter(isWritable).map((attribute) => [attribute.name, sampleOf(attribute)]));

/** The attributes that may be written of some schemas, by the paths that requests name them by. */
export const writablePaths = (core: Shown, extensions: readonly Shown[]): readonly (readonly [string, Shown])[] => [
  ...core.attributes.filter(isWritable).map((attribute: Shown) => [attribute.name, attribute] as const),
  ...extensions.flatMap(({ id, attributes }) =>
    attributes.filter(isWritable).map((attribute: Shown) => [`${id}:${attribute.name}`, attribute] as const),
  ),
];
