/** Measures the costs of the name index at a given number of names. */
import { openTable } from "#core/database/table/dynamo.ts";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { type NameIndex, nameIndex } from "#core/database/table/name-index/name-index.ts";
import { clientFor, createTable } from "../../local/database.ts";
import { startEngine } from "../../local/engine.ts";
import { layoutOf, loadItems } from "./loading.ts";
import type { Budget, Row } from "./report.ts";

const TABLE_NAME = "names";
const PAGE = 100;
const DEADLINE_MS = 9_000;
const SHARE_MARKED = 10;

export async function measureNames(count: number): Promise<Row[]> {
  const engine = await startEngine();
  try {
    await createTable(engine.endpoint, TABLE_NAME);
    const names = namesOf(count);
    const userNames = keys.userNames("carbon.super", "PRIMARY");
    const entries = names.map((key, index) => ({ key, id: `id-${index}` }));
    const items = [...layoutOf(userNames, entries)];
    await loadItems(engine.endpoint, TABLE_NAME, `${count} names`, items.length, items);
    const open = openTable({ tableName: TABLE_NAME, deadlineMs: DEADLINE_MS, client: clientFor(engine.endpoint) });
    const rows: Row[] = [];
    for (const { name, budget, run } of measured(names)) {
      const meter = newMeter();
      await run(nameIndex(open(meter), userNames));
      rows.push({ name, size: count, cost: meter.cost, budget });
    }
    return rows;
  } finally {
    await engine.stop();
  }
}

/** Names of about 17 bytes, in the order of their keys; every tenth starts with `mark`. */
function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const number = ((index * 2_654_435_761) % 4_294_967_296).toString(36).padStart(7, "0");
    return index % SHARE_MARKED === 0 ? `mark.${number}.${index % 97}` : `${number}.person${index % 977}`;
  }).sort();
}

/** The measured operations and their budgets at a million names. Units scale with the number of names. */
function measured(
  names: readonly string[],
): readonly { name: string; budget: Budget; run: (index: NameIndex) => Promise<unknown> }[] {
  const page = { roundTrips: 3, readUnits: 20 };
  const fresh = "m.fresh-name";
  return [
    { name: "page at 0", budget: page, run: (index) => index.page({ offset: 0, limit: PAGE }) },
    { name: "page in the middle", budget: page, run: (index) => index.page({ offset: names.length / 2, limit: PAGE }) },
    { name: "last page", budget: page, run: (index) => index.page({ offset: names.length - PAGE, limit: PAGE }) },
    { name: "total", budget: page, run: (index) => index.total() },
    { name: "eq", budget: { roundTrips: 1, readUnits: 2 }, run: (index) => index.find(names[5] ?? "") },
    {
      name: "sw, every tenth",
      budget: { roundTrips: 3, readUnits: 50 },
      run: (index) => index.startsWith("mark.", { offset: 0, limit: PAGE }),
    },
    {
      name: "co, eventually consistent",
      budget: { roundTrips: 3, readUnits: 1_550 },
      run: (index) => index.search((key) => key.includes("person97"), { offset: 0, limit: PAGE, consistent: false }),
    },
    {
      name: "create",
      budget: { roundTrips: 3 },
      run: (index) => index.create({ key: fresh, entry: { id: "id" }, steps: [], taken: fail }),
    },
    {
      name: "rename",
      budget: { roundTrips: 3 },
      run: (index) =>
        index.rename({ from: fresh, to: "a.fresh-name", entry: { id: "id" }, steps: [], taken: fail, notOwned: fail }),
    },
    {
      name: "remove",
      budget: { roundTrips: 3 },
      run: (index) => index.remove({ key: "a.fresh-name", id: "id", steps: [], notOwned: fail }),
    },
  ];
}

function fail(): Error {
  return new Error("the name of the benchmark is in use");
}
