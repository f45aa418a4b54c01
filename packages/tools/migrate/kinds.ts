/**
 * The kinds of rows whose stored shape was changed (decision 0072). A kind joins when its codec becomes a versioned
 * one, and leaves when no reader of the release before needs an upgrade.
 */
import type { VersionedCodec } from "#core/table/shape.ts";
import type { Key } from "#core/table/table.ts";

/** One kind of rows with versions. */
export interface VersionedKind {
  readonly name: string;
  /** Whether a row is of this kind, by its key. */
  matches(key: Key): boolean;
  readonly codec: Pick<VersionedCodec<unknown>, "attributes" | "written" | "rewritten">;
}

/** All of them. In this release every kind is of version 1. */
export const versionedKinds: readonly VersionedKind[] = [];
