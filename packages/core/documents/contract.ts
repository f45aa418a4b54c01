/** The operation that returns the OpenAPI document. */

import { operation, PUBLIC } from "../operation/operation.ts";
import * as z from "../platform/zod.ts";

const part = { type: "object" };

const OpenApiDocument = z.looseObject({ openapi: z.string() }).meta({
  id: "OpenApiDocument",
  required: ["openapi", "info", "paths", "components"],
  properties: {
    openapi: { type: "string" },
    info: part,
    servers: { type: "array", items: part },
    tags: { type: "array", items: part },
    "x-tagGroups": { type: "array", items: part },
    paths: part,
    components: part,
  },
});

export const documentOperations = {
  getOpenApiDocument: operation({
    service: "application-metadata",
    method: "GET",
    path: "/openapi.json",
    scope: PUBLIC,
    summary: "The OpenAPI 3.1 description of this API",
    source: "decision 0002",
    success: { status: 200, body: OpenApiDocument, etag: "content" },
    failures: [],
  }),
} as const;
