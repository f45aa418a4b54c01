/** Deleted resources that are put aside, so that they can be restored (decision 0084). */

/** The types of resources that are put aside. */
export const deletedTypes = ["application", "application-template", "api-resource", "user", "group", "role"] as const;

export type DeletedType = (typeof deletedTypes)[number];

/** A deleted resource, as lists show it. */
export interface Deleted {
  readonly type: DeletedType;
  readonly id: string;
  /** The name that it had: of an API resource its identifier; with a user store where that is not PRIMARY. */
  readonly name: string;
  readonly deletedMs: number;
  /** From then on it cannot be restored. */
  readonly expiresAtSeconds: number;
}

const SECONDS_PER_DAY = 24 * 60 * 60;

/** When a resource that is deleted now cannot be restored any more. */
export function expiryOf(deletedMs: number, days: number): number {
  return Math.floor(deletedMs / 1_000) + days * SECONDS_PER_DAY;
}

/** When a row that a restored resource needs is removed: later than the resource, so that it is there until the end. */
export function expiryWithSlack(expiresAtSeconds: number): number {
  return expiresAtSeconds + SECONDS_PER_DAY;
}

/** Whether it can still be restored. DynamoDB removes expired rows up to two days late. */
export function isAlive({ expiresAtSeconds }: Pick<Deleted, "expiresAtSeconds">, nowMs: number): boolean {
  return expiresAtSeconds * 1_000 > nowMs;
}
