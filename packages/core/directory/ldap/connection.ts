/** The operations of LDAP that this service needs, on one directory. Each takes at most `timeoutMs`. */
import { Attribute, Change, type Client, type Entry as ClientEntry, type Filter } from "ldapts";
import { Fault } from "../../kernel/faults.ts";
import { clientsOf } from "./clients.ts";
import { passwordRequest } from "./escape.ts";
import { codeOf, codes, readFault, unavailable, unrehearsed, writeFault } from "./faults.ts";
import type { DirectorySettings } from "./model.ts";

/** The extended operation of RFC 3062. */
const MODIFY_PASSWORD = "1.3.6.1.4.1.4203.1.11.1";

/** An entry: values by attribute name in lower case. */
export interface Entry {
  readonly dn: string;
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** One change of the values of an attribute. */
export interface ValueChange {
  readonly operation: "add" | "delete" | "replace";
  readonly attribute: string;
  readonly values: readonly string[];
}

/**
 * Reads throw `service.unavailable` and `scim.too_many`. Writes also throw the error of a refusal that callers handle.
 */
export interface Connection {
  /** The entries at and below the base, at most `limit`. */
  search(filter: Filter, limit: number): Promise<readonly Entry[]>;
  read(dn: string): Promise<Entry | undefined>;
  /** All entries at and below the base, in pages of at most `limit`. */
  pages(filter: Filter, limit: number): AsyncIterable<readonly Entry[]>;
  /** Whether a password is that of the entry. Sends no empty password: a directory takes that as an anonymous bind. */
  verify(dn: string, password: string): Promise<boolean>;
  add(dn: string, values: Readonly<Record<string, readonly string[]>>): Promise<void>;
  modify(dn: string, changes: readonly ValueChange[]): Promise<void>;
  rename(dn: string, rdn: string): Promise<void>;
  remove(dn: string): Promise<void>;
  setPassword(dn: string, password: string): Promise<void>;
}

const wrongPassword: ReadonlySet<number> = new Set([
  codes.invalidCredentials,
  codes.inappropriateAuthentication,
  codes.constraint,
  codes.noSuchObject,
  codes.unwilling,
]);

/** Opens a directory for one container, without connecting. `attributes` are those that reads return. */
export function openConnection(
  settings: DirectorySettings,
  password: string,
  attributes: readonly string[],
): Connection {
  const access = accessTo(settings, password);
  return { ...readsOf(access, settings, attributes), ...writesOf(access) };
}

/** The changes of a directory as a rehearsal has them: each throws `rehearsal.impossible`. */
export function refusingWrites(
  domain: string,
): Pick<Connection, "add" | "modify" | "rename" | "remove" | "setPassword"> {
  const refuse = async () => {
    throw unrehearsed(domain);
  };
  return { add: refuse, modify: refuse, rename: refuse, remove: refuse, setPassword: refuse };
}

type Access = ReturnType<typeof accessTo>;

/** The clients of a directory, and how work on them fails. */
function accessTo(settings: DirectorySettings, password: string) {
  const { domain } = settings;
  const clients = clientsOf(settings, password);

  /** Retries once where an old connection turns out to be broken. Refusals and timeouts are not retried. */
  const reading = async <R>(work: (client: Client) => Promise<R>): Promise<R> => {
    const { client, isNew } = await clients.shared();
    try {
      return await clients.bounded(client, () => work(client));
    } catch (error) {
      if (isNew || error instanceof Fault || codeOf(error) !== undefined) throw readFault(domain, error);
      const again = await clients.shared();
      return clients
        .bounded(again.client, () => work(again.client))
        .catch((reason: unknown) => {
          throw readFault(domain, reason);
        });
    }
  };

  /** Throws the directory's error as it is where its code is in `passing`. */
  const writing = async (passing: readonly number[], work: (client: Client) => Promise<unknown>): Promise<void> => {
    const { client } = await clients.shared();
    try {
      await clients.bounded(client, () => work(client));
    } catch (error) {
      const code = codeOf(error);
      throw code !== undefined && passing.includes(code) ? error : writeFault(domain, error);
    }
  };

  return { clients, reading, writing };
}

function readsOf(
  { clients, reading }: Access,
  settings: DirectorySettings,
  attributes: readonly string[],
): Pick<Connection, "search" | "read" | "pages" | "verify"> {
  const { domain, baseDn } = settings;
  const shown = { attributes: [...attributes] };
  return {
    search: (filter, limit) =>
      reading(async (client) => {
        const { searchEntries } = await client.search(baseDn, { scope: "sub", filter, ...shown, sizeLimit: limit });
        return searchEntries.map(entryOf);
      }),

    read: (dn) =>
      reading(async (client) => {
        try {
          const { searchEntries } = await client.search(dn, { scope: "base", ...shown });
          return searchEntries[0] && entryOf(searchEntries[0]);
        } catch (error) {
          if (codeOf(error) === codes.noSuchObject) return undefined;
          throw error;
        }
      }),

    async *pages(filter, limit) {
      const client = await clients.connect();
      try {
        const paged = { pageSize: Math.min(settings.pageSize, limit) };
        const walk = client.searchPaginated(baseDn, { scope: "sub", filter, ...shown, paged });
        for (;;) {
          const { value, done } = await clients
            .bounded(client, () => walk.next())
            .catch((error: unknown) => {
              throw readFault(domain, error);
            });
          if (done) return;
          yield value.searchEntries.map(entryOf);
        }
      } finally {
        clients.close(client);
      }
    },

    async verify(dn, given) {
      if (given === "" || dn === "") return false;
      try {
        clients.close(await clients.bind(dn, given));
        return true;
      } catch (error) {
        const code = codeOf(error);
        if (code !== undefined && wrongPassword.has(code)) return false;
        throw unavailable(domain, error);
      }
    },
  };
}

function writesOf({ writing }: Access): Pick<Connection, "add" | "modify" | "rename" | "remove" | "setPassword"> {
  return {
    add: (dn, values) =>
      writing([codes.entryExists], (client) =>
        client.add(
          dn,
          Object.entries(values).map(([type, list]) => new Attribute({ type, values: [...list] })),
        ),
      ),

    modify: (dn, changes) =>
      writing([codes.noSuchAttribute, codes.valueExists, codes.noSuchObject], (client) =>
        client.modify(
          dn,
          changes.map(
            ({ operation, attribute, values }) =>
              new Change({ operation, modification: new Attribute({ type: attribute, values: [...values] }) }),
          ),
        ),
      ),

    rename: (dn, rdn) => writing([codes.entryExists, codes.noSuchObject], (client) => client.modifyDN(dn, rdn)),

    remove: (dn) => writing([codes.noSuchObject], (client) => client.del(dn)),

    setPassword: (dn, given) =>
      writing([codes.noSuchObject], (client) => client.exop(MODIFY_PASSWORD, passwordRequest(dn, given))),
  };
}

function entryOf({ dn, ...values }: ClientEntry): Entry {
  return {
    dn,
    values: new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), textsOf(value)])),
  };
}

function textsOf(value: ClientEntry[string]): readonly string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((one) => (typeof one === "string" ? [one] : []));
}
