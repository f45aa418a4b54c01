/** Change records (decision 0082): who changed which resource, when, from where, and from what to what. */

import type { SignInMethod } from "../../kernel/operation/context.ts";

/** The kinds of resources whose changes are recorded. */
export const resourceTypes = [
  "application",
  "inbound-protocol",
  "authorized-apis",
  "assignments",
  "application-template",
  "resident-application",
  "api-resource",
  "oidc-scopes",
  "user",
  "group",
  "role",
  "tenant",
  "webhook",
  "event-stream",
] as const;

export type ResourceType = (typeof resourceTypes)[number];

/** The resource of a record. */
export interface ChangedResource {
  readonly type: ResourceType;
  /**
   * Of a protocol its name, such as `oidc`. Of authorized APIs and assignments the id of the application, of a resident
   * application and of scopes of OpenID Connect the domain of the tenant.
   */
  readonly id: string;
  /** The name after the change, or before it where the resource was removed. */
  readonly name?: string;
  /** The application that a protocol, authorized APIs or assignments belong to. */
  readonly applicationId?: string;
  /** The tenant of the resource, where it is another one than that of the record: of who changed it. */
  readonly tenant?: string;
}

/** Who made a change. */
export interface ChangeActor {
  /** `operator`: somebody of the super tenant, whom the records of another tenant do not name. */
  readonly type: "user" | "client" | "operator";
  /** The id of the user, or the client id. Empty for an operator. */
  readonly id: string;
  /** The qualified user name. */
  readonly name?: string;
  /** Absent where the operator opened the operation to callers who do not sign in. */
  readonly signIn?: SignInMethod;
  /** The client whose token was used. */
  readonly clientId?: string;
  /** Those who act for the user by an exchanged token (RFC 8693), the latest first: ids of clients and users. */
  readonly via?: readonly string[];
}

/** A value of a document that is recorded: JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/**
 * One difference: an operation of JSON Patch (RFC 6902) with the value before it. Sets of members are objects by id. A
 * secret is named by its path; its values are left out, and inside a larger value it is `SECRET`.
 */
export interface Change {
  readonly op: "add" | "remove" | "replace";
  /** A JSON Pointer (RFC 6901) into the document of the resource; empty for the whole of it. */
  readonly path: string;
  /** The value after the change; absent for `remove`. */
  readonly value?: Json;
  /** The value before the change; absent for `add`. */
  readonly from?: Json;
  /** True where the values are secret, and are left out. */
  readonly secret?: true;
  /** Of authorized APIs: the names, at that time, of the APIs and scopes that the change adds and removes, by id. */
  readonly names?: Readonly<Record<string, string>>;
}

/** What stands for a secret inside of a value. */
export const SECRET: Json = { secret: true };

/** What caused a change: the request, without the change itself. */
export interface Cause {
  /** The tenant of the caller; `undefined` where nobody has signed in. */
  readonly tenant: string | undefined;
  readonly actor: ChangeActor;
  readonly sourceIp: string;
  /** The id of the operation in the catalogue. */
  readonly operation: string;
  readonly traceId: string;
}

/** One change of one resource. */
export interface ChangeRecord {
  /** Sorts by time: later changes of a resource have greater ids. */
  readonly id: string;
  /** In milliseconds since 1970-01-01T00:00:00Z. */
  readonly atMs: number;
  readonly tenant: string;
  readonly actor: ChangeActor;
  readonly sourceIp: string;
  readonly operation: string;
  readonly resource: ChangedResource;
  readonly changes: readonly Change[];
  readonly traceId: string;
  /** The id of the change before it of the same resource. */
  readonly previous?: string;
}
