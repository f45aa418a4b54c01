/** The operation catalogue: every endpoint of the API. A domain's contract is listed here once. */
import { apiResourceOperations } from "../api-resources/contract.ts";
import { applicationOperations } from "../applications/contract.ts";
import { authorizedApiOperations } from "../authorized-apis/contract.ts";
import { documentOperations } from "../documents/contract.ts";
import { metadataOperations } from "../metadata/contract.ts";
import { oauthOperations } from "../oauth/contract.ts";
import { protocolOperations } from "../protocols/contract.ts";
import { scim1Operations } from "../scim1/contract.ts";
import { scim2Operations } from "../scim2/contract.ts";
import { templateOperations } from "../templates/contract.ts";
import { tenantOperations } from "../tenants/contract.ts";
import { transferOperations } from "../transfer/contract.ts";
import type { Operation } from "./operation.ts";
import type { ServiceName } from "./services.ts";

/** Every operation, by its id: the name of its handler, its test file, its `operationId` and its log field. */
export const catalogue = {
  ...documentOperations,
  ...applicationOperations,
  ...protocolOperations,
  ...templateOperations,
  ...metadataOperations,
  ...authorizedApiOperations,
  ...apiResourceOperations,
  ...oauthOperations,
  ...scim1Operations,
  ...transferOperations,
  ...scim2Operations,
  ...tenantOperations,
} as const satisfies Readonly<Record<string, Operation>>;

/** The id of an operation. */
export type OperationId = keyof typeof catalogue;

/** The catalogue where any id may be looked up. */
export const operations: Readonly<Record<string, Operation>> = catalogue;

/** The operations of one endpoint group. */
export const operationsOf = (service: ServiceName): Readonly<Record<string, Operation>> =>
  Object.fromEntries(Object.entries(operations).filter(([, declaration]) => declaration.service === service));
