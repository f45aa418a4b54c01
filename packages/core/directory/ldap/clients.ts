/**
 * The LDAP clients of one directory. A container shares one client for short requests: it opens on first use, and again
 * after it broke. Paged searches and password checks open clients of their own, because a directory keeps one paged
 * search per connection and a bind changes the identity of a connection.
 */
import { Client } from "ldapts";
import { systemClock } from "../../kernel/clock.ts";
import { codeOf, unavailable } from "./faults.ts";
import type { DirectorySettings } from "./model.ts";

/**
 * A frozen container does not notice that its connections died. The wall clock also counts the time that it was frozen.
 */
const IDLE_MAX_MS = 30_000;

interface SharedClient {
  readonly client: Promise<Client>;
  usedMs: number;
}

/** `password` is that of `bindDn`. */
export function clientsOf(settings: DirectorySettings, password: string) {
  const { domain, url, timeoutMs } = settings;
  const tls = tlsOf(settings);

  async function bind(dn: string, secret: string): Promise<Client> {
    const client = new Client({
      url,
      // Longer than the limit of `bounded`, which therefore always comes first.
      timeout: timeoutMs + 100,
      connectTimeout: settings.connectTimeoutMs,
      ...(url.startsWith("ldaps:") && { tlsOptions: tls }),
    });
    try {
      await bounded(client, async () => {
        if (settings.startTls) await client.startTLS({ ...tls });
        await client.bind(dn, secret);
      });
      return client;
    } catch (error) {
      close(client);
      throw error;
    }
  }

  const connect = (): Promise<Client> =>
    bind(settings.bindDn, password).catch((error: unknown) => {
      throw unavailable(domain, error);
    });

  let shared: SharedClient | undefined;

  function openShared(): SharedClient {
    const opened: SharedClient = { client: connect(), usedMs: systemClock.now() };
    opened.client.catch(() => {
      if (shared === opened) shared = undefined;
    });
    return opened;
  }

  async function bounded<R>(client: Client, work: () => Promise<R>): Promise<R> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unavailable(domain, `no response within ${timeoutMs} ms`)), timeoutMs);
    });
    const done = work();
    // The slower of the two may still reject after the race.
    done.catch(() => undefined);
    try {
      return await Promise.race([done, late]);
    } catch (error) {
      if (codeOf(error) === undefined) close(client);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    /** Opens a client and binds it. Throws what the directory and the connection throw. */
    bind,
    /**
     * Opens a client that is bound as the service. Throws `service.unavailable` for every failure: the operator must
     * fix it.
     */
    connect,
    /** Runs `work` for at most `timeoutMs`. Closes the client when the time is over, and when the connection fails. */
    bounded,
    close,
    /** The shared client. `isNew`: this call opened it. Throws `service.unavailable`. */
    async shared(): Promise<{ readonly client: Client; readonly isNew: boolean }> {
      const before = shared;
      if (before && systemClock.now() - before.usedMs < IDLE_MAX_MS) {
        const client = await before.client.catch(() => undefined);
        if (client?.isBound) {
          before.usedMs = systemClock.now();
          return { client, isNew: false };
        }
      }
      // Another request may have opened the next one during the wait.
      if (shared === before) {
        before?.client.then(close, () => undefined);
        shared = openShared();
      }
      return { client: await (shared?.client ?? connect()), isNew: true };
    },
  };
}

function close(client: Client): void {
  client.unbind().catch(() => undefined);
}

function tlsOf({ url, caCertificate }: DirectorySettings) {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  const isAddress = /^[\d.]+$|:/.test(host);
  return {
    // TLS does not allow an IP address as the server name.
    ...(!isAddress && { servername: host }),
    host,
    ...(caCertificate !== undefined && { ca: caCertificate }),
  };
}
