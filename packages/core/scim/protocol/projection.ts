/**
 * Selects the attributes of a response (RFC 7644 section 3.9), and renders resources with them: in the order of the
 * schemas, with `schemas`, never with a password.
 */
import { Fault } from "../../kernel/faults.ts";
import type { Attribute, Json, JsonObject, Resource, ResourceType, Schema } from "./schema/attribute.ts";
import { coreAttributes, resolveName } from "./schema/paths.ts";
import { isObject } from "./values.ts";

/** `attributes` and `excludedAttributes` of a request: comma-separated in a query, lists of names in a search body. */
export interface Selection {
  readonly attributes?: string | readonly string[] | undefined;
  readonly excludedAttributes?: string | readonly string[] | undefined;
}

/** A selected attribute with its selected sub-attributes; `undefined` for a simple attribute. */
interface Shown {
  readonly attribute: Attribute;
  readonly subs: readonly Shown[] | undefined;
}

/** The selected attributes in the order of the response. */
export interface Projection {
  readonly type: ResourceType;
  /** Attributes of the core schema, and the common ones except `schemas` and `meta`. */
  readonly core: readonly Shown[];
  readonly extensions: readonly { readonly id: string; readonly shown: readonly Shown[] }[];
  readonly meta: readonly Shown[];
  /** All of these attributes. */
  readonly all: ReadonlySet<Attribute>;
}

/** Limits the work: each name is looked up in the schemas, which have far fewer attributes. */
const NAMES_MAX = 1_000;

/** The attributes that a list of names selects. Unknown names select none. */
interface NamedAttributes {
  /** Attributes, sub-attributes, and all attributes of a schema that is named by its URN. */
  readonly listed: ReadonlySet<Attribute>;
  /** Attributes and sub-attributes with a name of their own in the list. */
  readonly exact: ReadonlySet<Attribute>;
  /** Complex attributes of which a sub-attribute is named. */
  readonly parents: ReadonlySet<Attribute>;
}

/** Selects an attribute with its sub-attributes; `undefined` if it is not selected. */
type Choose = (attribute: Attribute) => Shown | undefined;

/** What `present` adds to a stored resource. */
interface PresentOptions {
  /** The name with its user store, `PRIMARY/kim`. Shown as `username` wherever `userName` is selected. */
  readonly usernameAlias?: string | undefined;
  /** Lists to show although they are empty, such as `members` that a client sent empty. */
  readonly emptyLists?: readonly string[];
}

/**
 * The projection of a request. `attributes` wins over `excludedAttributes`. An empty list counts as absent. Unknown
 * names are ignored; with unknown names only, the attributes that are always returned remain. Throws `request.invalid`
 * for more than 1,000 names.
 */
export function projectionOf(type: ResourceType, selection: Selection): Projection {
  const choose = chooseFrom(type, selection);
  if (choose !== byDefault) return chosenOf(type, choose);
  const known = defaults.get(type) ?? chosenOf(type, choose);
  defaults.set(type, known);
  return known;
}

/** The projections of requests that name no attributes: most of them. */
const defaults = new WeakMap<ResourceType, Projection>();

function chosenOf(type: ResourceType, choose: Choose): Projection {
  const chosen = (attributes: readonly Attribute[]) => attributes.flatMap((attribute) => choose(attribute) ?? []);
  const attributes = coreAttributes(type);
  const core = chosen(attributes.filter(({ name }) => name !== "schemas" && name !== "meta"));
  const extensions = type.extensions.map((extension) => ({ id: extension.id, shown: chosen(extension.attributes) }));
  const meta = chosen(attributes.filter(({ name }) => name === "meta"));
  const shown = [...core, ...meta, ...extensions.flatMap((extension) => extension.shown)];
  return { type, core, extensions, meta, all: new Set(shown.map(({ attribute }) => attribute)) };
}

function chooseFrom(type: ResourceType, { attributes, excludedAttributes }: Selection): Choose {
  const included = namesOf(attributes);
  if (included.length > 0) return only(resolve(type, included));
  const excluded = namesOf(excludedAttributes);
  return excluded.length > 0 ? allBut(resolve(type, excluded)) : byDefault;
}

function namesOf(given: string | readonly string[] | undefined): readonly string[] {
  const lists = typeof given === "string" ? [given] : (given ?? []);
  const names = new Set(lists.flatMap(namesIn).map((name) => name.trim().toLowerCase()));
  names.delete("");
  if (names.size <= NAMES_MAX) return [...names];
  throw new Fault(
    "request.invalid",
    `attributes and excludedAttributes must have at most ${NAMES_MAX} names, not ${names.size}.`,
  );
}

/** Splits a list at its commas. Ignores filters in brackets: `emails[type eq "a,b"].value` is `emails.value`. */
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

function only({ listed, exact, parents }: NamedAttributes): Choose {
  return (attribute) => {
    if (attribute.returned === "never") return undefined;
    // The URN of a schema selects the attributes that are returned by default.
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

function resolve(type: ResourceType, names: readonly string[]): NamedAttributes {
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

function allBut({ listed }: NamedAttributes): Choose {
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
 * Whether an attribute, or a part of it, is selected. Saves stores from reading what is not. The name is one that this
 * project knows, not of a request: that of an attribute, such as `members`, or a full name with its URN.
 */
export function wants({ type, all }: Projection, name: string): boolean {
  const names = resolved.get(type) ?? new Map<string, Attribute | undefined>();
  resolved.set(type, names);
  if (!names.has(name)) names.set(name, resolveName(type, name)?.attribute);
  const attribute = names.get(name);
  return attribute !== undefined && all.has(attribute);
}

/** The attributes of the names that `wants` was asked for. */
const resolved = new WeakMap<ResourceType, Map<string, Attribute | undefined>>();

/**
 * Renders a resource: `schemas`, `id`, `externalId`, the attributes of the core schema, the extensions, `meta`.
 * `schemas` lists the core schema and the extensions with visible attributes.
 */
export function present(
  projection: Projection,
  resource: Resource,
  { usernameAlias, emptyLists = [] }: PresentOptions = {},
): Resource {
  const { type, core, meta } = projection;
  const extensions = projection.extensions.flatMap(({ id, shown }): [string, JsonObject][] => {
    const value = resource[id];
    if (!isObject(value)) return [];
    const members = pick(value, shown);
    return Object.keys(members).length > 0 ? [[id, members]] : [];
  });
  const { id, externalId, ...others } = pick(resource, core);
  const empty = emptyLists.filter((name) => !Object.hasOwn(others, name) && wants(projection, name));
  return {
    schemas: [type.schema.id, ...extensions.map(([urn]) => urn)],
    ...(id !== undefined && { id }),
    ...(externalId !== undefined && { externalId }),
    // Before userName: a client that ignores the case of names keeps the last one.
    ...(usernameAlias !== undefined && wants(projection, "userName") && { username: usernameAlias }),
    ...others,
    ...Object.fromEntries(empty.map((name): [string, Json] => [name, []])),
    ...Object.fromEntries(extensions),
    ...pick(resource, meta),
  };
}

function pick(members: JsonObject, shown: readonly Shown[]): JsonObject {
  // A loop: a page of users comes here hundreds of times.
  const picked: Record<string, Json> = {};
  for (const { attribute, subs } of shown) {
    const value = members[attribute.name];
    const visible = value === undefined || !subs ? value : pickSubs(value, subs);
    if (visible !== undefined) picked[attribute.name] = visible;
  }
  return picked;
}

function pickSubs(value: Json, subs: readonly Shown[]): Json | undefined {
  if (Array.isArray(value)) {
    const elements = value.flatMap((element: Json) => pickSubs(element, subs) ?? []);
    return elements.length > 0 ? elements : undefined;
  }
  const picked = isObject(value) ? pick(value, subs) : {};
  return Object.keys(picked).length > 0 ? picked : undefined;
}
