/** The plan of the function where people sign in (decision 0114). Pure. */
import { endpoint, type FunctionPlan, hashing } from "./function-plan.ts";
import { authentication, revocations, userIndexes } from "./partition-groups.ts";
import { partitions as p } from "./partitions.ts";

export const signIn: FunctionPlan = {
  ...endpoint,
  ...hashing,
  description: "Signs people in: authorization endpoint, pages, sessions, claims",
  needs: ["address", "forms", "factors", "nonces", "deployment", "directories"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...[...authentication, ...userIndexes, p.application, p.oidcScopes, p.session, p.consent, p.pushedRequest],
      ...[p.pairwiseKey, p.idTokenKeyRing],
    ],
  },
  // A person sets up one-time codes, or must choose another password: both change the user.
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
    on: [
      ...[p.lock, p.session, p.consent, p.authorizationCode, p.pushedRequest, p.frontAnswer],
      ...[p.logouts, ...revocations, p.grantRevocations],
      // The session notes the subject of its first client, which may be the first pairwise one of the tenant.
      p.pairwiseKey,
      // The first change of a user of a directory creates its record, with its name.
      ...[p.user, p.userNames, ...userIndexes, p.credential, p.changeRecord],
    ],
  },
};
