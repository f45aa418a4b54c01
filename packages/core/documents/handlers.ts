/** The function behind the OpenAPI document. */
import type { Handlers } from "../operation/operation.ts";
import type { documentOperations } from "./contract.ts";

/** What these handlers use. */
export interface DocumentStores {
  /** The committed document, read once per container. */
  readonly openApi: () => Promise<{ readonly openapi: string }>;
}

export const documentHandlers: Handlers<typeof documentOperations, DocumentStores> = {
  getOpenApiDocument: (_, { openApi }) => openApi(),
};
