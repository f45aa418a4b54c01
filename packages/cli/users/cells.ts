/** Cells of CSV files that a spreadsheet would read as formulas. */

/** What such a cell begins with, and the mark itself, so that each marked cell has one mark more. */
const MARKED = /^'[=+\-@\t\r']/;
const MARKS = /^[=+\-@\t\r']/;
/** A password is never changed: a spreadsheet that runs one as a formula is the smaller harm. */
const SECRET = /password|hash|secret/i;

/** A cell for a file: an apostrophe comes before what a spreadsheet would run. */
export function marked(column: string, cell: string): string {
  return !SECRET.test(column) && MARKS.test(cell) ? `'${cell}` : cell;
}

/** The value of a cell: the opposite of `marked`. */
export function unmarked(column: string, cell: string): string {
  return !SECRET.test(column) && MARKED.test(cell) ? cell.slice(1) : cell;
}
