/** The plan of the function that restores deleted resources of every kind (decision 0084). Pure. */
import { endpoint, type FunctionPlan } from "./function-plan.ts";
import {
  applicationIndex,
  applicationIndexReads,
  recordsOfChanges,
  revocations,
  userIndexes,
} from "./partition-groups.ts";
import { partitions as p } from "./partitions.ts";

const people = [p.user, p.userNames, p.lookup, p.group, p.groupNames, p.role, p.roleNames, p.shownNames];
/** Applications, templates and API resources with their names and other claims. */
const others = [
  ...[p.application, p.applicationNames, p.inboundKey, p.client, p.template, p.templateNames],
  ...[p.apiResource, p.apiResourceNames, p.scope],
];

export const recovery: FunctionPlan = {
  ...endpoint,
  description: "Deleted resources: restores them, or removes them for good",
  needs: ["address", "answers", "deployment", "directories"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...[p.aside, p.asideEntries, p.removed, p.repeatable, p.tenant],
      ...[...people, ...userIndexes, ...others, ...applicationIndexReads],
    ],
  },
  // Passwords are kept, restored and removed without being read.
  checks: [p.credential, p.changeRecord],
  // Of memberships: whether a member, or the deleted owner, is still as it was.
  conditions: [p.user, p.group, p.role, p.shownNames, ...revocations, p.aside],
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem"],
    on: [
      ...[...people, ...userIndexes, ...others, ...applicationIndex, ...revocations, p.credential],
      ...[...recordsOfChanges, p.aside, p.asideEntries],
    ],
  },
};
