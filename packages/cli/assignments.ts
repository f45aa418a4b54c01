/**
 * Who is assigned to an application. Application files cannot hold it, so an export writes it to a file of its own and
 * an import assigns again with the rights of the caller. Users, groups and roles are named, because ids differ between
 * servers.
 */
import { type Api, listIn, memberOf, RunEnded, reasonOf, textIn } from "./client.ts";
import { companions } from "./companions.ts";

const PAGE = 100;

/** A user, group or role by its name. */
export interface Assigned {
  readonly type: string;
  readonly name: string;
}

/** How the principals of each type are found by name. */
const collections: Readonly<Record<string, readonly [path: string, attribute: string]>> = {
  user: ["/scim2/Users", "userName"],
  group: ["/scim2/Groups", "displayName"],
  role: ["/scim2/v2/Roles", "displayName"],
};

/** The files of assignments. */
export const assignmentFiles = companions({
  word: "assignments",
  member: "assignments",
  what: "its assignments",
  itemOf(given): Assigned | undefined {
    const [type, name] = [textIn(given, "type"), textIn(given, "name")];
    return type !== undefined && name !== undefined && Object.hasOwn(collections, type) ? { type, name } : undefined;
  },
});

/**
 * Who is assigned to an application, or the reason why it cannot be read. A server without this operation (404) has
 * no assignments.
 */
export async function assignedTo(api: Api, applicationId: string): Promise<readonly Assigned[] | string> {
  const found: Assigned[] = [];
  for (let startIndex = 1; ; startIndex += PAGE) {
    const answer = await api.attempt("GET", `${pathOf(applicationId)}?startIndex=${startIndex}&count=${PAGE}`);
    if (answer.status === 404) return [];
    const page = answer.status === 200 ? listIn(answer.body, "assignments") : undefined;
    const total = memberOf(answer.body, "totalResults");
    if (!page || typeof total !== "number") return `without its assignments: ${reasonOf(answer)}`;
    for (const each of page) {
      const [type, name] = [textIn(each, "type"), textIn(memberOf(each, "principal"), "displayName")];
      if (type === undefined || name === undefined) return "without its assignments: this caller may not see the names";
      found.push({ type, name });
    }
    if (startIndex + PAGE > total) return found;
  }
}

/** Assigns those who are not assigned yet. It only adds. Returns the failures, one text each. */
export async function assignAll(
  api: Api,
  applicationId: string,
  some: readonly Assigned[],
): Promise<readonly string[]> {
  const before = await assignedTo(api, applicationId);
  if (typeof before === "string") return [before];
  const failures: string[] = [];
  for (const one of some) {
    if (before.some(({ type, name }) => type === one.type && name === one.name)) continue;
    const id = await idOf(api, one);
    const answer =
      "id" in id ? await api.attempt("POST", pathOf(applicationId), { type: one.type, id: id.id }) : undefined;
    const why = "why" in id ? id.why : answer && answer.status >= 300 && answer.status !== 409 ? reasonOf(answer) : "";
    if (why !== "") failures.push(`the ${one.type} ${one.name} (${why})`);
  }
  return failures;
}

async function idOf(api: Api, { type, name }: Assigned): Promise<{ readonly id: string } | { readonly why: string }> {
  const [path = "", attribute = ""] = collections[type] ?? [];
  const filter = encodeURIComponent(`${attribute} eq ${JSON.stringify(name)}`);
  try {
    const { body } = await api.send("GET", `${path}?filter=${filter}&count=2`);
    const found = (listIn(body, "Resources") ?? []).flatMap((each) => textIn(each, "id") ?? []);
    const [id] = found;
    if (id === undefined) return { why: "the server has none" };
    return found.length > 1 ? { why: "the server has several of that name" } : { id };
  } catch (error) {
    if (error instanceof RunEnded && error.status === 403) return { why: "this caller may not look it up" };
    throw error;
  }
}

function pathOf(applicationId: string): string {
  return `/applications/${encodeURIComponent(applicationId)}/assignments`;
}
