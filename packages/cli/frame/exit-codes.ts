/** How the command ends, for scripts (docs/command-line.md). */
import type { FaultKind } from "#client/client.ts";

export const exitCodes = {
  done: 0,
  /** Something was refused, failed, or is incomplete. */
  failed: 1,
  /** `plan`: something would change. */
  wouldChange: 2,
  /** A wrong command line, or input that cannot be read. */
  wrongInput: 3,
  unauthenticated: 4,
  forbidden: 5,
  notFound: 6,
  conflict: 7,
  unreachable: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of each kind of fault. */
export const codeOfFault: Readonly<Record<FaultKind, ExitCode>> = {
  invalid: exitCodes.failed,
  failed: exitCodes.failed,
  tooMany: exitCodes.failed,
  unauthenticated: exitCodes.unauthenticated,
  forbidden: exitCodes.forbidden,
  notFound: exitCodes.notFound,
  conflict: exitCodes.conflict,
  changed: exitCodes.conflict,
  unreachable: exitCodes.unreachable,
};
