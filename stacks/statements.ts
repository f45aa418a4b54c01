/**
 * From the plan of a function to the statements of its IAM policy on the table. Pure: the stacks put them into the roles, and
 * tests put the embedded database behind them.
 */
import { type FunctionPlan, partitions } from "./plan.ts";

/** A condition as IAM knows it. */
export interface Condition {
  readonly test: string;
  readonly variable: string;
  readonly values: readonly string[];
}

/** A statement about the table. */
export interface Statement {
  readonly effect: "allow" | "deny";
  readonly actions: readonly string[];
  readonly conditions: readonly Condition[];
}

const LEADING_KEYS = "dynamodb:LeadingKeys";

/** The forms of partition that hold secrets. */
export const secretPartitions: readonly string[] = [partitions.credential, partitions.signingKeys];

/**
 * The statements of a function: one for all its reads and one for all its writes. More statements could tell more apart, but
 * a transaction is one request with many partitions, and a statement must cover all of them.
 */
export function statementsOf(plan: FunctionPlan): readonly Statement[] {
  return [
    ...(plan.reads ? [allowing(plan.reads)] : []),
    ...(plan.writes ? [allowing(plan.writes)] : []),
    ...withoutAnswers(plan),
  ];
}

/**
 * A right holds for a call whose partitions are all among those given. Without the second condition it would hold for a call
 * that names no partition at all: IAM takes "all of none" for true.
 */
function allowing({ calls, on }: { readonly calls: readonly string[]; readonly on: readonly string[] }): Statement {
  return {
    effect: "allow",
    actions: actionsOf(calls),
    conditions: [
      { test: "ForAllValues:StringLike", variable: LEADING_KEYS, values: on },
      { test: "Null", variable: LEADING_KEYS, values: ["false"] },
    ],
  };
}

/** A write may ask for what was there before it: not where secrets may be written and not be read. */
function withoutAnswers(plan: FunctionPlan): Statement[] {
  const writtenOnly = secretPartitions.filter(
    (each) => plan.writes?.on.includes(each) && !plan.reads?.on.includes(each),
  );
  if (writtenOnly.length === 0) return [];
  return [
    {
      effect: "deny",
      actions: actionsOf(["PutItem", "UpdateItem", "DeleteItem"]),
      conditions: [
        { test: "ForAnyValue:StringLike", variable: LEADING_KEYS, values: writtenOnly },
        {
          test: "StringEquals",
          variable: "dynamodb:ReturnValues",
          values: ["ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"],
        },
      ],
    },
  ];
}

function actionsOf(calls: readonly string[]): string[] {
  return calls.map((call) => `dynamodb:${call}`);
}
