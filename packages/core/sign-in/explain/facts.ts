/** Reads what questions are decided by: of many questions as of one, each row once. */
import type { ApiResourceStore } from "../../applications/apis/store.ts";
import type { Client, ClientStore } from "../../applications/registry/client-store.ts";
import type { Application } from "../../applications/registry/model.ts";
import { notFound } from "../../applications/registry/rules.ts";
import type { ApplicationStore } from "../../applications/registry/store.ts";
import type { Group } from "../../directory/groups/model.ts";
import type { GroupStore } from "../../directory/groups/store.ts";
import type { Assigned } from "../../directory/memberships/assignment-model.ts";
import type { AssignmentStore } from "../../directory/memberships/assignments.ts";
import type { Role } from "../../directory/roles/model.ts";
import type { RoleStore } from "../../directory/roles/store.ts";
import type { User } from "../../directory/users/model.ts";
import type { UserStore } from "../../directory/users/store.ts";
import { systemApi, systemScopes } from "../../kernel/domain/system-apis.ts";
import { Fault, toFault } from "../../kernel/faults.ts";
import { nearest } from "../../kernel/nearest.ts";
import { type AccessStores, hasAccess } from "../authentication/access.ts";
import { type WayToRole, waysToRoles } from "../authentication/role-ids.ts";
import { ownNames, placeOfScope } from "../oauth/scopes.ts";
import { resolveTargets } from "../oauth/targets.ts";
import { namesOf } from "./decide-rules.ts";
import type { HeldRole, Known, Through } from "./known.ts";
import type { Question, WantedScope } from "./question-model.ts";

/** Where it is read. */
export interface FactStores {
  readonly table: AccessStores["table"];
  readonly users: Pick<UserStore, "findMany">;
  readonly groups: Pick<GroupStore, "findMany">;
  readonly roles: Pick<RoleStore, "findMany" | "idOfEveryone">;
  readonly clients: ClientStore;
  readonly applications: Pick<ApplicationStore, "find">;
  readonly apiResources: Pick<ApiResourceStore, "findScopes" | "idsOf">;
  readonly assignments: Pick<AssignmentStore, "among">;
}

/** Of which tenant, at which address, and whether the ways of assignments are read too. */
export interface Reading {
  readonly tenant: string;
  readonly origin: string;
  readonly showsWays: boolean;
}

/**
 * What is known for each question, in their order; a `Fault` for one that names something that the tenant does not
 * have. Three round trips, and one more where the ways of assignments are read, or where the application has more
 * groups and roles than one row names; whatever the number of questions.
 */
export async function knownFor(
  questions: readonly Question[],
  stores: FactStores,
  reading: Reading,
): Promise<readonly (Known | Fault)[]> {
  const { tenant } = reading;
  const userIds = distinct(questions.flatMap(({ subject: { type, id } }) => (type === "user" ? [id] : [])));
  const clientIds = distinct(questions.flatMap(({ subject: { type, id } }) => (type === "client" ? [id] : [])));
  const applicationIds = distinct(questions.flatMap(({ applicationId }) => applicationId ?? []));
  const [users, clients, applications, places, apiIds] = await Promise.all([
    userIds.length > 0 ? stores.users.findMany(tenant, userIds) : [],
    Promise.all(clientIds.map((id) => stores.clients.find(id))),
    Promise.all(applicationIds.map((id) => stores.applications.find(tenant, id))),
    stores.apiResources.findScopes(tenant, ownNames(distinct(questions.flatMap(namesOf)))),
    stores.apiResources.idsOf(tenant, distinct(questions.flatMap(identifiersOf))),
  ]);
  const found = {
    users: byId(users),
    clients: new Map(clients.flatMap((one) => (one?.tenant === tenant ? [[one.clientId, one] as const] : []))),
    applications: byId(applications),
  };
  const [memberships, more] = await Promise.all([
    readMemberships([...found.users.values()], stores, tenant),
    readOthers(found, stores, tenant),
  ]);
  const rows: Rows = { ...found, ...more, places, apiIds, heldBy: memberships };
  return Promise.all(
    questions.map(async (question) => {
      try {
        return await knownOf(question, rows, stores, reading);
      } catch (error) {
        return toFault(error);
      }
    }),
  );
}

/** What was read for all questions. */
interface Rows {
  readonly users: ReadonlyMap<string, User>;
  /** By client id. */
  readonly clients: ReadonlyMap<string, Client>;
  readonly applications: ReadonlyMap<string, Application>;
  readonly places: Known["places"];
  readonly apiIds: ReadonlyMap<string, string>;
  /** The groups of a user, the ways to its roles, and those roles that exist. */
  readonly heldBy: (user: User) => Memberships;
}

interface Memberships {
  readonly groups: readonly Group[];
  readonly ways: readonly WayToRole[];
  readonly held: readonly HeldRole[];
}

/** Two round trips. */
async function readMemberships(users: readonly User[], { groups, roles }: FactStores, tenant: string) {
  if (users.length === 0) return () => ({ groups: [], ways: [], held: [] });
  const groupIds = distinct(users.flatMap((user) => user.groupIds));
  const [foundGroups, everyone] = await Promise.all([
    groupIds.length > 0 ? groups.findMany(tenant, groupIds) : [],
    roles.idOfEveryone(tenant),
  ]);
  const groupById = byId(foundGroups);
  const groupsOf = (user: User) => user.groupIds.flatMap((id) => groupById.get(id) ?? []);
  const waysOf = (user: User) => waysToRoles(user, groupsOf(user), everyone);
  const roleIds = distinct(users.flatMap((user) => waysOf(user).map(({ roleId }) => roleId)));
  const roleById: ReadonlyMap<string, Role> = byId(await roles.findMany(tenant, roleIds));
  return (user: User): Memberships => {
    const ways = waysOf(user);
    const byRole = new Map<string, WayToRole[]>();
    for (const way of ways) {
      const known = byRole.get(way.roleId);
      if (known) known.push(way);
      else byRole.set(way.roleId, [way]);
    }
    const held = [...byRole].flatMap(([id, some]): readonly HeldRole[] => {
      const role = roleById.get(id);
      return role ? [{ role, ways: some }] : [];
    });
    return { groups: groupsOf(user), ways, held };
  };
}

/** The clients of applications, and the applications of clients. One round trip. */
async function readOthers(
  { clients, applications }: Pick<Rows, "clients" | "applications">,
  stores: FactStores,
  tenant: string,
): Promise<Pick<Rows, "clients" | "applications">> {
  const clientIds = [...applications.values()].flatMap(({ inbound }) => inbound.oidc?.clientId ?? []);
  const owners = [...clients.values()].map(({ applicationId }) => applicationId);
  const [foundClients, foundApplications] = await Promise.all([
    Promise.all(clientIds.filter((id) => !clients.has(id)).map((id) => stores.clients.find(id))),
    Promise.all(
      distinct(owners)
        .filter((id) => !applications.has(id))
        .map((id) => stores.applications.find(tenant, id)),
    ),
  ]);
  return {
    clients: new Map([...clients, ...foundClients.flatMap((one) => (one ? [[one.clientId, one] as const] : []))]),
    applications: new Map([...applications, ...byId(foundApplications)]),
  };
}

/** No round trip where the application asks for no assignment. */
async function knownOf(question: Question, rows: Rows, stores: FactStores, reading: Reading): Promise<Known> {
  const { subject, wanted } = question;
  const { places } = rows;
  if (wanted.kind === "scope") checkScope(wanted, rows);
  if (subject.type === "client") return { kind: "client", places, through: throughOfClient(question, rows, reading) };
  const user = rows.users.get(subject.id);
  if (!user) throw subjectUnknown(question);
  const through = throughOf(question, rows, reading);
  const { groups, ways, held } = rows.heldBy(user);
  const known = { kind: "user", places, user, groups, held, ...(through && { through }) } as const;
  if (!through?.client?.settings.needsAssignment) return { ...known, hasAccess: true };
  const { tenant } = reading;
  const applicationId = through.application.id;
  const roleIds = distinct(ways.map(({ roleId }) => roleId));
  const rolesOf = async () => roleIds;
  const [mayUse, assigned] = await Promise.all([
    hasAccess(stores, { tenant, applicationId, user, rolesOf }),
    reading.showsWays
      ? stores.assignments.among(tenant, applicationId, principalsOf(user, groups, roleIds))
      : undefined,
  ]);
  return { ...known, hasAccess: mayUse, ...(assigned && { assigned }) };
}

function principalsOf(user: User, groups: readonly Group[], roleIds: readonly string[]): readonly Assigned[] {
  return [
    { type: "user", id: user.id },
    ...groups.map(({ id }): Assigned => ({ type: "group", id })),
    ...roleIds.map((id): Assigned => ({ type: "role", id })),
  ];
}

function throughOf(question: Question, rows: Rows, { tenant, origin }: Reading): Through | undefined {
  const { applicationId } = question;
  if (applicationId === undefined) return undefined;
  const application = rows.applications.get(applicationId);
  if (!application) throw notFound(applicationId, tenant);
  const client = rows.clients.get(application.inbound.oidc?.clientId ?? "");
  return { application, client, targets: client && targetsOf(question, client, rows, origin) };
}

function throughOfClient(question: Question, rows: Rows, { tenant, origin }: Reading) {
  const { applicationId } = question;
  const client = rows.clients.get(question.subject.id);
  const application = client && rows.applications.get(client.applicationId);
  if (!client || !application) throw subjectUnknown(question);
  if (applicationId !== undefined && applicationId !== application.id) throw notFound(applicationId, tenant);
  return { application, client, targets: targetsOf(question, client, rows, origin) };
}

function targetsOf({ resources }: Question, client: Client, { apiIds }: Rows, origin: string) {
  return resources && resolveTargets(resources, { apiIds }, client, origin);
}

/** The identifiers of APIs that a question names. */
function identifiersOf({ resources, wanted }: Question): readonly string[] {
  const ofApi = wanted.kind === "scope" ? wanted.ofApi : undefined;
  return [...(resources?.elsewhere ?? []), ...(ofApi === undefined ? [] : [ofApi])];
}

function checkScope({ name, ofApi }: WantedScope, { places, apiIds }: Rows): void {
  const place = placeOfScope(name, places);
  if (!place) throw scopeUnknown(name);
  if (ofApi === undefined || apiIds.get(ofApi) === place.apiId || systemApi(place.apiId)?.identifier === ofApi) return;
  throw scopeUnknown(name, ofApi);
}

/** Another tenant's subject is like one that does not exist. */
function subjectUnknown({ subject: { type, id } }: Question): Fault {
  const hint =
    type === "user"
      ? "Name a user by the id that SCIM shows. Users of directories are known only while they sign in."
      : "Name an application on its own behalf by its client id.";
  return new Fault("access.subject_unknown", `The tenant has no ${type} with the id ${id.slice(0, 100)}. ${hint}`);
}

function scopeUnknown(name: string, ofApi?: string): Fault {
  const meant = ofApi === undefined ? nearest(name, [...systemScopes]) : undefined;
  const hint = meant === undefined ? "GET /api/server/v1/scopes lists them." : `Did you mean ${meant}?`;
  const where = ofApi === undefined ? "No API of the tenant" : `No API with the identifier ${ofApi.slice(0, 100)}`;
  return new Fault("access.scope_unknown", `${where} has the scope ${name.slice(0, 100)}. ${hint}`);
}

function byId<T extends { readonly id: string }>(some: readonly (T | undefined)[]): ReadonlyMap<string, T> {
  return new Map(some.flatMap((one) => (one ? [[one.id, one] as const] : [])));
}

function distinct(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)];
}
