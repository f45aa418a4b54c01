/** API resources, groups and roles. */

import { withoutConfidential } from "#core/applications/templates/confidential.ts";
import { NewTemplate } from "#core/applications/templates/shapes.ts";
import { starterTemplates } from "#core/applications/templates/starter.ts";
import { ADMIN_ROLE, EVERYONE_ROLE } from "#core/directory/roles/model.ts";
import { foldName } from "#core/kernel/fold.ts";
import { wrongInput } from "../../frame/errors.ts";
import { type Document, isDocument, isEmpty, isSame, plainData, type Value } from "../document.ts";
import type { FolderKind, Found, Step, Unique, Work } from "../kind.ts";

const API_RESOURCES = "/api/server/v1/api-resources";

export const apiResources: FolderKind = {
  name: "api-resources",
  keyOf: ({ identifier }) => String(identifier),
  uniques: ({ identifier, scopes = [] }) => [
    unique("identifier", identifier),
    ...byName(scopes).map(({ name }) => unique("scope", name)),
  ],
  async read(api, _, __, onEach) {
    const found: Found[] = [];
    for await (const { id, type } of api.apiResources.list({ limit: 100 })) {
      if (type !== "BUSINESS") continue;
      onEach();
      const { identifier, name, description = "", requiresAuthorization, scopes } = await api.apiResources.get(id);
      const documents = scopes.map(({ id: _, ...scope }) => scope);
      const document = { identifier, name, description, requiresAuthorization, scopes: documents };
      found.push({ id, document: this.normalised(document, undefined, { customKinds: [], limits: NO_LIMITS }) });
    }
    return found;
  },
  normalised({ identifier = "", name = "", description = "", requiresAuthorization = true, scopes = [] }) {
    return {
      identifier,
      name,
      ...(!isEmpty(description) && { description }),
      ...(requiresAuthorization !== true && { requiresAuthorization }),
      ...(!isEmpty(scopes) && { scopes: byName(scopes).map(scopeOf) }),
    };
  },
  create: (document) => [
    {
      async run({ api, ids, dryRun }) {
        const { id } = await api.send("POST", API_RESOURCES, { body: document, dryRun });
        if (!dryRun) ids.set("api-resources", String(document.identifier), id);
      },
    },
  ],
  update(document, { id, document: before }) {
    const path = `${API_RESOURCES}/${encodeURIComponent(id)}` as const;
    if (!isSame(document.requiresAuthorization, before.requiresAuthorization)) {
      throw wrongInput(
        `${document.identifier}: requiresAuthorization cannot change.`,
        "Delete the API resource, and apply again.",
      );
    }
    const steps: Step[] = [];
    if (document.name !== before.name || document.description !== before.description) {
      steps.push(sending("PATCH", path, { name: document.name, description: document.description ?? "" }));
    }
    if (!isSame(document.scopes ?? [], before.scopes ?? [])) {
      steps.push(sending("PUT", `${path}/scopes`, document.scopes ?? []));
    }
    return steps;
  },
  delete: ({ id }) => [sending("DELETE", `${API_RESOURCES}/${encodeURIComponent(id)}`)],
};

/** What no other file may have. `value` is the form that is compared, where it is another. */
export function unique(is: string, shown: Value | undefined, value = String(shown)): Unique {
  return { is, value, shown: String(shown) };
}

/** The limits do not matter to these kinds. */
const NO_LIMITS = {
  secretBitsMin: 0,
  clientSecretsMax: 0,
  accessTokenSecondsMax: 0,
  refreshTokenSecondsMax: 0,
  idTokenSecondsMax: 0,
};

/** A scope whose display name is its name says it once. */
function scopeOf({ name = "", displayName = name, description = "" }: Document): Document {
  return {
    name,
    ...(displayName !== name && { displayName }),
    ...(!isEmpty(description) && { description }),
  };
}

function byName(list: Value): readonly Document[] {
  const documents = Array.isArray(list) ? list.filter(isDocument) : [];
  return documents.sort((one, other) => compare(String(one.name), String(other.name)));
}

/** The order of files and lists: by code units, the same everywhere. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A step that sends one request. */
export function sending(method: "POST" | "PUT" | "PATCH" | "DELETE", path: `/${string}`, body?: unknown): Step {
  return {
    async run({ api, dryRun }) {
      const isCreation = method === "POST";
      await api.send(method, path, {
        ...(body !== undefined && { body }),
        dryRun,
        ...(!isCreation && { ifMatch: "*" }),
      });
    },
  };
}

export const groups: FolderKind = {
  name: "groups",
  keyOf: ({ displayName }) => String(displayName),
  uniques: ({ displayName }) => [unique("name of a group", displayName, foldName(String(displayName)))],
  async read(api, _, __, onEach) {
    const found: Found[] = [];
    for await (const { id, displayName } of api.groups.list({ attributes: "displayName" })) {
      onEach();
      const name = localName(displayName);
      if (name !== undefined) found.push({ id, document: { displayName: name } });
    }
    return found;
  },
  normalised: ({ displayName = "" }) => ({ displayName }),
  create: (document) => [
    {
      async run({ api, ids, dryRun }) {
        const { id } = await api.groups.create({ displayName: String(document.displayName) }, { dryRun });
        if (!dryRun) ids.set("groups", String(document.displayName), id);
      },
    },
  ],
  // A group has a name and members, and the members are no part of the folder.
  update: ({ displayName = "" }, { id }) => [
    sending("PATCH", `/scim2/Groups/${encodeURIComponent(id)}`, renaming(String(displayName))),
  ],
  delete: ({ id }) => [sending("DELETE", `/scim2/Groups/${encodeURIComponent(id)}`)],
};

/** The body that gives a group or a role another name. */
function renaming(displayName: string) {
  return { Operations: [{ op: "replace" as const, path: "displayName", value: displayName }] };
}

const PRIMARY = "PRIMARY/";

/** The name of a group without the name of the store; `undefined` for a group of a directory. */
function localName(displayName = ""): string | undefined {
  if (displayName.toUpperCase().startsWith(PRIMARY)) return displayName.slice(PRIMARY.length);
  return displayName.includes("/") ? undefined : displayName;
}

export const roles: FolderKind = {
  name: "roles",
  keyOf: ({ name, application }) => roleKey(String(name), application === undefined ? undefined : String(application)),
  uniques: (document) => [
    unique("name of a role", document.name, roles.keyOf({ ...document, name: foldName(String(document.name)) })),
  ],
  async read(api, _, names, onEach) {
    const found: Found[] = [];
    const attributes = "displayName,audience,permissions,groups";
    for await (const { id } of api.roles.list({ attributes: "displayName" })) {
      onEach();
      const {
        displayName = "",
        audience,
        permissions = [],
        groups: members = [],
      } = await api.roles.get(id, { attributes });
      const isSystem = audience?.type === "organization" && [ADMIN_ROLE, EVERYONE_ROLE].includes(displayName);
      if (isSystem) continue;
      const application = audience?.type === "application" ? names.of("applications", audience.value ?? "") : undefined;
      // What is left of an application that is gone is no role of the organization.
      if (audience?.type === "application" && application === undefined) continue;
      const document = {
        name: displayName,
        ...(application !== undefined && { application }),
        permissions: permissions.map(({ value }) => value),
        groups: members.flatMap(({ display }) => localName(display) ?? []),
      };
      const directories = members.filter(({ display }) => localName(display) === undefined).map(({ value }) => value);
      found.push({ id, document: normalisedRole(document), kept: { directories } });
    }
    return found;
  },
  normalised: normalisedRole,
  create: (document) => [
    {
      async run(work) {
        const { name, application, permissions = [] } = document;
        const body = {
          displayName: String(name),
          ...(application !== undefined && {
            audience: { type: "application" as const, value: work.ids.get("applications", String(application)) },
          }),
          permissions: texts(permissions).map((value) => ({ value })),
          groups: groupIds(document, work),
        };
        const { id } = await work.api.roles.create(body, { dryRun: work.dryRun });
        if (!work.dryRun) work.ids.set("roles", roles.keyOf(document), id);
      },
    },
  ],
  update: (document, { id, document: before, kept }) => [
    {
      async run(work) {
        const replaced = (path: string, value: readonly { value: string }[]) =>
          value.length > 0 ? { op: "replace" as const, path, value } : { op: "remove" as const, path };
        const Operations = [];
        if (document.name !== before.name) Operations.push(...renaming(String(document.name)).Operations);
        if (!isSame(document.permissions ?? [], before.permissions ?? [])) {
          const value = texts(document.permissions ?? []).map((one) => ({ value: one }));
          Operations.push(replaced("permissions", value));
        }
        if (!isSame(document.groups ?? [], before.groups ?? [])) {
          // Groups of directories are no part of the folder, so they keep the role.
          const others = texts(kept?.directories ?? []).map((value) => ({ value }));
          Operations.push(replaced("groups", [...groupIds(document, work), ...others]));
        }
        if (Operations.length > 0) {
          await work.api.roles.update(id, { Operations }, { dryRun: work.dryRun, ifMatch: "*" });
        }
      },
    },
  ],
  delete: ({ id }) => [sending("DELETE", `/scim2/v2/Roles/${encodeURIComponent(id)}`)],
};

/** No name contains it. */
export const KEY_SEPARATOR = "\u0000";

/** The key of a role: names are unique in their audience. */
export function roleKey(name: string, application: string | undefined): string {
  return application === undefined ? name : `${application}${KEY_SEPARATOR}${name}`;
}

function normalisedRole({ name = "", application, permissions = [], groups: members = [] }: Document): Document {
  const sorted = (list: Value) => [...new Set(texts(list))].sort(compare);
  return {
    name,
    ...(application !== undefined && { application }),
    ...(!isEmpty(permissions) && { permissions: sorted(permissions) }),
    ...(!isEmpty(members) && { groups: sorted(members) }),
  };
}

function groupIds({ groups: names = [] }: Document, { ids }: Work): readonly { value: string }[] {
  return texts(names).map((name) => ({ value: ids.get("groups", name) }));
}

/** The texts of a list. */
export function texts(list: Value): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

/** Reads of one kind, several at a time. */
export async function eachOf<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await read(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, worker));
  return results;
}

const CONCURRENCY = 4;

const TEMPLATES = "/api/server/v1/applications/templates";

export const templates: FolderKind = {
  name: "templates",
  keyOf: ({ name }) => String(name),
  uniques: ({ name }) => [unique("name of a template", name)],
  async read(api, deployment, _, onEach) {
    const all = await api.templates.list().all();
    const own = all.filter(({ id }) => !starterTemplates.some((starter) => starter.id === id));
    return eachOf(own, async ({ id }) => {
      onEach();
      const { id: __, ...shown } = await api.templates.get(id);
      return { id, document: templates.normalised(plainData(shown), undefined, deployment) };
    });
  },
  normalised(document, _, { customKinds }) {
    return plainData(withoutConfidential(NewTemplate.parse(document), customKinds)) as Document;
  },
  create: (document) => [
    {
      async run({ api, ids, dryRun }) {
        const { id } = await api.send("POST", TEMPLATES, { body: document, dryRun });
        if (!dryRun) ids.set("templates", String(document.name), id);
      },
    },
  ],
  update: (document, { id }) => [sending("PUT", `${TEMPLATES}/${encodeURIComponent(id)}`, document)],
  delete: ({ id }) => [sending("DELETE", `${TEMPLATES}/${encodeURIComponent(id)}`)],
};
