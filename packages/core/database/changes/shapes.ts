/** The shapes of change records, as callers see them. */

import { wholeNumber } from "../../kernel/management-api.ts";
import { signInMethods } from "../../kernel/operation/context.ts";
import * as z from "../../kernel/zod.ts";
import { resourceTypes } from "./model.ts";

const LIMIT_MOST = 1_000;
export const RECORDS_DEFAULT = 50;

const ChangeActor = z
  .object({
    type: z.enum(["user", "client", "operator"]),
    id: z.string().meta({ description: "The id of the user, or the client id; empty for an operator" }),
    name: z.string().optional(),
    signIn: z.enum(signInMethods).optional(),
    clientId: z.string().optional().meta({ description: "The client whose token was used" }),
    via: z.array(z.string()).optional().meta({ description: "Who acts for the user by an exchanged token" }),
  })
  .meta({ id: "ChangeActor" });

const ChangedResource = z
  .object({
    type: z.enum(resourceTypes),
    id: z.string(),
    name: z.string().optional(),
    applicationId: z.string().optional(),
    tenant: z.string().optional().meta({
      description: "The tenant of the resource, where a caller of this tenant changed one of another tenant",
    }),
  })
  .meta({ id: "ChangedResource" });

const RecordedChange = z
  .object({
    op: z.enum(["add", "remove", "replace"]),
    path: z.string().meta({ description: "A JSON Pointer (RFC 6901); empty for the whole resource" }),
    value: z.unknown().optional().meta({ description: "The value after the change" }),
    from: z.unknown().optional().meta({ description: "The value before the change" }),
    secret: z.literal(true).optional().meta({ description: "The values are secret, and are left out" }),
    names: z.record(z.string(), z.string()).optional().meta({
      description:
        "Of authorized APIs: the names, at that time, of the APIs and scopes that were added or removed, by id",
    }),
  })
  .meta({ id: "RecordedChange" });

/** One change of one resource. */
export const ChangeRecordShown = z
  .object({
    id: z.string(),
    version: z.string().meta({ description: "The version that the resource has since: the same as the id" }),
    time: z.string().meta({ format: "date-time" }),
    tenant: z.string(),
    actor: ChangeActor,
    sourceIp: z.string().optional().meta({ description: "Where the request came from" }),
    operation: z.string(),
    resource: ChangedResource,
    changes: z.array(RecordedChange),
    changesTruncated: z.literal(true).optional().meta({
      description: "`changes` has the first ones only: all of them are too large for a response",
    }),
    changesTotalCount: z
      .int()
      .optional()
      .meta({ description: "How many changes the record has, where `changes` has the first ones only" }),
    traceId: z.string(),
  })
  .meta({ id: "ChangeRecord" });

/** A page of records. */
export const ChangeRecords = z
  .object({
    records: z.array(ChangeRecordShown),
    next: z.string().optional().meta({ description: "`after` of the next page; absent at the end" }),
  })
  .meta({ id: "ChangeRecords" });

/** A page of the feed. */
export const ChangeFeedPage = z
  .object({
    records: z.array(ChangeRecordShown),
    next: z.string().meta({ description: "`after` of the next page, also where this page is the last one yet" }),
  })
  .meta({ id: "ChangeFeedPage" });

/** Which page of a list. */
export const PageQuery = z.object({
  limit: wholeNumber(
    {
      description: "The maximum number of records on a page",
      default: RECORDS_DEFAULT,
      minimum: 1,
      maximum: LIMIT_MOST,
    },
    1,
    LIMIT_MOST,
  ),
  after: z.string().min(1).max(4_000).optional().meta({ description: "`next` of the page before" }),
});

/** Which records. */
export const AuditQuery = PageQuery.extend({
  since: time("Changes at or after this time"),
  until: time("Changes before this time"),
  actor: filter("The id or name of the user, or the id of the client, who made the change"),
  resourceType: z.enum(resourceTypes).optional().meta({ description: "The type of the resource" }),
  resourceId: filter("The id of the resource, or of the application that it belongs to"),
  operation: filter("The id of the operation, such as patchUser"),
  order: z.enum(["asc", "desc"]).optional().meta({ description: "`asc`: oldest first; default `desc`" }),
});

/** The version of a resource in a path. */
export const Version = z.string().min(1).max(40);

function filter(description: string) {
  return z
    .string()
    .min(1)
    .max(255)
    .refine((text) => text.isWellFormed(), "expected well-formed Unicode")
    .optional()
    .meta({ description });
}

function time(description: string) {
  return z.iso
    .datetime({
      offset: true,
      error: "expected a date and time such as 2026-01-31T08:00:00Z (a + must be sent as %2B)",
    })
    .transform((text) => Date.parse(text))
    .optional()
    .meta({ description, type: "string", format: "date-time" });
}
