/**
 * Notes the day on which a client secret is used, next to the work of the request: no request is refused because of the
 * note, or costs a round trip more for it (decision 0079). A container remembers what it knows to be noted, so that a
 * client which asks for many tokens reads nothing for it (decision 0141).
 */
import type { UsableSecret } from "../applications/protocols/client-secrets.ts";
import { usableSecrets } from "../applications/registry/client-model.ts";
import type { Client } from "../applications/registry/client-store.ts";
import { dayOf, useKeyOf } from "../applications/registry/secret-use-store.ts";
import { newFreshCache, newPrivateDigest } from "../auth/fresh.ts";
import { sourceOf } from "../auth/source.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import type { PresentedClient } from "./client-authentication.ts";
import type { OAuthContext } from "./context.ts";

/** A request with a secret: who sends it, and from where. */
type Attempt = Pick<PresentedClient, "clientId" | "secrets"> & { readonly sourceIp: string };

/** The uses that one container knows to be noted. */
export interface NotedUses {
  /** The key of the secret that was accepted for an equal attempt, and is noted for that day. */
  find(attempt: Attempt, day: number): string | undefined;
  /** Remembers for a minute that a secret, which was accepted, is noted for that day. */
  keep(attempt: Attempt, useKey: string, day: number): void;
}

/** Opens the memory of one container. Only who sends the same secret from the same source meets what it knows. */
export function newNotedUses(clock: Clock = systemClock): NotedUses {
  const noted = newFreshCache<{ readonly useKey: string; readonly day: number }>(clock);
  const digest = newPrivateDigest();
  const keyOf = ({ clientId, secrets, sourceIp }: Attempt) =>
    digest([sourceOf(sourceIp), clientId, ...secrets].join("\n"));
  return {
    find(attempt, day) {
      const found = noted.get(keyOf(attempt));
      return found && found.day >= day ? found.useKey : undefined;
    },
    keep: (attempt, useKey, day) => noted.set(keyOf(attempt), { useKey, day }),
  };
}

/** The note of one request. */
export interface SecretUseNote {
  /** Ends when the stored uses are read, if they are. Never fails. */
  readonly read: Promise<unknown>;
  /**
   * Notes that the client used a secret: one write for each secret and day, or a few equal ones where several requests
   * are the first at the same moment. Never fails.
   */
  write(client: Client, secret: UsableSecret | undefined): Promise<void>;
  /**
   * Reads, for an attempt that is refused, what was not read because it is remembered: that a client is locked does not
   * show that a guess was right. Never fails.
   */
  refuse(): Promise<void>;
}

/**
 * Begins a request that sends a secret: reads what is stored of the client id, unless this container knows that the use
 * is noted. Each request whose secret was not accepted here before reads it, so that the work shows nothing of the
 * client and its secrets. A request without a secret reads nothing.
 */
export function noteOfUse(
  { clientId, secrets }: PresentedClient,
  { secretUses, reportDefect, now, sourceIp, tools: { notedUses } }: OAuthContext,
): SecretUseNote {
  // A failure is for the log.
  const ignored = (error: Error): undefined => {
    reportDefect(error);
    return undefined;
  };
  const [attempt, today] = [{ clientId, secrets, sourceIp }, dayOf(now)];
  const known = secrets.length > 0 ? notedUses.find(attempt, today) : undefined;
  const find = () => secretUses.find(clientId).catch(ignored);
  const read = secrets.length > 0 && known === undefined ? find() : undefined;
  const note = async (client: Client, secret: UsableSecret): Promise<void> => {
    const own = useKeyOf(secret);
    if (known === own) return;
    // Another secret than then has this text now: the client was made again. Nothing was read.
    const before = await (read ?? find());
    if (!before) return;
    // The days of a secret only grow: a container whose clock is behind notes nothing.
    if ((before.get(own) ?? 0) < today) {
      const had = new Set(usableSecrets(client.settings).map(useKeyOf));
      const kept = [...before].filter(([each]) => had.has(each));
      // Secrets that are gone leave the row, so that it stays small.
      if (kept.length < before.size) await secretUses.replace(clientId, new Map([...kept, [own, today]]));
      else await secretUses.note(clientId, own, today);
    }
    notedUses.keep(attempt, own, today);
  };
  return {
    read: read ?? Promise.resolve(),
    write: async (client, secret) => (secret ? note(client, secret).catch(ignored) : undefined),
    refuse: async () => void (known !== undefined && (await find())),
  };
}
