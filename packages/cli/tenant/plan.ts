/** What would make a tenant as its folder says, rehearsed at the service. Nothing is changed here. */
import { type Api, Fault as ServiceFault } from "#client/client.ts";
import { type ClientLimits, defaultClientLimits } from "#core/applications/protocols/limits.ts";
import type { Progress } from "../frame/output.ts";
import { type Difference, type Document, differences, isDocument } from "./document.ts";
import { type Filed, fileOf } from "./folder.ts";
import {
  type Deployment,
  type FolderKind,
  type Found,
  Ids,
  type KindName,
  kindNames,
  type Names,
  type Step,
  Unknown,
  type Work,
} from "./kind.ts";
import { applicationsKind } from "./kinds/applications.ts";
import { apiResources, compare, eachOf, groups, roles, templates, texts } from "./kinds/simple.ts";
import { withRenames } from "./renames.ts";

/** A change of one resource. */
export interface Change {
  readonly kind: KindName;
  readonly key: string;
  /** `applications/dispatch.yaml`. */
  readonly file: string;
  readonly action: "create" | "update" | "delete";
  /** The leaves that differ; for a creation all of them. */
  readonly differences: readonly Difference[];
  readonly document: Document | undefined;
  readonly steps: readonly Step[];
}

/** A change that the service would refuse. */
export interface Refused {
  readonly file: string;
  readonly reason: string;
}

export interface Plan {
  /** In the order in which they are carried out. */
  readonly changes: readonly Change[];
  readonly refused: readonly Refused[];
  /** The files of changes that depend on others of this plan, so that the service cannot rehearse them yet. */
  readonly unrehearsed: readonly string[];
  readonly ids: Ids;
  readonly deployment: Deployment;
}

/** What a tenant has. */
export interface Tenant {
  readonly found: Readonly<Record<KindName, ReadonlyMap<string, Found>>>;
  readonly deployment: Deployment;
}

/** All kinds; `keepsIds` for client ids in documents. */
export function kindsOf(keepsIds: boolean): readonly FolderKind[] {
  return [apiResources, groups, roles, templates, applicationsKind(keepsIds)];
}

/** Reads a tenant. `onEach` is called for each resource that was read. */
export async function readTenant(
  api: Api,
  kinds: readonly FolderKind[],
  onEach: () => void = () => undefined,
): Promise<Tenant> {
  const deployment = await readDeployment(api);
  const entries: [KindName, ReadonlyMap<string, Found>][] = [];
  const byId = new Map<string, string>();
  for await (const { id, name } of api.applications.list({ limit: 100 })) byId.set(`applications/${id}`, name);
  const names: Names = { of: (kind, id) => byId.get(`${kind}/${id}`) };
  for (const kind of kinds) {
    const found = await kind.read(api, deployment, names, onEach);
    for (const { id, document } of found) byId.set(`${kind.name}/${id}`, String(document.name ?? document.displayName));
    entries.push([kind.name, new Map(found.map((one) => [kind.keyOf(one.document), one]))]);
  }
  return { found: Object.fromEntries(entries) as Tenant["found"], deployment };
}

/** The settings of the deployment that documents depend on: default lifetimes, and custom protocols. */
async function readDeployment(api: Api): Promise<Deployment> {
  const meta = "/api/server/v1/applications/meta/inbound-protocols";
  const { body: oidc } = await api.send("GET", `${meta}/oidc`);
  const { body: listed } = await api.send("GET", meta, { query: { customOnly: true } });
  const names = Array.isArray(listed) ? listed.filter(isDocument).map(({ name }) => String(name)) : [];
  const customKinds = await eachOf(names, async (name) => {
    const { body } = await api.send("GET", `${meta}/${encodeURIComponent(name)}`);
    return { name, ...(body as Omit<Deployment["customKinds"][number], "name">) };
  });
  const seconds = (member: string) => Number(isDocument(oidc) ? oidc[member] : Number.NaN);
  // The default of a deployment is the usual one, or its ceiling where that is lower.
  const limits: ClientLimits = {
    ...defaultClientLimits,
    accessTokenSecondsMax: seconds("defaultUserAccessTokenExpiryTime"),
    refreshTokenSecondsMax: seconds("defaultRefreshTokenExpiryTime"),
    idTokenSecondsMax: seconds("defaultIdTokenExpiryTime"),
  };
  return { customKinds, limits };
}

interface Options {
  readonly prune: boolean;
  /** The client that this program is, which is never deleted. */
  readonly ownClientId: string | undefined;
  readonly secret: Work["secret"];
  /** Shows the progress of so many rehearsals. */
  readonly progress?: (count: number) => Progress;
}

/** The plan that makes a tenant as the files say. Throws a `CommandError` for files that cannot be carried out. */
export async function planOf(
  api: Api,
  kinds: readonly FolderKind[],
  filed: readonly Filed[],
  tenant: Tenant,
  options: Options,
): Promise<Plan> {
  const { deployment } = tenant;
  const found = withRenames(filed, tenant.found);
  const ids = new Ids();
  for (const kind of kindNames) for (const [key, { id }] of found[kind]) ids.set(kind, key, id);
  const refused: Refused[] = [];
  const changes: Change[] = [];
  for (const kind of kinds) {
    const wanted = filed.filter((one) => one.kind === kind.name);
    for (const one of wanted) {
      try {
        const change = changeOf(kind, one, found[kind.name].get(one.key), deployment);
        if (change) changes.push(change);
      } catch (error) {
        refused.push({ file: one.file, reason: reasonOf(error) });
      }
    }
    if (!options.prune) continue;
    for (const [key, current] of found[kind.name]) {
      if (wanted.some((one) => one.key === key) || isOwn(current, options.ownClientId)) continue;
      const file = fileOf(kind.name, key);
      const steps = kind.delete(current);
      changes.push({ kind: kind.name, key, file, action: "delete", differences: [], document: undefined, steps });
    }
  }
  const ordered = [...changes].sort(
    (one, other) => rankOf(one, ids) - rankOf(other, ids) || compare(one.file, other.file),
  );
  const work: Work = { api, ids, deployment, dryRun: true, secret: options.secret };
  const progress = options.progress?.(ordered.length);
  const rehearsed = await rehearse(ordered, work, () => progress?.add());
  progress?.stop();
  return {
    changes: ordered,
    refused: [...refused, ...rehearsed.refused],
    unrehearsed: rehearsed.skipped,
    ids,
    deployment,
  };
}

function isOwn({ kept }: Found, clientId: string | undefined): boolean {
  const oidc = kept?.oidc;
  return clientId !== undefined && isDocument(oidc) && oidc.clientId === clientId;
}

function changeOf(
  kind: FolderKind,
  { key, file, document: given }: Filed,
  current: Found | undefined,
  deployment: Deployment,
): Change | undefined {
  const document = kind.normalised(given, current, deployment);
  if (!current) {
    const all = differences({}, document);
    return { kind: kind.name, key, file, action: "create", differences: all, document, steps: kind.create(document) };
  }
  const changed = differences(current.document, document);
  if (changed.length === 0) return undefined;
  const steps = kind.update(document, current);
  return { kind: kind.name, key, file, action: "update", differences: changed, document, steps };
}

/** Changes come after those that they may depend on; deletions come last, in reverse. */
export function rankOf({ kind, action, document }: Change, ids: Ids): number {
  const order: Readonly<Record<KindName, number>> = {
    "api-resources": 0,
    groups: 1,
    templates: 2,
    roles: 3,
    applications: 4,
  };
  if (action === "delete") return 20 - order[kind];
  const application = kind === "roles" ? document?.application : undefined;
  const isOfNew = application !== undefined && ids.find("applications", String(application)) === undefined;
  return isOfNew ? 5 : order[kind];
}

/** Tries every change that depends on no other. */
async function rehearse(changes: readonly Change[], work: Work, onEach: () => void) {
  const refused: Refused[] = [];
  const skipped: string[] = [];
  const isCreated = (error: Unknown) =>
    changes.some(({ action, kind, key }) => action === "create" && kind === error.kind && key === error.key);
  const scopes = newScopes(changes);
  const deletes = changes.filter(({ action }) => action === "delete").length;
  await eachOf(changes, async (change) => {
    onEach();
    // Scopes of an API are in use until the roles and applications of this plan are gone.
    const waits = change.action === "delete" && change.kind === "api-resources" && deletes > 1;
    if (waits || scopesOf(change.document).some((scope) => scopes.has(scope))) {
      skipped.push(change.file);
      return;
    }
    try {
      for (const step of change.steps) if (!step.isLater) await step.run(work);
    } catch (error) {
      if (error instanceof Unknown && isCreated(error)) skipped.push(change.file);
      else if (error instanceof MissingSecret) skipped.push(change.file);
      else if (error instanceof ServiceFault && !isAnswer(error)) throw error;
      else refused.push({ file: change.file, reason: reasonOf(error) });
    }
  });
  return { refused, skipped: skipped.sort(compare) };
}

/** A secret that a rehearsal does not have. */
export class MissingSecret extends Error {}

/** Whether the service refused this change, and would not refuse every other request too. */
function isAnswer({ kind }: ServiceFault): boolean {
  return kind !== "unreachable" && kind !== "unauthenticated" && kind !== "tooMany" && kind !== "failed";
}

/** The scopes that this plan creates. */
function newScopes(changes: readonly Change[]): ReadonlySet<string> {
  const apis = changes.filter(({ kind, action }) => kind === "api-resources" && action !== "delete");
  return new Set(
    apis.flatMap(({ document }) => {
      const list = document?.scopes;
      return (Array.isArray(list) ? list.filter(isDocument) : []).map(({ name }) => String(name));
    }),
  );
}

/** The scopes that a role or an application names. */
function scopesOf(document: Document | undefined): readonly string[] {
  const apis = document?.authorizedApis;
  const authorized = (Array.isArray(apis) ? apis.filter(isDocument) : []).flatMap(({ scopes = [] }) => texts(scopes));
  return [...texts(document?.permissions ?? []), ...authorized];
}

/** Why a change is not possible, in one sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof ServiceFault) return `${error.status}: ${error.detail}`;
  if (!(error instanceof Error)) return String(error);
  if (error.name === "ZodError" || error.name === "$ZodError") {
    const [issue] = JSON.parse(error.message) as readonly {
      readonly path: readonly unknown[];
      readonly message: string;
    }[];
    return issue ? `${issue.path.join(".")}: ${issue.message}` : error.message;
  }
  const { next } = error as { readonly next?: string };
  return next === undefined ? error.message : `${error.message} ${next}`;
}
