/** `seed`: a tenant to try things with. What is there already is left as it is, so a run can be repeated. */
import type { Command } from "commander";
import type { Api } from "#client/client.ts";
import { foldName } from "#core/kernel/fold.ts";
import { CommandError, exitCodes } from "../../frame/errors.ts";
import { action, type Frame } from "../../frame/frame.ts";
import { confirmed, type Progress } from "../../frame/output.ts";
import { DRY_RUN } from "../collections.ts";
import { demoApis, demoApplications, demoPeople, demoRoles, type Person } from "./demo.ts";

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
/** Users of one bulk request. */
const BATCH = 25;
const HEADS = "Heads";

/** What there was, and what was created. */
interface Counts {
  created: number;
  found: number;
}

interface SeedValues {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function declareSeed(program: Command): void {
  const seed = program
    .command("seed")
    .description("create a demo tenant: 200 users, groups, roles, APIs and 12 applications")
    .option(...DRY_RUN)
    .option("--yes", "do not ask");
  action<SeedValues, []>(seed, async (frame: Frame<SeedValues>) => {
    const { options, out } = frame;
    const api = await frame.api();
    await confirmed(`Create demo users and applications at ${api.url}?`, options.yes || options.dryRun);
    const counts = await seeded(api, frame, options.dryRun ?? false);
    const rows = Object.entries(counts).map(([what, { created, found }]) => [what, String(created), String(found)]);
    out.table(["what", options.dryRun ? "would create" : "created", "already there"], rows, [
      { ...counts, dryRun: options.dryRun ?? false },
    ]);
    if (!options.dryRun) out.note("The users have no password. Set one: identity-admin users set-password aino.abe");
  });
}

async function seeded(api: Api, frame: Frame, dryRun: boolean): Promise<Readonly<Record<string, Counts>>> {
  const people = demoPeople();
  const steps = people.length + demoApis.length + demoRoles.length + demoApplications.length;
  const progress = frame.progress("seed", steps);
  try {
    const users = await seedUsers(api, people, dryRun, progress);
    const ids = await idsByName(api);
    return {
      users,
      groups: await seedGroups(api, people, ids, dryRun),
      apis: await seedApis(api, dryRun, progress),
      roles: await seedRoles(api, dryRun, progress),
      applications: await seedApplications(api, dryRun, progress),
    };
  } finally {
    progress.stop();
  }
}

async function idsByName(api: Api): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for await (const { userName = "", id } of api.users.list({ attributes: "userName" })) ids.set(foldName(userName), id);
  return ids;
}

async function seedUsers(api: Api, people: readonly Person[], dryRun: boolean, progress: Progress): Promise<Counts> {
  const there = await idsByName(api);
  const missing = people.filter(({ userName }) => !there.has(userName));
  progress.add(people.length - missing.length);
  for (let from = 0; from < missing.length; from += BATCH) {
    const batch = missing.slice(from, from + BATCH);
    const { body } = await api.request("POST /scim2/Bulk", {
      body: {
        Operations: batch.map((person) => ({
          method: "POST" as const,
          path: "/Users",
          bulkId: person.userName,
          data: userOf(person),
        })),
      },
      // By RFC 7644 a new user needs no password. These get none, so that no demo password is ever valid.
      headers: { accept: "application/scim+json" },
      dryRun,
    });
    const refused = body.Operations.find(({ status }) => Number(status) >= 400);
    if (refused) {
      const reason = (refused.response as { readonly detail?: string } | undefined)?.detail ?? refused.status;
      throw new CommandError(`The user ${refused.bulkId} was refused: ${reason}`, exitCodes.failed);
    }
    progress.add(batch.length);
  }
  return { created: missing.length, found: people.length - missing.length };
}

function userOf(person: Person): object {
  const { userName, givenName, familyName, department, title, employeeNumber, active, place, manager } = person;
  const { locality, country, locale, timezone } = place;
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", ENTERPRISE],
    userName,
    name: { givenName, familyName },
    displayName: `${givenName} ${familyName}`,
    title,
    active,
    locale,
    timezone,
    emails: [{ value: `${userName}@example.com`, type: "work", primary: true }],
    addresses: [{ type: "work", locality, country }],
    [ENTERPRISE]: {
      employeeNumber,
      department,
      organization: "Example Cars",
      ...(manager !== undefined && { manager: { value: manager } }),
    },
  };
}

async function seedGroups(
  api: Api,
  people: readonly Person[],
  ids: ReadonlyMap<string, string>,
  dryRun: boolean,
): Promise<Counts> {
  const there = await namesOf(api.groups.list({ attributes: "displayName" }));
  const members = new Map<string, string[]>();
  for (const { department, userName, manager } of people) {
    const names = manager === undefined ? [department, HEADS] : [department];
    for (const name of names) members.set(name, [...(members.get(name) ?? []), userName]);
  }
  return eachMissing(
    [...members],
    ([name]) => there.has(foldName(name)),
    async ([displayName, names]) => {
      // In a rehearsal the users do not exist.
      const found = names.flatMap((name) => ids.get(name) ?? []).map((value) => ({ value }));
      await api.groups.create({ displayName, members: found }, { dryRun });
    },
  );
}

async function seedApis(api: Api, dryRun: boolean, progress: Progress): Promise<Counts> {
  const there = new Set((await api.apiResources.list().all()).map(({ identifier }) => identifier));
  return eachMissing(
    demoApis,
    ({ identifier }) => there.has(identifier),
    async ({ identifier, name, scopes }) => {
      const described = scopes.map((scope) => ({ name: scope, displayName: scope.replace("_", ": ") }));
      await api.apiResources.create({ identifier, name, scopes: described }, { dryRun });
    },
    progress,
  );
}

async function seedRoles(api: Api, dryRun: boolean, progress: Progress): Promise<Counts> {
  const there = await namesOf(api.roles.list({ attributes: "displayName" }));
  const groups = new Map<string, string>();
  for await (const { displayName = "", id } of api.groups.list({ attributes: "displayName" }))
    groups.set(foldName(displayName), id);
  return eachMissing(
    demoRoles,
    ({ name }) => there.has(foldName(name)),
    async ({ name, scopes, groups: names }) => {
      // In a rehearsal the groups and the APIs of the demo tenant may not exist.
      const known = dryRun ? scopes.filter((scope) => scope.startsWith("internal_")) : scopes;
      const permissions = known.map((value) => ({ value }));
      const value = names.flatMap((one) => groups.get(foldName(one)) ?? []).map((id) => ({ value: id }));
      await api.roles.create({ displayName: name, permissions, groups: value }, { dryRun });
    },
    progress,
  );
}

async function seedApplications(api: Api, dryRun: boolean, progress: Progress): Promise<Counts> {
  const there = await namesOf(api.applications.list(), "name");
  const apis = new Map((await api.apiResources.list().all()).map((one) => [one.identifier, one.id]));
  return eachMissing(
    demoApplications,
    ([{ name }]) => there.has(foldName(name)),
    async ([application, calls]) => {
      const { id: applicationId } = await api.applications.create(application, { dryRun });
      if (dryRun) return;
      for (const identifier of calls) {
        const scopes = demoApis.find((one) => one.identifier === identifier)?.scopes ?? [];
        await api.request("POST /api/server/v1/applications/{applicationId}/authorized-apis", {
          params: { applicationId },
          body: { id: apis.get(identifier) ?? "", policyIdentifier: "RBAC", scopes: [...scopes] },
        });
      }
    },
    progress,
  );
}

/** Folded: the service takes names that differ in letter case for the same name. */
async function namesOf(list: AsyncIterable<object>, member = "displayName"): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const item of list) names.add(foldName(String((item as Readonly<Record<string, unknown>>)[member])));
  return names;
}

async function eachMissing<T>(
  all: readonly T[],
  isThere: (item: T) => boolean,
  create: (item: T) => Promise<void>,
  progress?: Progress,
): Promise<Counts> {
  const counts = { created: 0, found: 0 };
  for (const item of all) {
    if (isThere(item)) counts.found += 1;
    else {
      await create(item);
      counts.created += 1;
    }
    progress?.add();
  }
  return counts;
}
