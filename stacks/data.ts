/** The one table. It has no secondary index: lists are items of their own (decision 0004). */
import type { Settings, Stage } from "./stage.ts";

/** The attribute with the time, in seconds since 1970, after which DynamoDB may delete an item. */
const TTL_ATTRIBUTE = "expiresAtSeconds";

/**
 * Creates the table of the stage. Returns the table that was restored from a backup if one is set; the stage's own
 * table stays unchanged then.
 */
export function table(stage: Stage, { restoredTable }: Settings): sst.aws.Dynamo {
  const made = own(stage);
  return restoredTable === undefined ? made : sst.aws.Dynamo.get("Restored", restoredTable);
}

function own(stage: Stage) {
  return new sst.aws.Dynamo(
    "Data",
    {
      fields: { PK: "string", SK: "string" },
      primaryIndex: { hashKey: "PK", rangeKey: "SK" },
      ttl: TTL_ATTRIBUTE,
      // Keys alone: a reader of the stream sees no row, so that rights on rows stay what they are (decision 0090).
      stream: "keys-only",
      deletionProtection: stage.removal === "retain",
      transform: {
        table: (args) => {
          args.billingMode = "PAY_PER_REQUEST";
          // Restores to any second of the last 35 days.
          args.pointInTimeRecovery = { enabled: true, recoveryPeriodInDays: 35 };
          // With the account's KMS key for DynamoDB, so that CloudTrail records its use.
          args.serverSideEncryption = { enabled: true };
        },
      },
    },
    { protect: stage.isProtected },
  );
}
