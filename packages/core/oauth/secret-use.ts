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
  /** Notes that the client used a secret: at most one write for each secret and day. Never fails. */
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
    if (!before || (before[own] ?? 0) >= today) return;
    const kept = new Set(usableSecrets(client.settings).map(useKeyOf));
    const others = Object.entries(before).filter(([each]) => kept.has(each));
    await secretUses.replace(clientId, before, { ...Object.fromEntries(others), [own]: today });
  };
  return {
    read,
    write: async (client, secret) => (secret ? note(client, secret).catch(ignored) : undefined),
  };
}
