/** A kind of custom inbound protocol, as deployment.toml declares it. */

/** One property of a custom protocol. */
export interface CustomProperty {
  readonly name: string;
  readonly displayName: string;
  readonly type: "STRING" | "BOOLEAN" | "INTEGER";
  readonly required: boolean;
  /** The only values that are accepted; empty for any. */
  readonly availableValues: readonly string[];
  readonly defaultValue?: string;
  /** A pattern of RE2 that a value must match as a whole. */
  readonly validationRegex?: string;
  readonly displayOrder: number;
  /** A confidential value is sealed at rest. */
  readonly isConfidential: boolean;
}

/** One kind. */
export interface CustomProtocolKind {
  /** The name in paths and lists; unique, and none of the standard protocols'. */
  readonly name: string;
  readonly displayName: string;
  readonly configName: string;
  readonly properties: readonly CustomProperty[];
}
