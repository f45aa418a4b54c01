/**
 * Hides in records what is confidential today: values of custom protocols that were stored plain before deployment.toml
 * declared them confidential. What was confidential when it was stored is in no record. Pure.
 */
import { type Change, type ChangeRecord, type Json, SECRET } from "./model.ts";
import { pointerOf, protocolPath } from "./reverse.ts";

/** A custom protocol, as far as it says which properties are confidential. */
export interface DeclaredProtocol {
  readonly name: string;
  readonly properties: readonly { readonly name: string; readonly isConfidential: boolean }[];
}

const CUSTOM = "custom";
const PROPERTIES = "properties";
const WITH_PROTOCOLS: ReadonlySet<string> = new Set(["application", "inbound-protocol", "application-template"]);

type JsonObject = { readonly [name: string]: Json };

/** A function that hides the confidential values in the changes of a record. */
export function hiding(declared: readonly DeclaredProtocol[]): (record: ChangeRecord) => ChangeRecord {
  const confidential = new Map(
    declared.flatMap(({ name, properties }) => {
      const names = properties.filter((one) => one.isConfidential).map((one) => one.name);
      return names.length > 0 ? [[name, new Set(names)] as const] : [];
    }),
  );
  /** `place`: the members on the way to a value. Elements of a list of protocols have their names there. */
  const hidden = (value: Json, place: readonly string[]): Json => {
    const [list, name, member] = place.slice(-3);
    if (isList(value)) {
      if (place.at(-1) === CUSTOM) return value.map((one) => hidden(one, [...place, nameOf(one)]));
      const names = list === CUSTOM && member === PROPERTIES ? confidential.get(name ?? "") : undefined;
      return value.map((one) =>
        names && isObject(one) && names.has(String(one.key)) && Object.hasOwn(one, "value")
          ? { ...one, value: SECRET }
          : hidden(one, [...place, ""]),
      );
    }
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([each, own]) => [each, hidden(own, [...place, each])]));
  };
  return (record) => {
    const { resource, changes } = record;
    if (confidential.size === 0 || !WITH_PROTOCOLS.has(resource.type)) return record;
    const root = resource.type === "inbound-protocol" ? protocolPath(resource.id) : [];
    return {
      ...record,
      changes: changes.map((change): Change => {
        const place = [...root, ...pointerOf(change.path)];
        return {
          ...change,
          ...(change.value !== undefined && { value: hidden(change.value, place) }),
          ...(change.from !== undefined && { from: hidden(change.from, place) }),
        };
      }),
    };
  };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

function nameOf(value: Json): string {
  return isObject(value) ? String(value.name) : "";
}
