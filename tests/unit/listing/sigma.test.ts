/**
 * Greek names in filters: the lower case of a capital sigma depends on what stands next to it, and the part of a name
 * that a filter has stands next to something else than in the name.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { groupFilter } from "#core/directory/scim-api/v1/filter.ts";
import { foldName } from "#core/kernel/fold.ts";
import { planOf } from "#core/scim/listing/plan.ts";
import { FEW } from "#core/scim/listing/values/sets.ts";
import { matches } from "#core/scim/protocol/filter/evaluate.ts";
import { groupType } from "#core/scim/protocol/schema/resource-types.ts";
import { boundFilter, directoryOf, namesOf, page, people, person, SHIPPED } from "./values.support.ts";

const FAMILIES = ["ΠΑΠΑΣ", "ΠΑΠΑΣΤΑΜΟΥ", "ΠΑΠΑΣ-ΑΒΓΗΣ", "Παπάς Αβγής", "ΣΤΑΣ", "ΠΑΠΑΔΟΠΟΥΛΟΥ"];
const USERS = ["ΝΙΚΟΣ", "ΝΙΚΟΣΘΕΝΗΣ", "ΝΙΚΗ", "ΣΙΜΟΣ", "νικοσ.β"];
const greek = [
  ...FAMILIES.map((familyName, at) => person(1_000 + at, `family${at}`, { name: { familyName }, active: true })),
  ...USERS.map((name, at) => person(2_000 + at, name, { active: true })),
];
/** Users of whom the filters below say nothing: with them, lists use the indexes. */
const many = [...greek, ...people(FEW + 50)];
const few = directoryOf(greek);
const indexed = directoryOf(many);
const scanned = directoryOf(many, []);
const none = directoryOf(many, SHIPPED, () => false);

/** The first pages of a filter, however it is found. */
const answersTo = async (filter: string): Promise<(readonly string[])[]> =>
  Promise.all(
    [few, indexed, scanned, none].flatMap((directory) =>
      [filter, `(${filter}) and (active eq true or title eq "zz")`, `(${filter}) or title eq "zz"`].map(async (one) =>
        namesOf((await page(directory, { filter: one }, 0, 50)).items).sort(),
      ),
    ),
  );

const families = (...names: readonly string[]) => names.map((name) => `family${FAMILIES.indexOf(name)}`).sort();
const users = (...names: readonly string[]) => names.map((name) => person(0, name, {}).key).sort();

describe("finds by each index, by names, and by a scan", () => {
  test.each<[string, readonly string[]]>([
    ['name.familyName sw "ΠΑΠΑΣ"', families("ΠΑΠΑΣ", "ΠΑΠΑΣΤΑΜΟΥ", "ΠΑΠΑΣ-ΑΒΓΗΣ")],
    ['name.familyName sw "παπας"', families("ΠΑΠΑΣ", "ΠΑΠΑΣΤΑΜΟΥ", "ΠΑΠΑΣ-ΑΒΓΗΣ")],
    ['name.familyName sw "παπασ"', families("ΠΑΠΑΣ", "ΠΑΠΑΣΤΑΜΟΥ", "ΠΑΠΑΣ-ΑΒΓΗΣ")],
    ['name.familyName co "ΑΠΑΣ"', families("ΠΑΠΑΣ", "ΠΑΠΑΣΤΑΜΟΥ", "ΠΑΠΑΣ-ΑΒΓΗΣ")],
    ['name.familyName ew "Σ"', families("ΠΑΠΑΣ", "ΠΑΠΑΣ-ΑΒΓΗΣ", "Παπάς Αβγής", "ΣΤΑΣ")],
    ['name.familyName ew "ς"', families("ΠΑΠΑΣ", "ΠΑΠΑΣ-ΑΒΓΗΣ", "Παπάς Αβγής", "ΣΤΑΣ")],
    ['name.familyName co "Σ-Α"', families("ΠΑΠΑΣ-ΑΒΓΗΣ")],
    ['name.familyName co "Σ Α"', families("Παπάς Αβγής")],
    ['name.familyName sw "ΠΑΠΆΣ Α"', families("Παπάς Αβγής")],
    ['name.familyName sw "Σ"', families("ΣΤΑΣ")],
    ['name.familyName eq "παπας"', families("ΠΑΠΑΣ")],
    ['name.familyName sw "ΠΑΠΑΣ" and not (name.familyName ew "Σ")', families("ΠΑΠΑΣΤΑΜΟΥ")],
    ['name[familyName sw "ΠΑΠΑΣ" and familyName co "ΜΟΥ"]', families("ΠΑΠΑΣΤΑΜΟΥ")],
    ['userName sw "ΝΙΚΟΣ"', users("ΝΙΚΟΣ", "ΝΙΚΟΣΘΕΝΗΣ", "νικοσ.β")],
    ['userName sw "ΝΙΚΟΣ" and userName co "Σ"', users("ΝΙΚΟΣ", "ΝΙΚΟΣΘΕΝΗΣ", "νικοσ.β")],
    ['userName co "Σ"', users("ΝΙΚΟΣ", "ΝΙΚΟΣΘΕΝΗΣ", "ΣΙΜΟΣ", "νικοσ.β")],
    ['userName ew "ΟΣ"', users("ΝΙΚΟΣ", "ΣΙΜΟΣ")],
    ['userName eq "ΝΙΚΟΣ"', users("ΝΙΚΟΣ")],
  ])("%s", async (filter, expected) => {
    const answers = await answersTo(filter);
    expect(answers).toEqual(answers.map(() => expected));
  });
  test("reads only the names that begin as all forms do", async () => {
    const { candidates } = planOf(boundFilter('userName sw "ΝΙΚΟΣ"'), few.source);
    expect(candidates).toMatchObject({ kind: "names", prefix: "νικο" });
  });
});

test("wildcards of SCIM 1.1 stand for the rest of a word", () => {
  const found = (filter: string): readonly string[] => {
    const { names } = groupFilter(groupType, filter, ["PRIMARY"]);
    return FAMILIES.map(foldName).filter((key) => key.startsWith(names?.prefix ?? "?") && names?.test?.(key) !== false);
  };
  const keys = (...names: readonly string[]) => names.map(foldName);
  expect(found('displayName Eq "ΠΑΠΑΣ*"')).toEqual(keys("ΠΑΠΑΣ", "ΠΑΠΑΣΤΑΜΟΥ", "ΠΑΠΑΣ-ΑΒΓΗΣ"));
  expect(found('displayName Eq "ΠΑΠΑΣ*Σ"')).toEqual(keys("ΠΑΠΑΣ-ΑΒΓΗΣ"));
  expect(found('displayName Eq "*Σ"')).toEqual(keys("ΠΑΠΑΣ", "ΠΑΠΑΣ-ΑΒΓΗΣ", "Παπάς Αβγής", "ΣΤΑΣ"));
  expect(found('displayName Eq "*ΑΠΑΣ*"')).toEqual(keys("ΠΑΠΑΣ", "ΠΑΠΑΣΤΑΜΟΥ", "ΠΑΠΑΣ-ΑΒΓΗΣ"));
  expect(found('displayName Eq "ΠΑΠΑΔ*"')).toEqual(keys("ΠΑΠΑΔΟΠΟΥΛΟΥ"));
});

describe("a part of a name", () => {
  /** Letters, what counts as a part of a word, and what ends one. */
  const letters = fc.string({ unit: fc.constantFrom("Σ", "Σ", "Α", "Α", "ς", "σ", "'", ".", "\u0301", " ", "1", "-") });
  const quoted = (text: string): string => JSON.stringify(text);
  const finds = (operator: string, familyName: string, part: string): boolean =>
    matches(boundFilter(`name.familyName ${operator} ${quoted(part)}`), { name: { familyName } });
  /** The same text where sigmas are one letter. */
  const plain = (text: string): string => text.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
  /** Two texts of which each begins with a character of its own. */
  const isCut = (before: string, after: string) =>
    (before + after).normalize("NFC") === before.normalize("NFC") + after.normalize("NFC");

  test("is found in the name, in capitals and as the name is shown in small letters", () => {
    fc.assert(
      fc.property(letters, letters, letters, (before, part, after) => {
        fc.pre(part !== "" && isCut(before, part) && isCut(part, after));
        const small = `${before}${part}${after}`.toLowerCase().slice(before.length, before.length + part.length);
        for (const one of [part, small]) {
          expect(finds("co", before + part + after, one), "co").toBe(true);
          expect(finds("sw", part + after, one) || one !== part, "sw").toBe(true);
          expect(finds("ew", before + part, one) || one !== part, "ew").toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
  });
  test("is not found in another name", () => {
    fc.assert(
      fc.property(letters, letters, (name, part) => {
        fc.pre(name !== "" && part !== "");
        const [whole, inside] = [plain(name), plain(part)];
        expect(finds("co", name, part) && !whole.includes(inside)).toBe(false);
        expect(finds("sw", name, part) && !whole.startsWith(inside)).toBe(false);
        expect(finds("ew", name, part) && !whole.endsWith(inside)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });
});
