/** Refused sign-ins in the log, with a digest instead of the user name: the log contains no names of people. */
import { createHash } from "node:crypto";
import type { Observer } from "../../http/observe.ts";
import type { QualifiedName } from "../../kernel/domain/username.ts";
import { foldName } from "../../kernel/fold.ts";
import type { RefusalReason } from "./sign-in.ts";

/** What shows that somebody has stolen a token or a code. */
export type TheftReason = "refresh token used twice" | "authorization code used twice";

/** Why a right password alone is not enough. */
export type FactorReason =
  | "one-time code"
  | "one-time codes locked"
  | "passkey"
  | "passkeys locked"
  | "passkey that may be copied: its counter went back"
  | "password must be changed";

/** Reports a refused sign-in, refresh token or code. */
export type OnRefusal = (name: QualifiedName, reason: RefusalReason | TheftReason | FactorReason) => void;

/** The request whose sign-in is refused. */
export interface SignInAttempt {
  readonly traceId: string;
  readonly sourceIp: string;
  readonly operation: string;
}

/** Logs the refusals of one request. */
export function refusalLog(observer: Observer, attempt: SignInAttempt): OnRefusal {
  return (name, reason) => {
    const { tenant, userStore } = name;
    observer.security({ ...attempt, tenant, userStore, nameDigest: digestOf(name), reason });
  };
}

/** A digest by which the log shows which attempts were on one name. */
function digestOf({ tenant, userStore, name }: QualifiedName): string {
  return createHash("sha256")
    .update(`${tenant}/${userStore}/${foldName(name)}`, "utf8")
    .digest("hex")
    .slice(0, 16);
}
