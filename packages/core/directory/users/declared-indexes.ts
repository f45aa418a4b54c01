/** The indexes that a deployment declares, as one container knows them. */

export interface DeclaredIndexes {
  /** The attributes, as `pathName` writes them. */
  readonly attributes: readonly string[];
  /** When the row with the indexes of a user store was last read before a write, by its partition. */
  readonly readMs: Map<string, number>;
}

/** For one container. */
export function declaredIndexes(attributes: readonly string[]): DeclaredIndexes {
  return { attributes, readMs: new Map() };
}
