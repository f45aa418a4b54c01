/** The operation that returns the OpenAPI document. */
import * as z from "zod";
import { operation, PUBLIC } from "../operation/operation.ts";

const part = z.record(z.string(), z.unknown());

const OpenApiDocument: z.ZodType<{ readonly openapi: string }, { readonly openapi: string }> = z
  .looseObject({
    openapi: z.string(),
    info: part,
    servers: z.array(part),
    tags: z.array(part),
    paths: part,
    components: part,
  })
  .meta({ id: "OpenApiDocument" });

export const documentOperations = {
  getOpenApiDocument: operation({
    service: "application-metadata",
    method: "GET",
    path: "/openapi.json",
    scope: PUBLIC,
    summary: "The OpenAPI 3.1 description of this API",
    source: "decision 0002",
    success: { status: 200, body: OpenApiDocument },
    failures: [],
  }),
} as const;
