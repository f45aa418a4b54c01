/** Tenants with many resources of all kinds, and their folders. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll } from "vitest";
import { readFolder, writeFolder } from "#cli/tenant/folder.ts";
import { kindNames } from "#cli/tenant/kind.ts";
import { kindsOf, type Plan, planOf, readTenant } from "#cli/tenant/plan.ts";
import { carryOut, type Outcome } from "#cli/tenant/run.ts";
import { type Api, client } from "#client/client.ts";
import { anyApplication, bodyOf } from "./any-application.ts";
import { ADMIN } from "./world.ts";

export const OWNER = { username: "kim", password: "maple-tree-42" } as const;

/** Creates a tenant, and returns a client of its owner. */
export const newTenant = async (url: string, domain: string): Promise<Api> => {
  const api = client({ url, credentials: ADMIN });
  const person = { ...OWNER, email: `kim@${domain}`, firstname: "Kim", lastname: "Berry" };
  await api.tenants.create({ domain, owners: [{ ...person, provisioningMethod: "inline-password" }] });
  return client({ url, tenant: domain, credentials: { ...OWNER, username: `kim@${domain}` } });
};

/** Folders of a test file, which are removed after it. */
export const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "identity-admin-api-tenant-"));
  folders.push(folder);
  return folder;
};
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Every file of a folder, by its path. */
export const contentOf = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, "utf8")]),
  );
  return Object.fromEntries(texts.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)));
};

/** The value of every secret that a file refers to. */
export const secret = async (reference: string): Promise<string> => `the value of ${reference.length}`;

export const exportTo = async (api: Api, folder: string, keepsIds = false): Promise<void> => {
  const { found } = await readTenant(api, kindsOf(keepsIds));
  const resources = kindNames.flatMap((kind) =>
    [...found[kind]].map(([key, { document }]) => ({ kind, key, document })),
  );
  await writeFolder(folder, resources);
};

export const planFor = async (api: Api, folder: string, prune = false): Promise<Plan> => {
  const kinds = kindsOf(false);
  const { filed } = await readFolder(folder, kinds);
  return planOf(api, kinds, filed, await readTenant(api, kinds), { prune, ownClientId: undefined, secret });
};

export const applyTo = async (api: Api, plan: Plan): Promise<readonly Outcome[]> =>
  carryOut(api, plan, secret, () => undefined);

export interface Sizes {
  readonly applications: number;
  readonly roles: number;
  readonly apis: number;
  readonly groups: number;
  readonly templates: number;
}

/** Fills a tenant with resources of all kinds that refer to each other. Returns how many applications were refused. */
export const fill = async (api: Api, sizes: Sizes, seed: number): Promise<number> => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  const apis: string[] = [];
  for (const at of numbers(sizes.apis)) {
    const { id } = await api.apiResources.create({
      identifier: `https://api${at}.example.com`,
      name: `API ${at}: "${at}" \u00e9`,
      ...(at % 2 && { description: `No. ${at}\n- not a list` }),
      requiresAuthorization: at % 5 !== 0,
      scopes: numbers(at % 4).map((scope) => ({ name: `a${at}:${scope}`, displayName: `Scope ${scope}` })),
    });
    apis.push(id);
  }
  const groups: { id: string; name: string }[] = [];
  for (const at of numbers(sizes.groups)) {
    const name = at % 3 === 0 ? `Group: ${at}` : `group-${at}`;
    groups.push({ id: (await api.groups.create({ displayName: name })).id, name });
  }
  let refused = 0;
  const applications: string[] = [];
  const samples = fc.sample(anyApplication, { numRuns: sizes.applications * 2, seed });
  for (const [at, sample] of samples.entries()) {
    if (applications.length === sizes.applications) break;
    try {
      const { id } = await api.send("POST", "/api/server/v1/applications", { body: bodyOf(sample, at) });
      applications.push(id);
    } catch {
      refused += 1;
    }
  }
  const roles: string[] = [];
  for (const at of numbers(sizes.roles)) {
    const application = applications[at];
    const { id } = await api.roles.create({
      displayName: at % 2 ? `Role ${at}` : `role-${at}`,
      ...(at % 3 === 0 && application !== undefined && { audience: { type: "application", value: application } }),
      permissions: [
        { value: "internal_user_mgt_list" },
        ...(at < sizes.apis && at % 4 > 0 ? [{ value: `a${at}:0` }] : []),
      ],
      groups: groups.filter((_, index) => index % 7 === at % 7).map(({ id: value }) => ({ value })),
    });
    roles.push(id);
  }
  for (const [at, applicationId] of applications.entries()) {
    const number = at % sizes.apis;
    if (number % 4 > 0) {
      await api.request("POST /api/server/v1/applications/{applicationId}/authorized-apis", {
        params: { applicationId },
        body: { id: apis[number] ?? "", policyIdentifier: "RBAC", scopes: [`a${number}:0`] },
      });
    }
    const group = groups[at % groups.length];
    if (at % 10 === 1 && group) {
      await api.applications.update(applicationId, {
        advancedConfigurations: { discoverableGroups: [{ userStore: "PRIMARY", groups: [{ id: group.id }] }] },
      });
    }
    const role = roles[(at % sizes.roles) - ((at % sizes.roles) % 3) + 1];
    if (at % 10 === 2 && role !== undefined) {
      await api.applications.update(applicationId, {
        associatedRoles: { allowedAudience: "ORGANIZATION", roles: [{ id: role }] },
      });
    }
  }
  for (const at of numbers(sizes.templates)) {
    await api.templates.create({
      name: `Template ${at}`,
      ...(at % 2 && { description: "One\nTwo", types: ["web"], category: "VENDOR" as const, displayOrder: at }),
      application: {
        name: "of the template",
        inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
      },
    });
  }
  return refused;
};
