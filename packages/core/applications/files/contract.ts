/** The operations that export and import applications as files. */

import { operation } from "../../kernel/operation/operation.ts";
import { readsProtocols, updatesProtocols } from "../../kernel/operation/reach.ts";
import * as z from "../../kernel/zod.ts";
import { SECRET_SCOPES } from "../protocols/contract-secrets.ts";
import { ApplicationId } from "../registry/shapes.ts";

/** Bytes of an upload. Lambda accepts events of 6 MB, and Base64 makes a body a third larger. */
const UPLOAD_BYTES_MAX = 4_194_304;

const Upload = z
  .custom<{ readonly content: Uint8Array; readonly mediaType: string; readonly fileName: string | undefined }>()
  .meta({ type: "string", format: "binary" });

const Body = z
  .strictObject({
    file: Upload.refine((part) => part !== undefined, "send the file of the application as the part named file"),
  })
  .meta({ id: "ApplicationFile" });

/** The result of an import. */
const ImportReport = z
  .object({
    applicationId: z.string(),
    name: z.string(),
    notHonoured: z.array(z.object({ element: z.string(), reason: z.string() })).meta({
      description: "Elements of the file that have no effect in this service. An export contains them again.",
    }),
  })
  .meta({ id: "ImportReport" });

const ExportQuery = z.object({
  exportSecrets: z
    .enum(["true", "false"], { error: "expected true or false" })
    .transform((text) => text === "true")
    .optional()
    .meta({
      type: "boolean",
      default: false,
      description: `Include client secrets and confidential values. The caller also needs the scope ${SECRET_SCOPES.join(" or ")}; without it, the file begins with a comment that the secrets are left out.`,
    }),
});

const shared = { service: "applications" } as const;
const importing = {
  ...shared,
  path: "/api/server/v1/applications/import",
  body: Body,
  media: "multipart",
  limits: { bytes: UPLOAD_BYTES_MAX },
} as const;

export const applicationFileOperations = {
  importApplication: operation({
    ...importing,
    method: "POST",
    scope: "internal_application_mgt_create",
    seesScopes: true,
    does: ["create application file"],
    reaches: ["create application", "update script"],
    summary: "Create an application from an exported file, completely or not at all",
    source: "AM-002",
    success: { status: 201, location: true, body: ImportReport },
    failures: [400, 403, 409, 413, 415],
  }),
  updateApplicationFromFile: operation({
    ...importing,
    method: "PUT",
    scope: "internal_application_mgt_update",
    seesScopes: true,
    does: ["update application file"],
    reaches: ["update application", "update script", ...updatesProtocols],
    summary: "Replace the application that has the name in the file by the content of the file",
    source: "AM-003",
    success: { status: 200, location: true, body: ImportReport },
    failures: [400, 403, 404, 409, 412, 413, 415],
  }),
  exportApplication: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications/{applicationId}/export",
    scope: "internal_application_mgt_view",
    seesScopes: true,
    does: ["read application file"],
    reaches: ["read application", "read secret", ...readsProtocols],
    summary: "Export an application as an XML file",
    source: "AM-006",
    params: z.object({ applicationId: ApplicationId }),
    query: ExportQuery,
    success: { status: 200, file: "application/octet-stream", etag: "content" },
    failures: [400, 404],
  }),
  exportApplicationFile: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications/{applicationId}/exportFile",
    scope: "internal_application_mgt_view",
    seesScopes: true,
    does: ["read application file"],
    reaches: ["read application", "read secret", ...readsProtocols],
    summary: "Export an application as a file in XML, YAML or JSON",
    source: "decision 0104",
    params: z.object({ applicationId: ApplicationId }),
    query: ExportQuery,
    headers: z.object({
      accept: z
        .string()
        .optional()
        .meta({ description: "application/xml (the default), application/yaml or application/json" }),
    }),
    success: { status: 200, file: "application/octet-stream", etag: "content" },
    failures: [400, 404, 406],
  }),
} as const;
