/** The subjects of security events: resources of SCIM, in the formats that receivers name them in. Pure. */
import { createHash } from "node:crypto";
import { readScopes } from "../../database/changes/read-scopes.ts";

/** The SCIM resource types with events. */
export const subjectTypes = {
  user: { path: "/Users/" },
  group: { path: "/Groups/" },
  role: { path: "/v2/Roles/" },
} as const;

export type SubjectType = keyof typeof subjectTypes;

const types = Object.keys(subjectTypes) as SubjectType[];

/** A resource that events are about. */
export interface Subject {
  readonly type: SubjectType;
  readonly id: string;
}

/** How a receiver names a subject: by its path below the SCIM service (`scim`), or by the claims of tokens. */
export interface NamedSubject {
  readonly format: string;
  readonly uri?: string | undefined;
  readonly iss?: string | undefined;
  readonly sub?: string | undefined;
}

export function isSubjectType(type: string): type is SubjectType {
  return Object.hasOwn(subjectTypes, type);
}

/** The types whose data some scopes let read. */
export function readableBy(scopes: ReadonlySet<string>): ReadonlySet<SubjectType> {
  return new Set(types.filter((type) => scopes.has(readScopes[type])));
}

/** The path of a resource below the SCIM service (RFC 9967 section 2.1). */
export function scimPath({ type, id }: Subject): string {
  return `${subjectTypes[type].path}${id}`;
}

/** The resource that a name leads to, whether it exists or not; `undefined` for a name of anything else. */
export function subjectOf({ format, uri = "", iss, sub }: NamedSubject, issuer: string): Subject | undefined {
  if (format === "iss_sub") return iss === issuer && sub ? { type: "user", id: sub } : undefined;
  if (format !== "scim") return undefined;
  for (const type of types) {
    const { path } = subjectTypes[type];
    const id = uri.slice(path.length);
    if (uri.startsWith(path) && id !== "" && !id.includes("/")) return { type, id };
  }
  return undefined;
}

/** What a subject is stored by: 16 characters. */
export function subjectDigest(subject: Subject): string {
  return createHash("sha256").update(scimPath(subject)).digest("base64url").slice(0, 16);
}
