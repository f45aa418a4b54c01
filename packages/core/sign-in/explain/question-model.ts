/** What an explanation of access is asked (decision 0194). */

import type { ReadyRule } from "../authentication/access-control/rules.ts";
import type { Target as Addressed } from "../authentication/target.ts";
import type { AskedTargets } from "../oauth/targets.ts";

/** The kinds of subjects: users by their ids, and applications on their own behalf by their client ids. */
export const subjectTypes = ["user", "client"] as const;
export type SubjectType = (typeof subjectTypes)[number];

/** An operation, by a request for it. */
export interface WantedOperation {
  readonly kind: "operation";
  readonly target: Addressed;
  readonly method: string;
  /** Without a tenant. */
  readonly path: string;
  /** The rule of deployment.toml that decides. */
  readonly rule: ReadyRule | undefined;
}

/** A scope of this service, or of an API of the tenant. */
export interface WantedScope {
  readonly kind: "scope";
  readonly name: string;
  /** The identifier of the API that it must belong to. */
  readonly ofApi?: string | undefined;
}

/** One question. */
export interface Question {
  readonly subject: { readonly type: SubjectType; readonly id: string };
  /** The application by which a user calls; absent for a user who calls directly. */
  readonly applicationId?: string | undefined;
  readonly wanted: WantedOperation | WantedScope;
  /** The limits of the token: absent for one that was requested with all that is needed. */
  readonly scopes?: readonly string[] | undefined;
  readonly resources?: AskedTargets | undefined;
}
