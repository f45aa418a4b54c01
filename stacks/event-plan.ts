/**
 * The plans of the functions of events: those that manage who receives them, and those that follow the changes of the
 * table and deliver them (decisions 0088, 0089 and 0090). Pure.
 */
import { endpoint, type FunctionPlan } from "./function-plan.ts";
import { changeRecords, records } from "./partition-groups.ts";
import { partitions as p } from "./partitions.ts";

/** The longest texts of a webhook, as they were and as they are, fit into the row of a record. */
const shortRecords = [p.changeRecord, p.removed, p.repeatable];

export const webhooks: FunctionPlan = {
  ...endpoint,
  description: "Webhooks: receivers of events about changes",
  needs: ["address", "events", "answers", "deployment"],
  // Single rows are read by rehearsals, whose writes have conditions, and of first answers.
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [p.subscriber, p.subscriberProgress, ...shortRecords],
  },
  writes: {
    calls: ["PutItem", "DeleteItem"],
    on: [p.subscriber, p.subscriberProgress, p.subscribedTenants, ...shortRecords],
  },
};

export const signals: FunctionPlan = {
  ...endpoint,
  description: "Streams of security events, and their delivery to receivers that poll",
  needs: ["address", "delivering", "answers", "deployment"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      p.tenant,
      p.subscriber,
      p.subscriberProgress,
      p.eventKeyRing,
      p.eventSigningKeys,
      // Resources as they were after a change, for events with data.
      ...records,
      p.user,
      p.group,
      p.role,
    ],
  },
  writes: {
    calls: ["PutItem", "DeleteItem"],
    on: [...[p.subscriber, p.subscriberProgress, p.subscribedTenants, p.eventKeyRing, p.eventSigningKeys], ...records],
  },
};

export const changeEvents: FunctionPlan = {
  description: "Puts changes on the event bus",
  memory: "512 MB",
  timeout: "120 seconds",
  needs: ["bus", "deployment"],
  reads: { calls: ["BatchGetItem", "Query"], on: [p.changeRecord, p.changePart, p.tenantNames, p.actorBlocks] },
  writes: { calls: ["PutItem"], on: [p.actorBlocks] },
};

export const delivery: FunctionPlan = {
  description: "Delivers changes to webhooks and streams, and tells clients that sessions have ended",
  memory: "512 MB",
  timeout: "60 seconds",
  needs: ["origin", "delivering"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      p.subscriber,
      p.subscriberProgress,
      p.subscribedTenants,
      ...changeRecords,
      p.tenant,
      // What the owners of streams may do, and resources as they were after a change.
      p.client,
      p.user,
      p.group,
      p.role,
      p.roleNames,
      p.eventKeyRing,
      p.eventSigningKeys,
      // Sessions that have ended, and where their clients are told.
      p.logouts,
      p.session,
      p.consent,
      p.application,
      p.revocation,
    ],
  },
  writes: {
    calls: ["PutItem", "DeleteItem"],
    on: [
      ...[p.subscriberProgress, p.subscribedTenants, p.eventKeyRing, p.eventSigningKeys],
      ...[p.logouts, p.session, p.consent],
    ],
  },
};
