/** The plans of the functions of the synthetic check, which only a stage with the check has (decision 0073). Pure. */

import { keys } from "#core/database/table/keys.ts";
import { CANARY_TENANT, SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { CANARY_CLIENT } from "#core/service/health/model.ts";
import { type FunctionPlan, hashing } from "./function-plan.ts";
import { administrator, applicationIndex, applicationIndexReads } from "./partition-groups.ts";
import { ANY, partitions as p } from "./partitions.ts";

/** The application of the synthetic check with its client. */
const canaryApplication = [...inTenant(CANARY_TENANT, [p.application]), keys.client(`${CANARY_CLIENT}${ANY}`).PK];
/** The days of the last use of its secret, which go with a former client. */
const CANARY_USES = keys.clientUses(`${CANARY_CLIENT}${ANY}`).PK;

export const canary: FunctionPlan = {
  description: "Checks the stage through its public name, once a minute",
  memory: "256 MB",
  timeout: "30 seconds",
  needs: ["canary"],
};

export const canarySetup: FunctionPlan = {
  ...hashing,
  description: "Creates the tenant, the user and the client of the synthetic check",
  timeout: "29 seconds",
  needs: ["sealing"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...inTenant(CANARY_TENANT, [p.tenant, p.userNames, p.user, p.application, ...applicationIndexReads]),
      // Whether a new tenant would capture user names (decision 0062).
      ...inTenant(SUPER_TENANT, [p.userNames]),
    ],
  },
  // The scopes of the client are written if its application is still as it was.
  conditions: canaryApplication,
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem"],
    on: [
      p.tenantNames,
      p.tenantId,
      ...inTenant(CANARY_TENANT, [p.tenant, ...administrator]),
      ...inTenant(CANARY_TENANT, [p.applicationNames, ...applicationIndex, p.revocations]),
      ...canaryApplication,
      CANARY_USES,
    ],
  },
};

/** Patterns of partitions of one tenant, from those of all tenants. */
function inTenant(domain: string, patterns: readonly string[]): readonly string[] {
  return patterns.map((pattern) => pattern.replace(/^T#\*#/, `T#${domain}#`));
}
