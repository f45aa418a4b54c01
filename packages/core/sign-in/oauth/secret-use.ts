/**
 * Notes the day on which a client secret is used, next to the work of the request: no request is refused because of the
 * note, or costs a round trip more for it (decision 0079). A container remembers what it knows to be noted, so that a
 * client which asks for many tokens reads nothing for it (decision 0141).
 */
import type { UsableSecret } from "../../applications/protocols/client-secrets.ts";
import { usableSecrets } from "../../applications/registry/client-model.ts";
import type { Client } from "../../applications/registry/client-store.ts";
import { dayOf, useKeyOf } from "../../applications/registry/secret-use-store.ts";
import type { PresentedClient } from "./client-authentication.ts";
import type { OAuthContext } from "./context.ts";

/**
 * Begins a request that sends a secret: reads what is stored of the client id, unless this container has accepted an
 * equal attempt (`accepted` is the sealed text of its secret) and noted it on this day. All others read it, so that the
 * work shows nothing of the client and its secrets. A request without a secret reads nothing.
 */
export function noteOfUse(
  { clientId, secrets }: PresentedClient,
  accepted: string | undefined,
  { secretUses, reportDefect, now, tools: { notedUses } }: OAuthContext,
) {
  // A failure is for the log.
  const ignored = (error: Error): undefined => {
    reportDefect(error);
    return undefined;
  };
  const today = dayOf(now);
  const isNoted = (sealed: string) => (notedUses.get(sealed) ?? 0) >= today;
  const find = () => secretUses.find(clientId).catch(ignored);
  const isSkipped = accepted !== undefined && isNoted(accepted);
  const read = secrets.length > 0 && !isSkipped ? find() : undefined;
  const note = async (client: Client, secret: UsableSecret): Promise<void> => {
    const { sealedSecret } = secret;
    if (isNoted(sealedSecret)) return;
    // Nothing was read where another secret of the same text was noted: the client was made again.
    const before = await (read ?? find());
    if (!before) return;
    const own = useKeyOf(secret);
    // The days of a secret only grow: a container whose clock is behind notes nothing.
    if ((before.get(own) ?? 0) < today) {
      const had = new Set(usableSecrets(client.settings).map(useKeyOf));
      const kept = [...before].filter(([each]) => had.has(each));
      // Secrets that are gone leave the row, so that it stays small.
      if (kept.length < before.size) await secretUses.replace(clientId, new Map([...kept, [own, today]]));
      else await secretUses.note(clientId, own, today);
    }
    notedUses.set(sealedSecret, today);
  };
  return {
    /** Ends when the stored uses are read, if they are. Never fails. */
    read: read ?? Promise.resolve(),
    /**
     * Notes that the client used a secret: one write for each secret and day, or a few equal ones where several
     * requests are the first at the same moment. Never fails.
     */
    write: async (client: Client, secret: UsableSecret | undefined): Promise<void> =>
      secret ? note(client, secret).catch(ignored) : undefined,
    /**
     * Reads, for an attempt that is refused, what was not read because it is remembered: that a client is locked does
     * not show that a guess was right. Never fails.
     */
    refuse: async (): Promise<void> => void (isSkipped && (await find())),
  };
}
