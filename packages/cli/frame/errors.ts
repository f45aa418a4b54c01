/** Errors for people: what is wrong, and what to type next. */
import { Fault, type FaultKind } from "#client/client.ts";
import { RunEnded, UsageError } from "../client.ts";

const SIGN_IN = "Sign in: identity-admin login";
const SEE_RIGHTS = "See what you are allowed to do: identity-admin doctor. Docs: guides/roles-and-scopes.md";

/** Ends the command. The message is for people; `next` is a command to type, or a sentence. */
export class CommandError extends Error {
  readonly code: ExitCode;
  readonly next: string | undefined;
  constructor(message: string, code: ExitCode, next?: string) {
    super(message);
    this.code = code;
    this.next = next;
  }
}

/** Input that cannot be read: an option, a file, a value. */
export function wrongInput(message: string, next?: string): CommandError {
  return new CommandError(message, exitCodes.wrongInput, next);
}

/** What an error means for people. Throws what is a defect of this program. */
export function explained(error: unknown, url: string | undefined): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof Fault) return new CommandError(sentenceOf(error), codeOfFault[error.kind], nextOf(error, url));
  if (error instanceof UsageError) return wrongInput(error.message);
  if (error instanceof RunEnded) {
    const { message, status } = error;
    if (status === 401) return new CommandError(message, exitCodes.unauthenticated, SIGN_IN);
    if (status === 403) return new CommandError(message, exitCodes.forbidden, SEE_RIGHTS);
    const code = status === 0 ? exitCodes.unreachable : exitCodes.failed;
    return new CommandError(message, code, "Finished work is kept. Run the same command again to continue.");
  }
  const { code, path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (code === "ENOENT") return wrongInput(`${path ?? "A file"} does not exist.`);
  if (code === "EACCES" || code === "EISDIR" || code === "ENOTDIR") {
    return wrongInput(`${path ?? "A file"} cannot be read or written (${code}).`);
  }
  throw error;
}

function sentenceOf({ kind, detail, status, code, traceId }: Fault): string {
  if (kind === "unreachable") return detail;
  const trace = kind === "failed" && traceId ? ` Trace id: ${traceId}.` : "";
  const shown = code && code !== String(status) ? ` ${code}` : "";
  return `${status}${shown}: ${detail}${trace}`;
}

function nextOf({ kind, detail }: Fault, url: string | undefined): string | undefined {
  switch (kind) {
    case "unauthenticated":
      return /expired/.test(detail)
        ? "The token expired. Set a new one in IDENTITY_ADMIN_TOKEN, or sign in: identity-admin login"
        : SIGN_IN;
    case "forbidden":
      return SEE_RIGHTS;
    case "notFound":
      return "Find it: identity-admin <users|groups|roles|apps|apis|tenants> list";
    case "changed":
      return "It was changed by somebody else in the meantime. Run the same command again.";
    case "unreachable":
      if (/is no Identity Admin API|TLS|Is its address/.test(detail)) {
        return "Specify the service: --url https://... or IDENTITY_ADMIN_URL";
      }
      return url !== undefined && /127\.0\.0\.1|localhost/.test(url)
        ? "Start it (npm start), or specify another service: --url https://... or IDENTITY_ADMIN_URL"
        : "Check the address: identity-admin doctor";
    case "tooMany":
    case "failed":
      return "Run the same command again later.";
    default:
      return undefined;
  }
}

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

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of each kind of fault. */
const codeOfFault: Readonly<Record<FaultKind, ExitCode>> = {
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
