/**
 * Notes the day on which a client secret is used, next to the work of the request: no request is refused because of the
 * note, or costs a round trip more for it (decision 0079).
 */
import type { UsableSecret } from "../applications/protocols/client-secrets.ts";
import { usableSecrets } from "../applications/registry/client-model.ts";
import type { Client } from "../applications/registry/client-store.ts";
import { dayOf, useKeyOf } from "../applications/registry/secret-use-store.ts";
import type { PresentedClient } from "./client-authentication.ts";
import type { OAuthContext } from "./context.ts";

/** The note of one request. */
export interface SecretUseNote {
  /** Ends when the stored uses are read. Never fails. */
  readonly read: Promise<unknown>;
  /**
   * Notes that the client used a secret: one write for each secret and day, or a few equal ones where several requests
   * are the first at the same moment. Never fails.
   */
  write(client: Client, secret: UsableSecret | undefined): Promise<void>;
}

/**
 * Begins a request that sends a secret: reads what is stored of the client id. Each such request reads it, so that the
 * work shows nothing of the client and its secrets. A request without a secret reads nothing.
 */
export function noteOfUse(
  { clientId, secrets }: PresentedClient,
  { secretUses, reportDefect, now }: OAuthContext,
): SecretUseNote {
  // A failure is for the log.
  const ignored = (error: Error): undefined => {
    reportDefect(error);
    return undefined;
  };
  const read = secrets.length > 0 ? secretUses.find(clientId).catch(ignored) : Promise.resolve(undefined);
  const note = async (client: Client, secret: UsableSecret): Promise<void> => {
    const [before, own, today] = [await read, useKeyOf(secret), dayOf(now)];
    // The days of a secret only grow: a container whose clock is behind notes nothing.
    if (!before || (before.get(own) ?? 0) >= today) return;
    const had = new Set(usableSecrets(client.settings).map(useKeyOf));
    const kept = [...before].filter(([each]) => had.has(each));
    // Secrets that are gone leave the row, so that it stays small.
    if (kept.length < before.size) await secretUses.replace(clientId, new Map([...kept, [own, today]]));
    else await secretUses.note(clientId, own, today);
  };
  return {
    read,
    write: async (client, secret) => (secret ? note(client, secret).catch(ignored) : undefined),
  };
}
