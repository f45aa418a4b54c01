/** The rows of the table of settings (decision 0075): what each leaf of an application's settings does. */

/** A leaf with an effect here, and the test that shows it. */
export interface Enforced {
  readonly kind: "enforced";
  /** What the setting does. */
  readonly effect: string;
  /** A test file, and the title of a test in it. */
  readonly test: readonly [file: string, title: string];
}

/** A leaf that is checked, stored and returned as written. */
export interface Kept {
  readonly kind: "kept";
  /** What it is for. */
  readonly use: string;
  /** What somebody who sets it could wrongly believe that this service enforces. */
  readonly warning?: string;
}

/** A leaf that is 400 with its path. */
export interface Refused {
  readonly kind: "refused";
  readonly reason: string;
  /** A value that is refused. */
  readonly sample: unknown;
}

export type Row = Enforced | Kept | Refused;

/** The rows of one model, by the path of the leaf; `[]` marks the elements of a list. */
export type Rows = Readonly<Record<string, Row>>;

/** A leaf with an effect here. */
export function enforced(effect: string, file: string, title: string): Enforced {
  return { kind: "enforced", effect, test: [`tests/${file}`, title] };
}

/** A leaf that is returned as written. */
export function kept(use: string, warning?: string): Kept {
  return { kind: "kept", use, ...(warning !== undefined && { warning }) };
}

/** A leaf that is 400 with its path. */
export function refused(reason: string, sample: unknown): Refused {
  return { kind: "refused", reason, sample };
}
