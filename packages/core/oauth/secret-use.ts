/**
 * Notes the day on which a client secret is used, next to the work of the request: no request waits for the note, is
 * refused by its failure, or costs a round trip more for it (decision 0079).
 */
import type { UsableSecret } from "../applications/protocols/client-secrets.ts";
import { usableSecrets } from "../applications/registry/client-model.ts";
import type { Client } from "../applications/registry/client-store.ts";
import { dayOf, type SecretUses, useKeyOf } from "../applications/registry/secret-use-store.ts";
import { newFreshCache, newPrivateDigest } from "../auth/fresh.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import type { PresentedClient } from "./client-authentication.ts";
import type { OAuthContext } from "./context.ts";

/** The notes of one container. */
export interface SecretUseNotes {
  /** Begins a request with these credentials: reads what is stored, unless this container has noted them today. */
  begin(presented: PresentedClient, context: OAuthContext): SecretUseNote;
}

/** The note of one request. */
export interface SecretUseNote {
  /** Ends when the stored uses are read. Never fails. */
  readonly read: Promise<unknown>;
  /** Notes that the client used a secret: at most one write for each secret and day. Never fails. */
  write(client: Client, secret: UsableSecret | undefined): Promise<void>;
}

/** Opens the notes of one container. */
export function newSecretUseNotes(clock: Clock = systemClock): SecretUseNotes {
  const noted = newFreshCache<true>(clock);
  const digest = newPrivateDigest();
  return {
    begin(presented, { secretUses, reportDefect, now }) {
      const { clientId, secrets } = presented;
      const today = dayOf(now);
      const key = digest([String(today), clientId, ...secrets].join("\n"));
      const isKnown = secrets.length === 0 || noted.get(key) === true;
      const reading: Promise<SecretUses | undefined> = isKnown
        ? Promise.resolve(undefined)
        : secretUses.find(clientId).catch(ignored(reportDefect));
      return {
        read: reading,
        async write(client, secret) {
          if (!secret) return;
          if (isKnown) return noted.set(key, true);
          const before = await reading;
          if (!before) return;
          const own = useKeyOf(secret);
          // A clock that was ahead has noted a later day: the days of a secret only grow.
          if ((before[own] ?? 0) >= today) return noted.set(key, true);
          const kept = new Set(usableSecrets(client.settings).map(useKeyOf));
          const others = Object.entries(before).filter(([each]) => kept.has(each));
          const after = { ...Object.fromEntries(others), [own]: today };
          if (await secretUses.replace(clientId, before, after).catch(ignored(reportDefect))) noted.set(key, true);
        },
      };
    },
  };
}

/** A failure is for the log. */
function ignored(reportDefect: OAuthContext["reportDefect"]): (error: Error) => undefined {
  return (error) => {
    reportDefect(error);
    return undefined;
  };
}
