/** The handler of the OpenAPI document. */
import type { Handlers } from "../operation/operation.ts";
import type { documentOperations } from "./contract.ts";

/** The dependencies of these handlers. */
export interface DocumentStores {
  /** The committed document, read once per container. */
  readonly openApi: () => Promise<{ readonly openapi: string }>;
}

export const documentHandlers: Handlers<typeof documentOperations, DocumentStores> = {
  getOpenApiDocument: (_, { openApi }) => openApi(),
};
