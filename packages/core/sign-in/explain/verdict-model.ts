/** The decision about a question, with everything that it follows from, by ids. */
import type { AuthenticationHandler } from "../authentication/access-control/model.ts";
import type { Reason } from "./gaps.ts";
import type { LinkType } from "./link-model.ts";

/** One link of a path. A scope is named in place of an id. */
export interface Link {
  readonly type: LinkType;
  readonly id: string;
}

/** A way by which a requirement is met: from the subject to what it is about. */
export type Path = readonly Link[];

/** A link that is missing, and the one next to the gap. */
export interface Gap {
  readonly reason: Reason;
  readonly link?: Link | undefined;
}

/** What must hold, in the order in which requests are decided. */
export const requirementNames = ["account", "application", "assignment", "credential", "resource", "scope"] as const;

/** One of the things that must hold together. */
export interface Requirement {
  readonly name: (typeof requirementNames)[number];
  /** Of a requirement `scope`. */
  readonly scope?: string;
  readonly isMet: boolean;
  readonly paths: readonly Path[];
  /** None where it is met. */
  readonly gaps: readonly Gap[];
}

/** The decision. */
export interface Verdict {
  readonly isAllowed: boolean;
  /** True where no credential is needed. */
  readonly isPublic: boolean;
  /** True where the scopes authorise a part of what the operation does. */
  readonly isPart: boolean;
  /** The kinds of credentials with which it is allowed. */
  readonly credentials: readonly AuthenticationHandler[];
  readonly requirements: readonly Requirement[];
}
