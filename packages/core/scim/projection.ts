/**
 * Which attributes an answer shows (RFC 7644 section 3.9; reference scim.md section 3.4), and a resource as it is shown: in
 * the order of the schemas, with the list of schemas it uses, never with a password.
 */
import { Fault } from "../platform/faults.ts";
import type { Attribute, Json, JsonObject, Resource, ResourceType, Schema } from "./schema/attribute.ts";
import { coreAttributes, resolveName } from "./schema/paths.ts";
import { isObject } from "./values.ts";

/** What a request says about attributes: comma lists as in a query, or lists of names as in a search request. */
export interface Selection {
  readonly attributes?: string | readonly string[] | undefined;
  readonly excludedAttributes?: string | readonly string[] | undefined;
}

/** An attribute that is shown, with those of its sub-attributes that are; `undefined` where it has none. */
interface Shown {
  readonly attribute: Attribute;
  readonly subs: readonly Shown[] | undefined;
}

/** The attributes to show, in the order they are shown. */
export interface Projection {
  readonly type: ResourceType;
  /** The common attributes but for `schemas` and `meta`, which open and close a resource, and those of the core schema. */
  readonly core: readonly Shown[];
  readonly extensions: readonly { readonly id: string; readonly shown: readonly Shown[] }[];
  readonly meta: readonly Shown[];
}

/** Each name costs a search of the schemas, which hold far fewer attributes than this. */
const NAMES_MAX = 1_000;

/** What the names of a list stand for. Names that no schema knows stand for nothing. */
interface Named {
  /** Attributes, sub-attributes, and everything in a schema that is named by its URN alone. */
  readonly listed: ReadonlySet<Attribute>;
  /** Attributes and sub-attributes that are named themselves. */
  readonly exact: ReadonlySet<Attribute>;
  /** Complex attributes of which a sub-attribute is named. */
  readonly parents: ReadonlySet<Attribute>;
}

/** Whether an attribute is shown, and which of its sub-attributes. */
type Choose = (attribute: Attribute) => Shown | undefined;

/** What `present` may add to what is kept. */
interface PresentOptions {
  /** The name with its user store, `PRIMARY/kim`: shown as `username` wherever `userName` is (decision D1). */
  readonly usernameAlias?: string | undefined;
  /** Lists that are shown though they are empty, such as the `members` that a client sent empty. */
  readonly emptyLists?: readonly string[];
}

/**
 * What a request wants to see. Where both lists are given `attributes` counts; an empty one is as good as none; names that
 * no schema knows count for nothing, so a list of such alone leaves what is always shown. Throws `request.invalid` for
 * more than 1,000 names.
 */
export function projectionOf(type: ResourceType, selection: Selection): Projection {
  const choose = chooseFrom(type, selection);
  const chosen = (attributes: readonly Attribute[]) => attributes.flatMap((attribute) => choose(attribute) ?? []);
  const attributes = coreAttributes(type);
  return {
    type,
    core: chosen(attributes.filter(({ name }) => name !== "schemas" && name !== "meta")),
    extensions: type.extensions.map((extension) => ({ id: extension.id, shown: chosen(extension.attributes) })),
    meta: chosen(attributes.filter(({ name }) => name === "meta")),
  };
}

function chooseFrom(type: ResourceType, { attributes, excludedAttributes }: Selection): Choose {
  const wanted = namesOf(attributes);
  if (wanted.length > 0) return only(resolve(type, wanted));
  const unwanted = namesOf(excludedAttributes);
  return unwanted.length > 0 ? allBut(resolve(type, unwanted)) : byDefault;
}

function namesOf(given: string | readonly string[] | undefined): readonly string[] {
  const lists = typeof given === "string" ? [given] : (given ?? []);
  const names = new Set(lists.flatMap(namesIn).map((name) => name.trim().toLowerCase()));
  names.delete("");
  if (names.size <= NAMES_MAX) return [...names];
  throw new Fault("request.invalid", `A request names at most ${NAMES_MAX} attributes, not ${names.size}.`);
}

/** Cuts a list at its commas, and filters in brackets out of its names: `emails[type eq "a,b"].value` is `emails.value`. */
function namesIn(list: string): string[] {
  const names: string[] = [];
  let name = "";
  let depth = 0;
  let isQuoted = false;
  for (const char of list) {
    if (depth > 0 && char === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (char === "[") depth += 1;
    else if (char === "]") depth = Math.max(0, depth - 1);
    else if (char === "," && depth === 0) {
      names.push(name);
      name = "";
    } else if (depth === 0) name += char;
  }
  return [...names, name];
}

function only({ listed, exact, parents }: Named): Choose {
  return (attribute) => {
    if (attribute.returned === "never") return undefined;
    // A schema named as a whole brings what it shows by default.
    const isListed =
      attribute.returned === "always" || exact.has(attribute) || (listed.has(attribute) && isByDefault(attribute));
    if (!isListed && !parents.has(attribute)) return undefined;
    return withSubs(
      attribute,
      (sub) =>
        sub.returned !== "never" && (exact.has(sub) || sub.returned === "always" || (isListed && isByDefault(sub))),
    );
  };
}

function resolve(type: ResourceType, names: readonly string[]): Named {
  const listed = new Set<Attribute>();
  const exact = new Set<Attribute>();
  const parents = new Set<Attribute>();
  const addAll = ({ attributes }: Schema) => {
    for (const attribute of attributes) listed.add(attribute);
  };
  for (const name of names) {
    const found = resolveName(type, name);
    if (name === type.schema.id.toLowerCase()) addAll(type.schema);
    else if (found && !found.attribute) addAll(found.extension);
    else if (found?.attribute) {
      exact.add(found.sub ?? found.attribute);
      if (found.sub) parents.add(found.attribute);
    }
  }
  return { listed: listed.union(exact), exact, parents };
}

function allBut({ listed }: Named): Choose {
  return (attribute) => {
    const isShown = (each: Attribute) => each.returned === "always" || (isByDefault(each) && !listed.has(each));
    return isShown(attribute) ? withSubs(attribute, isShown) : undefined;
  };
}

function byDefault(attribute: Attribute): Shown | undefined {
  return isByDefault(attribute) ? withSubs(attribute, isByDefault) : undefined;
}

function isByDefault({ returned }: Attribute): boolean {
  return returned === "always" || returned === "default";
}

function withSubs(attribute: Attribute, isShown: (sub: Attribute) => boolean): Shown {
  return {
    attribute,
    subs: attribute.subAttributes?.filter(isShown).map((sub) => ({ attribute: sub, subs: undefined })),
  };
}

/**
 * Whether any of an attribute is shown, so that a store can spare itself reading what is not. The name is that of an
 * attribute of the type, such as `members`, or a full one with its URN.
 */
export function wants({ type, core, extensions, meta }: Projection, name: string): boolean {
  const found = resolveName(type, name);
  const shown = [...core, ...meta, ...extensions.flatMap((extension) => extension.shown)];
  return shown.some(({ attribute }) => attribute === found?.attribute);
}

/**
 * A resource as an answer shows it: `schemas` first, then `id`, `externalId`, the attributes of the core schema and the
 * extensions, `meta` last. `schemas` names the core schema and the extensions of which something is shown.
 */
export function present(
  projection: Projection,
  resource: Resource,
  { usernameAlias, emptyLists = [] }: PresentOptions = {},
): Resource {
  const { type, core, meta } = projection;
  const extensions = projection.extensions.flatMap(({ id, shown }): [string, JsonObject][] => {
    const value = resource[id];
    const members = isObject(value) ? pick(value, shown) : {};
    return Object.keys(members).length > 0 ? [[id, members]] : [];
  });
  const { id, externalId, ...others } = pick(resource, core);
  const empty = emptyLists.filter((name) => !Object.hasOwn(others, name) && wants(projection, name));
  return {
    schemas: [type.schema.id, ...extensions.map(([urn]) => urn)],
    ...(id !== undefined && { id }),
    ...(externalId !== undefined && { externalId }),
    // Before userName: clients that do not tell the two apart keep the last one they read.
    ...(usernameAlias !== undefined && wants(projection, "userName") && { username: usernameAlias }),
    ...others,
    ...Object.fromEntries(empty.map((name): [string, Json] => [name, []])),
    ...Object.fromEntries(extensions),
    ...pick(resource, meta),
  };
}

function pick(members: JsonObject, shown: readonly Shown[]): JsonObject {
  return Object.fromEntries(
    shown.flatMap(({ attribute, subs }): [string, Json][] => {
      const value = members[attribute.name];
      const visible = value === undefined || !subs ? value : pickSubs(value, subs);
      return visible === undefined ? [] : [[attribute.name, visible]];
    }),
  );
}

function pickSubs(value: Json, subs: readonly Shown[]): Json | undefined {
  if (Array.isArray(value)) {
    const elements = value.flatMap((element: Json) => pickSubs(element, subs) ?? []);
    return elements.length > 0 ? elements : undefined;
  }
  const picked = isObject(value) ? pick(value, subs) : {};
  return Object.keys(picked).length > 0 ? picked : undefined;
}

/** A resource with what a projection shows of it, and nothing more. */
export function project(projection: Projection, resource: Resource): Resource {
  return present(projection, resource);
}
