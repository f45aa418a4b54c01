/** The calls of DynamoDB that serve requests: what they get and return, as far as this project uses it. */
import type { StoredItem } from "./values.ts";

/** Capacity that a call used. */
export interface Capacity {
  readonly CapacityUnits?: number | undefined;
}

/** What every call returns. */
export interface Metered {
  readonly ConsumedCapacity?: Capacity | readonly Capacity[] | undefined;
}

/** What every call says. */
export interface Metering {
  readonly ReturnConsumedCapacity: "TOTAL";
}

interface OnTable extends Metering {
  readonly TableName: string;
}

interface Expressions {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: StoredItem;
}

/** A condition of a write. */
export interface Conditional extends Expressions {
  readonly ConditionExpression?: string;
}

interface ConditionalStep extends Conditional {
  readonly TableName: string;
  readonly ReturnValuesOnConditionCheckFailure: "ALL_OLD";
}

/** One step of a transaction. One member is set. */
export interface TransactItem {
  readonly Put?: ConditionalStep & { readonly Item: StoredItem };
  readonly Update?: ConditionalStep & { readonly Key: StoredItem; readonly UpdateExpression: string };
  readonly Delete?: ConditionalStep & { readonly Key: StoredItem };
  readonly ConditionCheck?: ConditionalStep & { readonly Key: StoredItem; readonly ConditionExpression: string };
}

interface Batch {
  readonly Keys: readonly StoredItem[];
  readonly ConsistentRead?: boolean;
}

/** Input and output of each call. */
export interface Calls {
  readonly GetItem: {
    readonly input: OnTable & {
      readonly Key: StoredItem;
      readonly ConsistentRead: boolean;
      readonly ProjectionExpression?: string;
    };
    readonly output: Metered & { readonly Item?: StoredItem };
  };
  readonly BatchGetItem: {
    readonly input: Metering & { readonly RequestItems: Readonly<Record<string, Batch>> };
    readonly output: Metered & {
      readonly Responses?: Readonly<Record<string, readonly StoredItem[]>>;
      readonly UnprocessedKeys?: Readonly<Record<string, Batch>>;
    };
  };
  readonly TransactGetItems: {
    readonly input: Metering & {
      readonly TransactItems: readonly { readonly Get: { readonly TableName: string; readonly Key: StoredItem } }[];
    };
    readonly output: Metered & { readonly Responses?: readonly { readonly Item?: StoredItem }[] };
  };
  readonly Query: {
    readonly input: OnTable &
      Expressions & {
        readonly KeyConditionExpression: string;
        readonly Limit: number;
        readonly ScanIndexForward: boolean;
        readonly ConsistentRead: boolean;
        readonly ProjectionExpression?: string;
        readonly ExclusiveStartKey?: StoredItem;
      };
    readonly output: Metered & { readonly Items?: readonly StoredItem[]; readonly LastEvaluatedKey?: StoredItem };
  };
  readonly PutItem: { readonly input: OnTable & Conditional & { readonly Item: StoredItem }; readonly output: Metered };
  readonly UpdateItem: {
    readonly input: OnTable &
      Expressions & {
        readonly Key: StoredItem;
        readonly UpdateExpression: string;
        readonly ReturnValues: "ALL_NEW";
      };
    readonly output: Metered & { readonly Attributes?: StoredItem };
  };
  readonly DeleteItem: { readonly input: OnTable & { readonly Key: StoredItem }; readonly output: Metered };
  readonly TransactWriteItems: {
    readonly input: Metering & {
      readonly TransactItems: readonly TransactItem[];
      readonly ClientRequestToken: string;
    };
    readonly output: Metered;
  };
}

/** The name of a call. */
export type CallName = keyof Calls;
