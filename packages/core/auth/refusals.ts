/** Refused sign-ins in the log, with a digest in place of the name: the log holds no names of people. */
import { createHash } from "node:crypto";
import type { QualifiedName } from "../domain/username.ts";
import type { Observer } from "../http/observe.ts";
import { foldName } from "../platform/fold.ts";
import type { RefusalReason } from "./sign-in.ts";

/** Tells about what was refused. */
export type OnRefusal = (name: QualifiedName, reason: RefusalReason | "refresh token used twice") => void;

/** Writes what is refused during one request. */
export function refusalLog(observer: Observer, traceId: string, sourceIp: string): OnRefusal {
  return (name, reason) => {
    const { tenant, userStore } = name;
    observer.security({ traceId, tenant, userStore, nameDigest: digestOf(name), sourceIp, reason });
  };
}

/** A digest by which the attempts on one name can be followed through the log. */
function digestOf({ tenant, userStore, name }: QualifiedName): string {
  return createHash("sha256")
    .update(`${tenant}/${userStore}/${foldName(name)}`, "utf8")
    .digest("hex")
    .slice(0, 16);
}
