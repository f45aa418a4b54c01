/** DynamoDB's notation of keys, items and the steps of a write. */
import type { TransactItem } from "./client/calls.ts";
import { type Notation, type StoredItem, storedNotation } from "./client/values.ts";
import type { Item, Key, Step, Value, When } from "./table.ts";

const PK_BYTES_MAX = 2_048;
const SK_BYTES_MAX = 1_024;

const SIMPLE_NAME = /^[A-Za-z][A-Za-z0-9]*$/;

type Placeholders = ReturnType<typeof placeholders>;

/** The parts of an update. */
export type UpdateParts = Omit<Extract<Step, { change: Key }>, "change" | "when" | "otherwise">;

/** Throws `RangeError` for keys that DynamoDB rejects (the embedded engine does not reject all of them). */
export function checkKey({ PK, SK }: Key): void {
  for (const [part, text, most] of [
    ["PK", PK, PK_BYTES_MAX],
    ["SK", SK, SK_BYTES_MAX],
  ] as const) {
    const bytes = Buffer.byteLength(text, "utf8");
    if (bytes === 0 || bytes > most) throw new RangeError(`${part} must hold 1 to ${most} bytes, not ${bytes}`);
    if (!text.isWellFormed()) throw new RangeError(`${part} is not well-formed Unicode`);
  }
}

/** A key in DynamoDB's notation. Throws as `checkKey` does. */
export function storedKey({ PK, SK }: Key, notation = storedNotation): StoredItem {
  checkKey({ PK, SK });
  return notation.write({ PK, SK });
}

/** An item in DynamoDB's notation. Throws as `checkKey` does. */
export function storedItem(item: Item, notation = storedNotation): StoredItem {
  checkKey(item);
  return notation.write(item);
}

/** Collects the placeholders of one request's expressions. */
export function placeholders(notation = storedNotation) {
  const names: Record<string, string> = {};
  const values: Record<string, Value> = {};
  return {
    name(attribute: string): string {
      // Names of attributes may contain what those of placeholders may not.
      const placeholder = SIMPLE_NAME.test(attribute) ? `#${attribute}` : `#_${Object.keys(names).length}`;
      names[placeholder] = attribute;
      return placeholder;
    },
    value(value: Value): string {
      const placeholder = `:v${Object.keys(values).length}`;
      values[placeholder] = value;
      return placeholder;
    },
    used: () => ({
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: notation.write(values) }),
    }),
  };
}

/** The update expression of a change. */
export function updateOf(step: UpdateParts, p: Placeholders): string {
  const clause = (word: string, parts: readonly string[]) => (parts.length > 0 ? [`${word} ${parts.join(", ")}`] : []);
  const pairs = (fields: Readonly<Record<string, Value>> | undefined, between: string) =>
    Object.entries(fields ?? {}).map(([attribute, value]) => `${p.name(attribute)}${between}${p.value(value)}`);
  return [
    ...clause("SET", [...pairs(step.set, " = "), ...pushed(step.push, p)]),
    ...clause("ADD", pairs(step.add, " ")),
    ...clause("DELETE", pairs(step.take, " ")),
    ...clause(
      "REMOVE",
      (step.clear ?? []).map((attribute) => p.name(attribute)),
    ),
  ].join(" ");
}

/** DynamoDB reads all values of an update before it sets one. */
function pushed(push: UpdateParts["push"], p: Placeholders): readonly string[] {
  if (!push) return [];
  const { value, through } = push;
  const none = through.length > 1 ? p.value("") : "";
  return through.map((attribute, at) => {
    const before = at === 0 ? undefined : through[at - 1];
    const from = before === undefined ? p.value(value) : `if_not_exists(${p.name(before)}, ${none})`;
    return `${p.name(attribute)} = ${from}`;
  });
}

/** One step in DynamoDB's notation. A failed condition returns the current item. */
export function transactItem(TableName: string, step: Step, notation: Notation = storedNotation): TransactItem {
  const p = placeholders(notation);
  const ConditionExpression = conditionOf(step.when, p);
  const condition = ConditionExpression !== undefined && { ConditionExpression };
  const common = { TableName, ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const };
  if ("put" in step) return { Put: { ...common, Item: storedItem(step.put, notation), ...condition, ...p.used() } };
  if ("change" in step) {
    const UpdateExpression = updateOf(step, p);
    return {
      Update: { ...common, Key: storedKey(step.change, notation), UpdateExpression, ...condition, ...p.used() },
    };
  }
  if ("remove" in step)
    return { Delete: { ...common, Key: storedKey(step.remove, notation), ...condition, ...p.used() } };
  const Key = storedKey(step.check, notation);
  if (!ConditionExpression) throw new RangeError("a check needs a condition");
  return { ConditionCheck: { ...common, Key, ConditionExpression, ...p.used() } };
}

function conditionOf(when: When, p: Placeholders): string | undefined {
  if (when === "any") return undefined;
  if (when === "absent") return "attribute_not_exists(PK)";
  if (when === "present") return "attribute_exists(PK)";
  const terms = ["attribute_exists(PK)"];
  for (const [attribute, value] of Object.entries(when.equal ?? {}))
    terms.push(`${p.name(attribute)} = ${p.value(value)}`);
  for (const [attribute, value] of Object.entries(when.above ?? {}))
    terms.push(`${p.name(attribute)} > ${p.value(value)}`);
  for (const attribute of when.lacking ?? []) terms.push(`attribute_not_exists(${p.name(attribute)})`);
  for (const [attribute, value] of Object.entries(when.unlike ?? {})) {
    const name = p.name(attribute);
    terms.push(`(attribute_not_exists(${name}) OR ${name} <> ${p.value(value)})`);
  }
  return terms.join(" AND ");
}
