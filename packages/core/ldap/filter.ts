/**
 * From a filter of SCIM to one of LDAP that lets through at least what matches: what a directory cannot say is left out, and
 * whoever lists looks at what comes back. It is built of objects, never of text, so nothing in a value is syntax.
 */
import { AndFilter, EqualityFilter, type Filter, NotFilter, OrFilter, PresenceFilter, SubstringFilter } from "ldapts";
import { type BoundFilter, type Compare, equalitiesOf, pathName } from "../scim/filter/bound.ts";
import { type DirectorySettings, listAttributes } from "./model.ts";

/** What a part comes to. */
interface Compiled {
  /** `undefined`: everybody may match. */
  readonly filter: Filter | undefined;
  /** True where nobody else comes through, so that the opposite can be said too. */
  readonly isExact: boolean;
}

const anybody: Compiled = { filter: undefined, isExact: false };

/** Whether a filter demands a user name of another user store: then a directory need not be asked. */
export function namesElsewhere(filter: BoundFilter, domain: string): boolean {
  return equalitiesOf(filter).some(
    ({ path, value }) => pathName(path) === "userName" && bareName(String(value), { domain }).includes("/"),
  );
}

/** The filters of one directory. */
export function filtersOf(settings: DirectorySettings) {
  const { objectClasses, usernameAttribute, idAttribute } = settings;
  const isUser: readonly Filter[] = [
    ...objectClasses.map((name) => equality("objectClass", name)),
    present(usernameAttribute),
  ];
  const users = (...more: readonly Filter[]): Filter => new AndFilter({ filters: [...isUser, ...more] });
  return {
    /** At least the users that match. */
    matching: (filter: BoundFilter | undefined): Filter => {
      const said = filter && compile(filter, settings).filter;
      return said ? users(said) : users();
    },
    named: (name: string): Filter => users(equality(usernameAttribute, name)),
    withIds: (ids: readonly string[]): Filter => {
      const either = ids.map((id) => equality(idAttribute, id));
      const [only] = either;
      return users(either.length === 1 && only ? only : new OrFilter({ filters: either }));
    },
  };
}

function compile(filter: BoundFilter, settings: DirectorySettings): Compiled {
  switch (filter.kind) {
    case "and": {
      const parts = filter.parts.map((part) => compile(part, settings));
      const said = parts.flatMap((part) => part.filter ?? []);
      return { filter: all(said), isExact: parts.every(({ isExact }) => isExact) };
    }
    case "or": {
      const parts = filter.parts.map((part) => compile(part, settings));
      const said = parts.flatMap((part) => part.filter ?? []);
      if (said.length < parts.length) return anybody;
      return { filter: new OrFilter({ filters: said }), isExact: parts.every(({ isExact }) => isExact) };
    }
    case "not": {
      const part = compile(filter.part, settings);
      return part.filter && part.isExact ? { filter: new NotFilter({ filter: part.filter }), isExact: true } : anybody;
    }
    case "compare":
      return compared(filter, settings);
    case "element":
      // Every part must hold of one element; here each must hold of some.
      return { ...compile(filter.where, settings), isExact: false };
    case "present": {
      const attribute = attributeBehind(pathName(filter.path), settings);
      // What is filled in because the directory demands it is there and not shown, so the opposite cannot be said.
      return attribute === undefined ? anybody : { filter: present(attribute), isExact: false };
    }
    default:
      return anybody;
  }
}

function all(filters: readonly Filter[]): Filter | undefined {
  const [first, second] = filters;
  return second ? new AndFilter({ filters: [...filters] }) : first;
}

function compared({ path, operator, value, where }: Compare, settings: DirectorySettings): Compiled {
  const name = pathName(path);
  const attribute = attributeBehind(name, settings);
  const text = name === "userName" ? bareName(String(value), settings) : String(value);
  // A NUL or an empty text is in no attribute; what that means is worked out on the users themselves.
  if (attribute === undefined || text === "" || text.includes("\0")) return anybody;
  const isExact = !where && !path.attribute.multiValued;
  switch (operator) {
    case "eq":
      return { filter: equality(attribute, text), isExact };
    case "ne":
      return isExact ? { filter: new NotFilter({ filter: equality(attribute, text) }), isExact } : anybody;
    case "sw":
      return { filter: new SubstringFilter({ attribute, initial: text }), isExact };
    case "co":
      return { filter: new SubstringFilter({ attribute, any: [text] }), isExact };
    case "ew":
      return { filter: new SubstringFilter({ attribute, final: text }), isExact };
    default:
      // Few attributes have an order in a directory.
      return anybody;
  }
}

function equality(attribute: string, value: string): Filter {
  return new EqualityFilter({ attribute, value });
}

/** The name of the directory's attribute behind one of SCIM's, if there is one. */
function attributeBehind(name: string, { usernameAttribute, attributes }: DirectorySettings): string | undefined {
  if (name === "userName") return usernameAttribute;
  const list = listAttributes.find((each) => name === each || name === `${each}.value`);
  const key = list ?? name;
  return Object.hasOwn(attributes, key) ? attributes[key] : undefined;
}

function present(attribute: string): Filter {
  return new PresenceFilter({ attribute });
}

/** A user name without the store that it may be written with. */
function bareName(text: string, { domain }: Pick<DirectorySettings, "domain">): string {
  return text.toUpperCase().startsWith(`${domain}/`) ? text.slice(domain.length + 1) : text;
}
