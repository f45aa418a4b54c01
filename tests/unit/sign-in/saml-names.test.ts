/** The sessions that a name of SAML stands for. */
import { beforeEach, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { addingName, endingName, sessionsNamed } from "#core/sign-in/saml/names-store.ts";
import { testTable } from "#tests/support/engine.ts";

const FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";
const of = { tenant: "acme.com", clientId: "·saml·a", value: "kim" };
let table: Table;

const session = (sid: string) => ({
  ...{ tenant: "acme.com", user: { id: "u", userName: "kim", userStore: "PRIMARY" }, sid, ip: "198.51.100.7" },
  ...{ authSeconds: 1, startedMs: 1_000, seenSeconds: 1, endsAtSeconds: 4_000_000_000 },
});
const noted = (index: string) => ({ format: FORMAT, value: "kim", index, endsAtSeconds: 4_000_000_000 });

beforeEach(async () => {
  table = (await testTable()).open(newMeter());
  for (let at = 0; at < 230; at += 1) await table.write(addingName(of, noted(`_${at}`), session(`${at}`)));
});

test("many of them hide none", async () => {
  expect((await sessionsNamed(table, of, ["_229", "_7", "_7", "_none"])).map(({ sid }) => sid)).toEqual(["229", "7"]);
  expect(await sessionsNamed(table, of, [])).toHaveLength(230);
  expect(await sessionsNamed(table, { ...of, value: " kim\t" }, ["_1"])).toHaveLength(1);
});

test("they are of one provider, one tenant and one name", async () => {
  for (const other of [{ clientId: "·saml·b" }, { tenant: "other.com" }, { value: "Kim" }]) {
    expect(await sessionsNamed(table, { ...of, ...other }, ["_1"])).toEqual([]);
    expect(await sessionsNamed(table, { ...of, ...other }, [])).toEqual([]);
  }
});

test("one that has ended names its sign-out", async () => {
  const [found] = await sessionsNamed(table, of, ["_5"]);
  if (!found) throw new Error("no name");
  await table.write(endingName(of, found, "digest", 0));
  expect(await sessionsNamed(table, of, ["_5"])).toEqual([{ ...found, chain: "digest" }]);
});
