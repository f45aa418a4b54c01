/** The kinds of resources that have list, show, create, update and delete: what differs between them. */
import { type Command, InvalidArgumentError } from "commander";
import { type Api, isFault, type RequestOptions } from "#client/client.ts";
import { CommandError, exitCodes, wrongInput } from "../frame/errors.ts";

/** A resource as the API shows it. */
export type Item = Readonly<Record<string, unknown>>;
/** The options of a command, by their names. */
export type Values = Readonly<Record<string, unknown>>;

/** What the commands of one kind do. */
export interface Kind {
  /** The word of the command: `users`. */
  readonly word: string;
  /** One of them: `user`. */
  readonly one: string;
  /** The member that people call it by. */
  readonly name: string;
  readonly columns: Readonly<Record<string, (item: Item) => unknown>>;
  list(api: Api, query: ListOptions): AsyncIterable<object>;
  get(api: Api, id: string): Promise<object>;
  /** The items of a name: none, one, or several where names are not unique. */
  named(api: Api, name: string): Promise<readonly { readonly id: string }[]>;
  /** The body that options give; `name` for a creation. */
  body(api: Api, values: Values, name?: string): Promise<Record<string, unknown>>;
  /** Declares the options of create, or of update. */
  options(command: Command, isNew: boolean): Command;
  create(api: Api, body: object, options: RequestOptions): Promise<{ readonly id?: string }>;
  update(api: Api, id: string, body: object, options: RequestOptions): Promise<unknown>;
  delete(api: Api, id: string, options: RequestOptions): Promise<void>;
  /** What people are shown of one; the whole item by default, and with `--json`. */
  short?(api: Api, item: Item): Promise<object>;
  /** What is told of a new one besides its id. */
  created?(api: Api, id: string, name: string): Promise<Further>;
  /** Says what a deletion means, where it is no deletion. */
  readonly deletes?: string;
}

/** What the caller needs after a creation. */
export interface Further {
  /** Texts by their labels. Secrets among them are shown this once. */
  readonly shown: Readonly<Record<string, string>>;
  /** What to type next. */
  readonly next: readonly string[];
}

export interface ListOptions {
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
  readonly limit?: number | undefined;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of what a person names: an id, or a name. Throws a `CommandError` where there is none, or several. */
export async function idOf(kind: Kind, api: Api, given: string): Promise<string> {
  const found = await kind.named(api, given);
  if (found.length === 1) return found[0]?.id ?? "";
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(", ");
    throw wrongInput(`"${given}" is the name of ${found.length} ${kind.word}.`, `Use an id: ${ids}`);
  }
  if (ID.test(given) && (await exists(kind, api, given))) return given;
  throw new CommandError(
    `There is no ${kind.one} "${given}".`,
    exitCodes.notFound,
    `List them: identity-admin ${kind.word} list`,
  );
}

async function exists(kind: Kind, api: Api, id: string): Promise<boolean> {
  try {
    await kind.get(api, id);
    return true;
  } catch (error) {
    if (isFault(error, "notFound")) return false;
    throw error;
  }
}

/** A text as a value of a SCIM filter (RFC 7644 section 3.4.2.2). */
export const quoted = (text: string): string => JSON.stringify(text);

/** An option that can be given several times. */
export const several = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** The value of an option that counts. Throws an `InvalidArgumentError` for what is no number above 0. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError("It must be a number above 0.");
  return number;
}

/** The members that have a value. */
export function given(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** A member of an item, however deep. */
export function at(item: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === "object" && value !== null ? (value as Item)[name] : undefined),
    item,
  );
}

/** The items of a list member. */
export function itemsAt(item: unknown, ...path: readonly string[]): readonly Item[] {
  const value = at(item, ...path);
  return Array.isArray(value) ? value : [];
}
