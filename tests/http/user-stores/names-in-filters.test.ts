/**
 * Names in filters of users, with their user store and without: few users, of which a scan reads all, and many, of
 * which indexes and member lists find the matches, have one answer.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { FEW } from "#core/scim/listing/values/sets.ts";
import { type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { scim1Of } from "#tests/support/scim1.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: `[scim2]\nprofile = "negotiate"\n${TWO_STORES}` });
const scim = scimOf(api);
const CARE = "Primary/Secondary Care";
const LABS = "Second/Labs";

beforeAll(async () => {
  const [kim, second] = await Promise.all([
    scim.user({ userName: "kim", title: "Queen", displayName: CARE }),
    scim.user({ userName: "SECOND/kim", title: "Queen", displayName: LABS }),
    scim.user({ userName: "lee", displayName: "Care" }),
    scim.user({ userName: "SECOND/lee", displayName: "Labs" }),
  ]);
  await scim.group({ displayName: "staff", members: [{ value: kim?.id }] });
  await scim.group({ displayName: "R&D / Labs", members: [{ value: kim?.id }] });
  await scim.group({ displayName: "SECOND/staff", members: [{ value: second?.id }] });
});

/** Users of whom the filters below say nothing. */
const addOthers = async (): Promise<void> => {
  for (const store of ["", "SECOND/"]) {
    for (let from = 0; from < FEW; from += 50) {
      const Operations = Array.from({ length: 50 }, (_, at) => ({
        method: "POST",
        path: "/Users",
        bulkId: `b${at}`,
        data: { schemas: [URN.user], userName: `${store}other-${from + at}`, displayName: `Other ${from + at}` },
      }));
      const { status, text } = await scim.ask("POST", "/Bulk", { body: { schemas: [URN.bulk], Operations } });
      expect(status, text).toBe(200);
    }
  }
};

const found = async (filter: string): Promise<string[]> => {
  const pageFrom = (startIndex: number): Promise<Shown> =>
    scim.find(filter, "/Users", { startIndex, count: 200, attributes: "userName" });
  const { Resources, totalResults } = await pageFrom(1);
  const rest = totalResults > 200 ? await pageFrom(201) : { Resources: [] };
  const names = [...Resources, ...rest.Resources].map(({ userName }: Shown): string => userName);
  return names.filter((name) => !name.includes("other-") && name !== "admin").sort();
};

const all = ["SECOND/kim", "SECOND/lee", "kim", "lee"];
const but = (...names: readonly string[]) => all.filter((name) => !names.includes(name));
/** Does not change what a filter finds, but the way in which it is found. */
const ways = [
  (filter: string) => filter,
  (filter: string) => `(${filter}) and active eq true`,
  (filter: string) => `(${filter}) or title eq "zz"`,
  (filter: string) => `(${filter}) and (active eq true or title eq "zz")`,
];
const rows: readonly [string, readonly string[]][] = [
  ['groups eq "PRIMARY/staff"', ["kim"]],
  ['groups eq "primary/STAFF" and title pr', ["kim"]],
  ['groups.display eq "PRIMARY/staff"', ["kim"]],
  ['groups.display eq "staff"', ["SECOND/kim", "kim"]],
  ['groups eq "staff"', ["SECOND/kim", "kim"]],
  ['groups.display eq "SECOND/staff"', ["SECOND/kim"]],
  ['groups eq "second/staff"', ["SECOND/kim"]],
  ['groups.display eq "THIRD/staff"', []],
  ['groups eq "R&D / Labs"', ["kim"]],
  ['groups.display eq "PRIMARY/R&D / Labs"', ["kim"]],
  ['groups[display eq "SECOND/staff"]', ["SECOND/kim"]],
  ['groups[display eq "SECOND/staff" and type eq "direct"]', ["SECOND/kim"]],
  ['groups[type eq "direct"].display eq "PRIMARY/staff"', ["kim"]],
  ['groups.display sw "SECOND/st"', ["SECOND/kim"]],
  ['groups sw "SECOND/"', ["SECOND/kim"]],
  ['groups co "PRIMARY/sta"', ["kim"]],
  ['groups co "taf"', ["SECOND/kim", "kim"]],
  ['groups.display ew "/staff"', []],
  ["groups.display pr", ["SECOND/kim", "kim"]],
  ['not (groups.display eq "PRIMARY/staff")', but("kim")],
  ['not (groups eq "staff")', but("SECOND/kim", "kim")],
  ['not (groups.display eq "SECOND/staff")', but("SECOND/kim")],
  ['groups.display eq "PRIMARY/staff" or groups.display eq "SECOND/staff"', ["SECOND/kim", "kim"]],
];

/** Names that users show are no names of the service: what looks like a store in them is a part of them. */
const shown: readonly [string, readonly string[]][] = [
  [`displayName eq "${CARE}"`, ["kim"]],
  [`displayName eq "${LABS.toUpperCase()}"`, ["SECOND/kim"]],
  ['displayName sw "Primary/"', ["kim"]],
  ['displayName co "SECOND/"', ["SECOND/kim"]],
  ['displayName eq "PRIMARY/Care"', []],
  ['displayName eq "SECOND/Labs"', ["SECOND/kim"]],
  ['displayName ew "/labs"', ["SECOND/kim"]],
  [`not (displayName eq "${CARE}")`, but("kim")],
  ['userName eq "PRIMARY/kim"', ["kim"]],
  ['userName sw "SECOND/k"', ["SECOND/kim"]],
];

const finds = (name: string, given: readonly (readonly [string, readonly string[]])[]) =>
  test.each(given)(`${name}: %s`, async (filter, expected) => {
    const answers = await Promise.all(ways.map((way) => found(way(filter))));
    expect(answers).toEqual(ways.map(() => expected));
  });

describe("among few users", () => {
  finds("names of groups", rows);
  finds("names that users show", shown);
});

describe("in SCIM 1.1", () => {
  test.each([
    ['groups Eq "PRIMARY/staff"', ["kim"]],
    ['groups Eq "staff"', ["SECOND/kim", "kim"]],
    ['groups.display Eq "SECOND/staff"', ["SECOND/kim"]],
  ])("%s", async (filter, expected) => {
    const { body } = await scim1Of(api).ask("GET", "/Users", { query: { filter } });
    expect(body.Resources.map(({ userName }: Shown) => userName).sort()).toEqual(expected);
  });
});

describe("among many users", () => {
  beforeAll(addOthers, 60_000);
  finds("names of groups", rows);
  finds("names that users show", shown);
});
