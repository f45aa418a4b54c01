/** Sample values that a client derives from `/Schemas`, as conformance suites do. */
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

/** A value of an attribute, with all writable sub-attributes. */
export const sampleOf = ({ type, multiValued, subAttributes, canonicalValues }: Shown): unknown => {
  const one =
    type === "complex" ? sampleOfAll(subAttributes) : (canonicalValues?.[0] ?? simple[type]?.() ?? randomUUID());
  return multiValued ? [one] : one;
};

/** A value of each writable attribute. */
export const sampleOfAll = (attributes: readonly Shown[]): Shown =>
  Object.fromEntries(attributes.filter(isWritable).map((attribute) => [attribute.name, sampleOf(attribute)]));

/** The writable attributes of schemas, with their paths in requests. */
export const writablePaths = (core: Shown, extensions: readonly Shown[]): readonly (readonly [string, Shown])[] => [
  ...core.attributes.filter(isWritable).map((attribute: Shown) => [attribute.name, attribute] as const),
  ...extensions.flatMap(({ id, attributes }) =>
    attributes.filter(isWritable).map((attribute: Shown) => [`${id}:${attribute.name}`, attribute] as const),
  ),
];
