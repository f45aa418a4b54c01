/**
 * The statements of a function's IAM policy on the table, derived from its plan. Pure: the stacks put them into roles,
 * and tests apply them to the embedded database.
 */

import type { FunctionPlan } from "./function-plan.ts";
import { partitions } from "./partitions.ts";

/** A condition of IAM. */
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

/** The patterns of partitions that contain secrets. */
export const secretPartitions: readonly string[] = [partitions.credential, partitions.signingKeys];

/**
 * The statements of a function: for all its reads, for its checks and lists, for all its writes and changes, and for
 * conditions of transactions on items that they do not write. A transaction is one request with many partitions, and
 * one statement must cover all of them (decision 0031).
 */
export function statementsOf(plan: FunctionPlan): readonly Statement[] {
  return [
    ...(plan.reads ? [allowing(plan.reads)] : []),
    ...(plan.checks ? [allowingKeys("GetItem", plan.checks)] : []),
    ...(plan.lists ? [allowingKeys("Query", plan.lists)] : []),
    ...(plan.writes ? [allowing(plan.writes)] : []),
    ...(plan.changes ? [allowing({ calls: ["UpdateItem"], on: plan.changes })] : []),
    ...(plan.conditions ? [allowing({ calls: ["ConditionCheckItem"], on: plan.conditions })] : []),
    ...withoutAnswers(plan),
  ];
}

/**
 * Allows a call if all of its partitions match. The second condition excludes a call that names no partition: IAM
 * evaluates "all of none" as true.
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

/**
 * Allows to read keys alone, in the form that AWS documents for attributes. Without a projection, a call has no
 * attributes in its conditions, or all of them: both are excluded.
 */
function allowingKeys(call: "GetItem" | "Query", on: readonly string[]): Statement {
  const { effect, actions, conditions } = allowing({ calls: [call], on });
  return {
    effect,
    actions,
    conditions: [
      ...conditions,
      { test: "ForAllValues:StringEquals", variable: "dynamodb:Attributes", values: ["PK", "SK"] },
      { test: "Null", variable: "dynamodb:Attributes", values: ["false"] },
      { test: "StringEqualsIfExists", variable: "dynamodb:Select", values: ["SPECIFIC_ATTRIBUTES"] },
    ],
  };
}

/** A write can return the previous item. Denied for secrets that the function may write but not read. */
function withoutAnswers(plan: FunctionPlan): Statement[] {
  const writtenOnly = (plan.writes?.on ?? []).filter(
    (each) => secretPartitions.includes(each.replace(/^T#[^#]+#/, "T#*#")) && !plan.reads?.on.includes(each),
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
