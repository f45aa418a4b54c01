/** The table that a benchmark prints: what was counted, beside what is allowed. */
import type { Cost } from "#core/table/meter.ts";

/** What may be spent. A missing member has no limit. */
export interface Budget {
  readonly roundTrips?: number;
  readonly readUnits?: number;
}

/** One measured thing. */
export interface Row {
  readonly name: string;
  readonly size: number;
  readonly cost: Cost;
  readonly budget: Budget;
  /** How long it took here, for the eye only: nothing is held against it. */
  readonly ms?: number | undefined;
}

const HEAD: readonly string[] = [
  "operation",
  "at",
  "round trips",
  "read units",
  "write units",
  "budget",
  "",
  "ms here",
];

/** Whether a row is within its budget; one that was not measured is not. */
export function isWithin({ cost, budget }: Row): boolean {
  return (
    cost.roundTrips <= (budget.roundTrips ?? Number.POSITIVE_INFINITY) &&
    cost.readUnits <= (budget.readUnits ?? Number.POSITIVE_INFINITY)
  );
}

/** Prints the rows; answers whether all are within their budgets. */
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

function budgetText({ roundTrips, readUnits }: Budget): string {
  return [roundTrips === undefined ? [] : `${roundTrips} rt`, readUnits === undefined ? [] : `${readUnits} read units`]
    .flat()
    .join(", ");
}
