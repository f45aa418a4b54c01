/** Prints the costs and budgets of a benchmark as a table. */
import type { Cost } from "#core/database/table/meter.ts";

/** The most that an operation may cost. A missing member means no limit. */
export interface Budget {
  readonly roundTrips?: number;
  readonly readUnits?: number;
  readonly writeUnits?: number;
}

/** One measurement. */
export interface Row {
  readonly name: string;
  readonly size: number;
  readonly cost: Cost;
  readonly budget: Budget;
  /** The duration on this machine; not compared with a budget. */
  readonly ms?: number | undefined;
}

const HEAD: readonly string[] = ["operation", "at", "round trips", "read units", "write units", "budget", "", "ms"];

/** Whether a row is within its budget. A failed measurement is not. */
export function isWithin({ cost, budget }: Row): boolean {
  return (
    cost.roundTrips <= (budget.roundTrips ?? Number.POSITIVE_INFINITY) &&
    cost.readUnits <= (budget.readUnits ?? Number.POSITIVE_INFINITY) &&
    cost.writeUnits <= (budget.writeUnits ?? Number.POSITIVE_INFINITY)
  );
}

/** Prints the rows. Returns whether all are within their budgets. */
export function printRows(title: string, rows: readonly Row[]): boolean {
  const cells = rows.map((row) => [
    row.name,
    row.size.toLocaleString("en"),
    String(row.cost.roundTrips),
    String(row.cost.readUnits),
    String(row.cost.writeUnits),
    budgetText(row.budget),
    isWithin(row) ? "ok" : "OVER",
    row.ms === undefined ? "" : row.ms.toFixed(0),
  ]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...cells.map((line) => (line[column] ?? "").length)));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) =>
        column === 0 || column >= 5 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  console.log(`\n${title}\n${line(HEAD)}`);
  for (const cell of cells) console.log(line(cell));
  return rows.every(isWithin);
}

function budgetText({ roundTrips, readUnits, writeUnits }: Budget): string {
  return [
    roundTrips === undefined ? [] : `${roundTrips} rt`,
    readUnits === undefined ? [] : `${readUnits} read units`,
    writeUnits === undefined ? [] : `${writeUnits} write units`,
  ]
    .flat()
    .join(", ");
}
