/**
 * Filters of SCIM as filters of LDAP. The result is a superset of the matches: a part that LDAP cannot express is left
 * out, and the caller evaluates the full filter on what comes back. Filters are objects, not text, so values need no
 * escaping.
 */
import { AndFilter, EqualityFilter, type Filter, NotFilter, OrFilter, PresenceFilter, SubstringFilter } from "ldapts";
import { nameTerm, trimName } from "../../kernel/fold.ts";
import { type BoundFilter, type Compare, equalitiesOf, pathName } from "../../scim/protocol/filter/bound.ts";
import type { Lookup } from "../users/identifiers.ts";
import { type DirectorySettings, listAttributes } from "./model.ts";

/** A part of a filter. */
interface Compiled {
  /** `undefined`: every user may match. */
  readonly filter: Filter | undefined;
  /** Whether exactly the matches pass. Only then can the part be negated. */
  readonly isExact: boolean;
}

const everyUser: Compiled = { filter: undefined, isExact: false };

/** The filters of one directory. */
export type DirectoryFilters = ReturnType<typeof filtersOf>;

/** Whether a filter requires a user name of another user store. Then no user of the directory matches. */
export function namesOtherStore(filter: BoundFilter, domain: string): boolean {
  return equalitiesOf(filter).some(
    ({ path, value }) => pathName(path) === "userName" && bareName(trimName(String(value)), { domain }).includes("/"),
  );
}

export function filtersOf(settings: DirectorySettings) {
  const { objectClasses, usernameAttribute, idAttribute } = settings;
  const isUser: readonly Filter[] = [
    ...objectClasses.map((name) => equality("objectClass", name)),
    present(usernameAttribute),
  ];
  const users = (...more: readonly Filter[]): Filter => new AndFilter({ filters: [...isUser, ...more] });
  return {
    /** A superset of the users that match. */
    matching(filter: BoundFilter | undefined): Filter {
      const compiled = filter && compile(filter, settings).filter;
      return compiled ? users(compiled) : users();
    },
    named: (name: string): Filter => users(equality(usernameAttribute, name)),
    /** The users with an address; `undefined` where the directory holds no such addresses. */
    addressed({ attribute, value }: Lookup): Filter | undefined {
      const own = attributeBehind(attribute, settings);
      return own === undefined ? undefined : users(equality(own, value));
    },
    withIds(ids: readonly string[]): Filter {
      const either = ids.map((id) => equality(idAttribute, id));
      const [only] = either;
      return users(either.length === 1 && only ? only : new OrFilter({ filters: either }));
    },
  };
}

function compile(filter: BoundFilter, settings: DirectorySettings): Compiled {
  switch (filter.kind) {
    case "and":
    case "or": {
      const parts = filter.parts.map((part) => compile(part, settings));
      const filters = parts.flatMap((part) => part.filter ?? []);
      const isExact = parts.every((part) => part.isExact);
      if (filter.kind === "and") return { filter: all(filters), isExact };
      return filters.length < parts.length ? everyUser : { filter: new OrFilter({ filters }), isExact };
    }
    case "not": {
      const part = compile(filter.part, settings);
      return part.filter && part.isExact
        ? { filter: new NotFilter({ filter: part.filter }), isExact: true }
        : everyUser;
    }
    case "compare":
      return compared(filter, settings);
    case "element":
      // SCIM requires one element that satisfies all parts. LDAP can only require an element for each part.
      return { ...compile(filter.where, settings), isExact: false };
    case "present": {
      const attribute = attributeBehind(pathName(filter.path), settings);
      // Not exact: a required attribute may hold the user name, which SCIM does not show.
      return attribute === undefined ? everyUser : { filter: present(attribute), isExact: false };
    }
    default:
      return everyUser;
  }
}

function all(filters: readonly Filter[]): Filter | undefined {
  const [first, second] = filters;
  return second ? new AndFilter({ filters: [...filters] }) : first;
}

function compared({ path, operator, value, where }: Compare, settings: DirectorySettings): Compiled {
  const name = pathName(path);
  const attribute = attributeBehind(name, settings);
  const text = name === "userName" ? bareTerm(operator, String(value), settings) : String(value);
  // No attribute holds NUL or an empty text; evaluation of the full filter decides these cases.
  if (attribute === undefined || text === "" || text.includes("\0")) return everyUser;
  const isExact = !where && !path.attribute.multiValued;
  switch (operator) {
    case "eq":
      return { filter: equality(attribute, text), isExact };
    case "ne":
      return isExact ? { filter: new NotFilter({ filter: equality(attribute, text) }), isExact } : everyUser;
    case "sw":
      return { filter: new SubstringFilter({ attribute, initial: text }), isExact };
    case "co":
      return { filter: new SubstringFilter({ attribute, any: [text] }), isExact };
    case "ew":
      return { filter: new SubstringFilter({ attribute, final: text }), isExact };
    default:
      // Few attributes of directories have an ordering rule.
      return everyUser;
  }
}

function equality(attribute: string, value: string): Filter {
  return new EqualityFilter({ attribute, value });
}

/** The directory's attribute for a SCIM attribute; `undefined` where it holds none. */
function attributeBehind(name: string, { usernameAttribute, attributes }: DirectorySettings): string | undefined {
  if (name === "userName") return usernameAttribute;
  const list = listAttributes.find((each) => name === each || name === `${each}.value`);
  const key = list ?? name;
  return Object.hasOwn(attributes, key) ? attributes[key] : undefined;
}

function present(attribute: string): Filter {
  return new PresenceFilter({ attribute });
}

/** What a term compares the user names of this user store with. */
function bareTerm(operator: Compare["operator"], value: string, settings: DirectorySettings): string {
  return nameTerm(operator, bareName(nameTerm(operator, value), settings));
}

/** A user name without the name of this user store in front. */
function bareName(text: string, { domain }: Pick<DirectorySettings, "domain">): string {
  return text.toUpperCase().startsWith(`${domain}/`) ? text.slice(domain.length + 1) : text;
}
