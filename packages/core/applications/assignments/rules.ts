/** Who may be assigned to an application, and by whom. Pure. */
import type { Assigned } from "../../directory/memberships/assignment-model.ts";
import { type PrincipalType, principalTypes } from "../../kernel/domain/principals.ts";
import { Fault } from "../../kernel/faults.ts";
import { matches, parseFilter } from "../../kernel/filter/filter.ts";
import { listed } from "../../kernel/words.ts";

/** The scopes that show principals of each type. */
const VIEW: Readonly<Record<PrincipalType, string>> = {
  user: "internal_user_mgt_view",
  group: "internal_group_mgt_view",
  role: "internal_role_mgt_view",
};

const vocabulary = {
  attributes: ["type"],
  names: ["type"],
  unknownAttribute: "filter.attribute",
  example: "type eq user",
} as const;

/** Whether a caller may see principals of a type. */
export function maySee(type: PrincipalType, scopes: ReadonlySet<string>): boolean {
  return scopes.has(VIEW[type]);
}

/** A caller assigns no principal that it may not see: the answer would say who exists. Throws `assignment.unseen`. */
export function checkSeen(types: readonly PrincipalType[], scopes: ReadonlySet<string>): void {
  const lacking = [...new Set(types)].filter((type) => !maySee(type, scopes)).map((type) => VIEW[type]);
  if (lacking.length === 0) return;
  throw new Fault(
    "assignment.unseen",
    `Your credential must also have the scope ${listed(lacking, "and")}, because this concerns ${listed(
      types.map((type) => `${type}s`),
      "and",
    )}.`,
  );
}

/** The types that a filter asks for. Throws the faults of filters. */
export function typesIn(filter: string | undefined): readonly PrincipalType[] {
  if (!filter?.trim()) return principalTypes;
  const parsed = parseFilter(filter, vocabulary);
  return principalTypes.filter((type) => matches(parsed, { type }));
}

/** The id of an assignment: it says what is assigned. */
export function assignmentIdOf({ type, id }: Assigned): string {
  return `${type}.${id}`;
}

/** Reads what `assignmentIdOf` wrote. */
export function assignedIn(assignmentId: string): Assigned | undefined {
  const dot = assignmentId.indexOf(".");
  const type = principalTypes.find((one) => one === assignmentId.slice(0, dot));
  const id = assignmentId.slice(dot + 1);
  return type && id !== "" ? { type, id } : undefined;
}

/** The fault for a principal that the tenant does not have. */
export function principalUnknown({ type, id }: Assigned): Fault {
  return new Fault(
    "assignment.principal_unknown",
    `No ${type} of the tenant that can be assigned has the id ${id.slice(0, 100)}. Users of other tenants, and roles of another application, cannot be assigned.`,
  );
}

/** The fault for an assignment that the application does not have. */
export function assignmentUnknown(assignmentId: string): Fault {
  return new Fault(
    "assignment.not_found",
    `The application has no assignment with the id ${assignmentId.slice(0, 100)}. GET .../assignments lists them.`,
  );
}

/** The faults of a change. */
export const assignmentFaults = {
  taken: ({ type, id }: Assigned) =>
    new Fault("assignment.exists", `The ${type} ${id.slice(0, 100)} is already assigned to the application.`),
  full: () =>
    new Fault(
      "assignment.too_many",
      "The application has as many assignments as it can have. Assign a group or a role in place of single users.",
    ),
};
