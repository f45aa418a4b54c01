/** Applications as files, in and out (spec application-management-api.md, operations 2, 3 and 6). */
import * as z from "zod";
import { operation } from "../../operation/operation.ts";
import { ApplicationId } from "../registry/shapes.ts";
import { SECRET_SCOPES } from "./contract-secrets.ts";

/** Bytes of an upload; Lambda carries 6 MB, of which Base64 takes a third. */
const UPLOAD_BYTES_MAX = 4_194_304;

const Upload = z.custom<{ readonly content: Uint8Array }>().meta({ type: "string", format: "binary" });

const Body = z
  .strictObject({
    file: Upload.refine((part) => part !== undefined, "send the application's XML file as the part named file"),
  })
  .meta({ id: "ApplicationFile" });

/** What became of a file. */
const ImportReport = z
  .object({
    applicationId: z.string(),
    name: z.string(),
    notHonoured: z
      .array(z.object({ element: z.string(), reason: z.string() }))
      .meta({ description: "What the file says that has no effect here; it is kept and exported again" }),
  })
  .meta({ id: "ImportReport" });

const shared = { service: "applications" } as const;
const importing = {
  ...shared,
  path: "/api/server/v1/applications/import",
  body: Body,
  media: "multipart",
  limits: { bytes: UPLOAD_BYTES_MAX },
} as const;

export const transferOperations = {
  importApplication: operation({
    ...importing,
    method: "POST",
    scope: "internal_application_mgt_create",
    summary: "Create an application from an exported file; all of it, or nothing",
    source: "application API, operation 2",
    success: { status: 201, location: true, body: ImportReport },
    failures: [400, 409, 413, 415],
  }),
  updateApplicationFromFile: operation({
    ...importing,
    method: "PUT",
    scope: "internal_application_mgt_update",
    seesScopes: true,
    summary: "Replace the application that has the name in an exported file by what the file says",
    source: "application API, operation 3",
    success: { status: 200, location: true, body: ImportReport },
    failures: [400, 404, 409, 413, 415],
  }),
  exportApplication: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications/{applicationId}/export",
    scope: "internal_application_mgt_view",
    seesScopes: true,
    summary: "An application as an XML file",
    source: "application API, operation 6",
    params: z.object({ applicationId: ApplicationId }),
    query: z.object({
      exportSecrets: z
        .enum(["true", "false"], { error: "expected true or false" })
        .transform((text) => text === "true")
        .optional()
        .meta({
          type: "boolean",
          default: false,
          description: `With client secrets and confidential values, for a caller who also has the scope ${SECRET_SCOPES.join(" or ")}; for others the file begins with a comment that they are left out`,
        }),
    }),
    success: { status: 200, file: "application/octet-stream" },
    failures: [400, 404],
  }),
} as const;
