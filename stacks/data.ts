/** The one table. It has no index: lists are items of their own (decision 0004). */
import type { Settings, Stage } from "./stage.ts";

/** The attribute that says, in seconds since 1970, when DynamoDB may remove an item. */
const TTL_ATTRIBUTE = "expiresAtSeconds";

/** Makes the table of the stage. Where another was restored from a backup, answers that one; the stage's own stays as it is. */
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
      deletionProtection: stage.removal === "retain",
      transform: {
        table: (args) => {
          args.billingMode = "PAY_PER_REQUEST";
          // Back to any second of the last 35 days.
          args.pointInTimeRecovery = { enabled: true, recoveryPeriodInDays: 35 };
          // Under the account's key for DynamoDB, so that its use shows in CloudTrail.
          args.serverSideEncryption = { enabled: true };
        },
      },
    },
    { protect: stage.isProtected },
  );
}
