/** The operation that returns the OpenAPI document. */
import * as z from "zod";
import { operation, PUBLIC } from "../operation/operation.ts";

export const documentOperations = {
  getOpenApiDocument: operation({
    service: "application-metadata",
    method: "GET",
    path: "/openapi.json",
    scope: PUBLIC,
    summary: "The OpenAPI 3.1 description of this API",
    source: "decision 0002",
    success: { status: 200, body: z.looseObject({ openapi: z.string() }) },
    failures: [],
  }),
} as const;
