/** docs/table.md shows every key that the code can build, and no other. */
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { kinds } from "#tests/support/table-page.ts";

/** Stands for every part of a key; as long as the numbers that keys fill up. */
const PART = "{------}";

interface Form {
  readonly name: string;
  readonly pk: string;
  /** Absent where the code names a partition alone. */
  readonly sk: string | undefined;
}

const isKey = (made: unknown): made is { readonly PK: string; readonly SK?: string } =>
  typeof made === "object" && made !== null && "PK" in made;

const called = (name: string, make: unknown): unknown => {
  if (typeof make !== "function") return make;
  // The parts of a bulk are in the partition of what they change.
  const first = name.startsWith("bulk") ? { PK: PART, SK: PART } : PART;
  return make(first, ...Array<string>(6).fill(PART));
};

const formsOf = (name: string, make: unknown): readonly Form[] => {
  const made = called(name, make);
  if (typeof made === "string") return [{ name, pk: made, sk: undefined }];
  if (isKey(made)) return [{ name, pk: made.PK, sk: made.SK }];
  if (typeof made !== "object" || made === null) return [];
  return Object.entries(made).flatMap(([part, of]) => formsOf(`${name}.${part}`, of));
};

const forms = Object.entries(keys).flatMap(([name, make]) => formsOf(name, make));
const unnamed = (form: string): string => form.replace(/\{\w+\}/g, PART);

describe("the page of the table", () => {
  test("has every kind once, with what it needs", () => {
    expect(kinds.length).toBeGreaterThan(80);
    expect(new Set(kinds.map(({ name }) => name)).size).toBe(kinds.length);
    expect(kinds.filter(({ owners }) => owners.length === 0)).toEqual([]);
  });

  test("shows each key of the code in its form", () => {
    const built = forms.flatMap(({ name, pk, sk }) => (sk === undefined ? [] : [[name, pk, sk]]));
    const shown = kinds.map(({ name, pk, sk }) => [name, unnamed(pk), unnamed(sk)]);
    expect(built.filter((one) => !shown.some((other) => other.join("|") === one.join("|")))).toEqual([]);
  });

  test("has no key that the code does not build", () => {
    const wrong = kinds.filter(
      ({ name, pk, sk }) =>
        // Of some partitions the code names the partition, and an index makes the sort keys.
        !forms.some(
          (form) =>
            form.pk === unnamed(pk) &&
            (form.sk === undefined || form.name === name) &&
            (form.sk === undefined || form.sk === unnamed(sk)),
        ),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("shows a kind of each partition that the code names", () => {
    const partitions = new Set(kinds.map(({ pk }) => unnamed(pk)));
    expect(forms.filter(({ pk }) => !partitions.has(pk))).toEqual([]);
  });

  test("names owners that exist", () => {
    const root = new URL("../../../", import.meta.url);
    const pathOf = (owner: string) => (owner.startsWith("packages/") ? owner : `packages/core/${owner}`);
    const owners = [...new Set(kinds.flatMap((kind) => kind.owners))];
    expect(owners.filter((owner) => !existsSync(new URL(pathOf(owner), root)))).toEqual([]);
  });
});
