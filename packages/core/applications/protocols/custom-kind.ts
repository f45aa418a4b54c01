/** Custom inbound protocols, as deployment.toml declares them. */

/** One property of a custom protocol. */
export interface CustomProperty {
  readonly name: string;
  readonly displayName: string;
  readonly type: "STRING" | "BOOLEAN" | "INTEGER";
  readonly required: boolean;
  /** The accepted values; empty for any value. */
  readonly availableValues: readonly string[];
  readonly defaultValue?: string;
  /** An RE2 pattern that the whole value must match. */
  readonly validationRegex?: string;
  readonly displayOrder: number;
  /** A confidential value is sealed at rest. */
  readonly isConfidential: boolean;
}

/** One custom protocol. */
export interface CustomProtocolKind {
  /** The name in paths and lists. Unique, and different from the standard protocols. */
  readonly name: string;
  readonly displayName: string;
  readonly configName: string;
  /** What signs people in; absent where nothing does. */
  readonly engine?: "cas";
  readonly properties: readonly CustomProperty[];
}
