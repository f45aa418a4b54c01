/** The groups and roles that are assigned to an application. Users are in no folder: their assignments stay. */
import type { Api } from "#client/client.ts";
import { type Document, isDocument, type Value } from "../document.ts";
import type { Step, Work } from "../kind.ts";
import { roleKey, sending } from "./simple.ts";

const APPLICATIONS = "/api/server/v1/applications";

/** What is assigned to an application, by name, and the ids of the assignments. */
export async function readAssignments(api: Api, applicationId: string) {
  const query = { filter: "type eq group or type eq role", count: 100 };
  const found = await api
    .list("GET /api/server/v1/applications/{applicationId}/assignments", { params: { applicationId }, query })
    .all();
  const assigned = found.map(({ id, type, principal }) => ({ id, type, name: principal.displayName ?? "" }));
  const ids = Object.fromEntries(assigned.map((one) => [keyOf(one), one.id]));
  return { assignments: assigned.map(({ type, name }) => ({ type, name })), kept: { assignments: ids } };
}

/** The requests that assign these groups and roles, and no others. `known` has the ids of the assignments. */
export function assignmentSteps(
  id: string,
  application: string,
  { before, after }: Readonly<Record<"before" | "after", Value>>,
  known: Document,
): readonly Step[] {
  const path = `${APPLICATIONS}/${encodeURIComponent(id)}/assignments` as const;
  const list = (value: Value) => (Array.isArray(value) ? value.filter(isDocument) : []);
  const lacking = (some: Value, others: Value) =>
    list(some).filter((one) => !list(others).some((other) => keyOf(other) === keyOf(one)));
  const adding = lacking(after, before).map(
    ({ type, name = "" }): Step => ({
      isLater: true,
      async run({ api, ids, dryRun }) {
        const text = String(name);
        const principal = type === "role" ? roleIdOf(text, application, ids, false) : ids.get("groups", text);
        await api.send("POST", path, { body: { type, id: principal }, dryRun });
      },
    }),
  );
  const removing = lacking(before, after).map((one) =>
    sending("DELETE", `${path}/${encodeURIComponent(String(known[keyOf(one)] ?? ""))}`),
  );
  return [...removing, ...adding];
}

/** The id of a role by its name: of the application itself, or of the tenant, which comes first unless `isOwn`. */
export function roleIdOf(role: string, application: string, ids: Work["ids"], isOwn: boolean): string {
  const own = ids.find("roles", roleKey(role, application));
  return own !== undefined && isOwn ? own : (ids.find("roles", role) ?? own ?? ids.get("roles", role));
}

function keyOf({ type = "", name = "" }: Document): string {
  return `${String(type)} ${String(name)}`;
}
