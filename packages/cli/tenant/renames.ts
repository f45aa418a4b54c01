/**
 * Resources that a folder gives another name. A folder has no ids, so a resource is known by the file that an export
 * wrote for it, or by its client id. Without this a new name would be a new application with another client id.
 */
import { type Document, isDocument, type Value } from "./document.ts";
import { type Filed, isFileOf } from "./folder.ts";
import type { Found, KindName } from "./kind.ts";
import { KEY_SEPARATOR, roleKey, texts } from "./kinds/simple.ts";

type AllFound = Readonly<Record<KindName, ReadonlyMap<string, Found>>>;
/** New keys by the old ones. */
type Renames = ReadonlyMap<string, string>;

/**
 * What the tenant has, under the names that the files give: a resource that is renamed has its new key, and others
 * refer to it by the new name. Its own name in the document is the old one, so that the plan shows the difference.
 *
 * A file renames what an export wrote into that file, or what has the client id of the file, where the tenant has no
 * resource of the new name, and no other file has the old one. Identifiers of API resources cannot change: another one
 * is another API.
 */
export function withRenames(filed: readonly Filed[], found: AllFound): AllFound {
  const renamesOf = (kind: KindName, current: ReadonlyMap<string, Found>) =>
    renamesIn(
      filed.filter((one) => one.kind === kind),
      current,
    );
  const groups = renamesOf("groups", found.groups);
  const applications = renamesOf("applications", found.applications);
  const moved = movedRoles(found.roles, applications, groups);
  const roles = renamesOf("roles", moved);
  const roleNames = new Map([...roles].map(([from, to]) => [nameIn(from), nameIn(to)]));
  return {
    ...found,
    groups: underNewKeys(found.groups, groups),
    templates: underNewKeys(found.templates, renamesOf("templates", found.templates)),
    roles: underNewKeys(moved, roles),
    applications: underNewKeys(found.applications, applications, (document) =>
      withNamesIn(document, roleNames, groups),
    ),
  };
}

function renamesIn(filed: readonly Filed[], found: ReadonlyMap<string, Found>): Renames {
  const wanted = new Set(filed.map(({ key }) => key));
  const left = new Map([...found].filter(([key]) => !wanted.has(key)));
  const renames = new Map<string, string>();
  for (const one of filed) {
    if (found.has(one.key)) continue;
    const matches = [...left].filter(([key, current]) => isSameResource(one, key, current));
    const [[key] = [undefined]] = matches;
    if (key === undefined || matches.length > 1) continue;
    renames.set(key, one.key);
    left.delete(key);
  }
  return renames;
}

function isSameResource({ kind, key, file, document }: Filed, oldKey: string, { kept }: Found): boolean {
  if (ownerOf(key) !== ownerOf(oldKey)) return false;
  const clientId = clientIdOf(part(document.protocols).oidc);
  if (clientId !== undefined) return clientId === clientIdOf(kept?.oidc);
  return isFileOf(kind, file, oldKey);
}

function clientIdOf(oidc: Value | undefined): Value | undefined {
  return part(oidc).clientId;
}

function part(value: Value | undefined): Document {
  return isDocument(value) ? value : {};
}

/** The application of a role, in its key. */
function ownerOf(key: string): string | undefined {
  return key.includes(KEY_SEPARATOR) ? key.split(KEY_SEPARATOR)[0] : undefined;
}

function nameIn(key: string): string {
  return key.split(KEY_SEPARATOR).at(-1) ?? key;
}

function underNewKeys(
  found: ReadonlyMap<string, Found>,
  renames: Renames,
  changed: (document: Document) => Document = (document) => document,
): ReadonlyMap<string, Found> {
  return new Map(
    [...found].map(([key, one]) => [renames.get(key) ?? key, { ...one, document: changed(one.document) }]),
  );
}

/** Roles under the new names of their applications and groups. */
function movedRoles(found: ReadonlyMap<string, Found>, applications: Renames, groups: Renames) {
  return new Map(
    [...found.values()].map((one): [string, Found] => {
      const { name, application, groups: members } = one.document;
      const owner = application === undefined ? undefined : (applications.get(String(application)) ?? application);
      const document = {
        ...one.document,
        ...(owner !== undefined && { application: owner }),
        ...(members !== undefined && { groups: renamedIn(members, groups) }),
      };
      return [roleKey(String(name), owner === undefined ? undefined : String(owner)), { ...one, document }];
    }),
  );
}

function renamedIn(names: Value, renames: Renames): readonly string[] {
  return texts(names)
    .map((name) => renames.get(name) ?? name)
    .sort();
}

/** An application that refers to roles and groups by their new names. */
function withNamesIn(document: Document, roles: Renames, groups: Renames): Document {
  const { associatedRoles, advancedConfigurations, ...rest } = document;
  const stores = part(advancedConfigurations).discoverableGroups;
  return {
    ...rest,
    ...(associatedRoles !== undefined && {
      associatedRoles: {
        ...part(associatedRoles),
        ...(part(associatedRoles).roles !== undefined && {
          roles: renamedIn(part(associatedRoles).roles ?? [], roles),
        }),
      },
    }),
    ...(advancedConfigurations !== undefined && {
      advancedConfigurations: {
        ...part(advancedConfigurations),
        ...(Array.isArray(stores) && {
          discoverableGroups: stores.map((store) => ({
            ...part(store),
            groups: renamedIn(part(store).groups ?? [], groups),
          })),
        }),
      },
    }),
  };
}
