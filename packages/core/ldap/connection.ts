/**
 * Speaking LDAP. One connection of a container serves whatever is short; it is opened when it is first needed, and again when
 * it broke. Walks through many pages and passwords that are tried have connections of their own: a directory keeps one walk
 * per connection, and a bind changes who one is.
 *
 * Nothing takes longer than the settings say: what does is given up, and the connection with it.
 */
import { Attribute, Change, Client, type Entry as ClientEntry, type Filter } from "ldapts";
import { systemClock } from "../platform/clock.ts";
import { Fault } from "../platform/faults.ts";
import { passwordRequest } from "./escape.ts";
import { codeOf, codes, readFault, unavailable, writeFault } from "./faults.ts";
import type { DirectorySettings } from "./model.ts";

const MODIFY_PASSWORD = "1.3.6.1.4.1.4203.1.11.1";

/** A container may sleep between two requests, and its connections die unheard meanwhile. By the machine's clock: others sleep too. */
const IDLE_MAX_MS = 30_000;

/** An entry: its attributes by their names in lower case. */
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

/** What is asked of a directory. Reads throw `service.unavailable` and `scim.too_many`; writes throw the directory's refusals too. */
export interface Connection {
  /** The entries below the base, at most so many. */
  search(filter: Filter, limit: number): Promise<readonly Entry[]>;
  /** One entry by its name. */
  read(dn: string): Promise<Entry | undefined>;
  /** All entries below the base, page by page. */
  pages(filter: Filter, limit: number): AsyncIterable<readonly Entry[]>;
  /** Whether that is the password of the entry. Never asks with an empty one, which would be nobody's. */
  verify(dn: string, password: string): Promise<boolean>;
  add(dn: string, values: Readonly<Record<string, readonly string[]>>): Promise<void>;
  modify(dn: string, changes: readonly ValueChange[]): Promise<void>;
  rename(dn: string, firstPart: string): Promise<void>;
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

/** Opens a directory for one container. `attributes` are those that entries are read with. */
export function openConnection(
  settings: DirectorySettings,
  password: string,
  attributes: readonly string[],
): Connection {
  const { domain, url, baseDn, timeoutMs } = settings;
  const { hostname, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const tls = {
    // A name that is an address is none for the certificate to be chosen by.
    ...(!/^[\d.]+$|:/.test(host) && { servername: host }),
    host,
    ...(settings.caCertificate !== undefined && { ca: settings.caCertificate }),
  };
  const newClient = () =>
    new Client({
      url,
      // A moment more than what is given up here: so it is known which of the two it was.
      timeout: timeoutMs + 100,
      connectTimeout: settings.connectTimeoutMs,
      ...(protocol === "ldaps:" && { tlsOptions: tls }),
    });

  /** Gives up what takes too long, and the connection with it. */
  const bounded = async <R>(client: Client, work: () => Promise<R>): Promise<R> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unavailable(domain, `no answer within ${timeoutMs} ms`)), timeoutMs);
    });
    const done = work();
    // Whichever comes second is not waited for.
    done.catch(() => undefined);
    try {
      return await Promise.race([done, late]);
    } catch (error) {
      if (codeOf(error) === undefined) close(client);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
  const close = (client: Client): void => {
    client.unbind().catch(() => undefined);
  };

  const prepared = async (client: Client): Promise<void> => {
    if (settings.startTls) await client.startTLS({ ...tls });
  };

  /** A connection as the user of the service. Whatever fails is the operator's to mend, never the caller's. */
  const connect = async (): Promise<Client> => {
    const client = newClient();
    try {
      await bounded(client, async () => {
        await prepared(client);
        await client.bind(settings.bindDn, password);
      });
      return client;
    } catch (error) {
      close(client);
      throw error instanceof Fault ? error : unavailable(domain, error);
    }
  };

  let shared: { readonly client: Promise<Client>; usedMs: number } | undefined;

  const current = async (): Promise<{ readonly client: Client; readonly isNew: boolean }> => {
    const before = shared;
    if (before && systemClock.now() - before.usedMs < IDLE_MAX_MS) {
      const client = await before.client.catch(() => undefined);
      if (client?.isBound) {
        before.usedMs = systemClock.now();
        return { client, isNew: false };
      }
    }
    if (shared === before) {
      before?.client.then(close, () => undefined);
      const opened = { client: connect(), usedMs: systemClock.now() };
      opened.client.catch(() => {
        if (shared === opened) shared = undefined;
      });
      shared = opened;
    }
    return { client: await (shared ?? { client: connect() }).client, isNew: true };
  };

  /** A read is tried once more where an old connection turns out to be broken. What a directory refused is not. */
  const reading = async <R>(work: (client: Client) => Promise<R>): Promise<R> => {
    const { client, isNew } = await current();
    try {
      return await bounded(client, () => work(client));
    } catch (error) {
      // Nor is what took too long: it would take as long again.
      if (isNew || error instanceof Fault || codeOf(error) !== undefined) throw readFault(domain, error);
      const again = await current();
      return bounded(again.client, () => work(again.client)).catch((reason: unknown) => {
        throw readFault(domain, reason);
      });
    }
  };

  /** The codes of refusals that the caller of this module looks at come through as they are. */
  const writing = async (passing: readonly number[], work: (client: Client) => Promise<unknown>): Promise<void> => {
    const { client } = await current();
    try {
      await bounded(client, () => work(client));
    } catch (error) {
      const code = codeOf(error);
      throw code !== undefined && passing.includes(code) ? error : writeFault(domain, error);
    }
  };

  const shown = [...attributes];

  return {
    search: (filter, limit) =>
      reading(async (client) => {
        const { searchEntries } = await client.search(baseDn, {
          scope: "sub",
          filter,
          attributes: shown,
          sizeLimit: limit,
        });
        return searchEntries.map(entryOf);
      }),

    read: (dn) =>
      reading(async (client) => {
        try {
          const { searchEntries } = await client.search(dn, { scope: "base", attributes: shown });
          return searchEntries[0] && entryOf(searchEntries[0]);
        } catch (error) {
          if (codeOf(error) === codes.noSuchObject) return undefined;
          throw error;
        }
      }),

    async *pages(filter, limit) {
      const client = await connect();
      try {
        const walk = client.searchPaginated(baseDn, {
          scope: "sub",
          filter,
          attributes: shown,
          paged: { pageSize: Math.min(settings.pageSize, limit) },
        });
        for (;;) {
          const { value, done } = await bounded(client, () => walk.next()).catch((error: unknown) => {
            throw readFault(domain, error);
          });
          if (done) return;
          yield value.searchEntries.map(entryOf);
        }
      } finally {
        close(client);
      }
    },

    async verify(dn, given) {
      if (given === "" || dn === "") return false;
      const client = newClient();
      try {
        await bounded(client, async () => {
          await prepared(client);
          await client.bind(dn, given);
        });
        return true;
      } catch (error) {
        const code = codeOf(error);
        if (code !== undefined && wrongPassword.has(code)) return false;
        throw error instanceof Fault ? error : unavailable(domain, error);
      } finally {
        close(client);
      }
    },

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

    rename: (dn, firstPart) =>
      writing([codes.entryExists, codes.noSuchObject], (client) => client.modifyDN(dn, firstPart)),

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
