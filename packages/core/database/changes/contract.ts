/** The operations that read changes of all resources of a tenant (decision 0083). */

import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import { readsChanges } from "../../kernel/operation/reach.ts";
import { AuditQuery, ChangeFeedPage, ChangeRecords, PageQuery } from "./shapes.ts";

const scopes = { view: "internal_audit_view" } as const;
const at = endpointsOf("audit", "/api/server/v1", scopes, "decision 0083");

export const auditOperations = {
  listAuditEvents: operation({
    ...at("GET", "/audit-events", "view"),
    reaches: readsChanges,
    summary: "List changes, newest first: who changed which resource, when, from where, from what to what",
    query: AuditQuery,
    success: { status: 200, body: ChangeRecords },
    failures: [400],
  }),
  listChanges: operation({
    ...at("GET", "/changes", "view"),
    reaches: readsChanges,
    summary: "The feed of changes, oldest first and complete, for readers that continue where they stopped",
    query: PageQuery,
    success: { status: 200, body: ChangeFeedPage },
    failures: [400],
  }),
} as const;
