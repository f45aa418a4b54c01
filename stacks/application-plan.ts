/** The plans of the functions that manage applications, their protocols and their templates. Pure. */
import { endpoint, type FunctionPlan } from "./function-plan.ts";
import {
  applicationIndex,
  applicationIndexReads,
  applicationRows,
  records,
  recordsOfChanges,
  removals,
} from "./partition-groups.ts";
import { partitions as p } from "./partitions.ts";

/** Claims of keys of applications other than the name. Their writes have conditions, which a rehearsal reads. */
const conditionalClaims = [p.inboundKey, p.client];
/** The same with what is removed with a client. */
const claims = [...conditionalClaims, p.clientUses];

export const applications: FunctionPlan = {
  ...endpoint,
  description: "Applications and their authorized APIs",
  needs: ["address", "sealing", "answers", "deployment", "directories"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...[...applicationRows, p.applicationNames, ...applicationIndex, p.templateNames, p.apiResource],
      ...[p.user, p.group, p.groupNames, p.role, p.roleNames],
      ...[...conditionalClaims, ...records],
    ],
  },
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
    on: [
      ...[p.application, p.applicationNames, ...applicationIndex, p.residentApplication, p.apiResource],
      ...[p.revocations, ...claims, ...removals],
    ],
  },
};

export const inboundProtocols: FunctionPlan = {
  ...endpoint,
  description: "The inbound protocols of applications",
  needs: ["address", "sealing", "answers", "deployment"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...[p.application, p.applicationNames, ...applicationIndexReads, ...conditionalClaims, p.clientUses],
      ...records,
    ],
  },
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
    on: [...[p.application, p.applicationNames, ...applicationIndex, ...claims, p.revocations], ...recordsOfChanges],
  },
};

export const applicationTemplates: FunctionPlan = {
  ...endpoint,
  description: "Application templates",
  needs: ["address", "answers", "deployment"],
  reads: { calls: ["GetItem", "BatchGetItem", "Query"], on: [p.template, p.templateNames, ...records] },
  writes: { calls: ["PutItem", "DeleteItem"], on: [p.template, p.templateNames, ...removals] },
};
