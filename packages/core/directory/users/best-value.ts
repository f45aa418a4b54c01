/** The value that stands for those of a profile. Pure. */
import { isObject } from "../../kernel/json.ts";

/** The value of a type, or the primary one, or the first. */
export function oneOfMany(values: unknown, type?: string): string | number | boolean | undefined {
  const objects = Array.isArray(values) ? values.filter(isObject) : [];
  const best =
    type === undefined
      ? (objects.find(({ primary }) => primary === true) ?? objects[0])
      : objects.find((each) => each.type === type);
  return isScalar(best?.value) ? best.value : undefined;
}

/** Whether a value is a text, a number or a truth value. */
export function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
