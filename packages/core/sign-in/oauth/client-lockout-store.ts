/**
 * Failed authentications of clients, by client id and source, whether such a client exists or not (decision 0065). A
 * right secret from another source is accepted, so guesses do not lock a client out.
 */
import { createHash } from "node:crypto";
import { usableSecrets } from "../../applications/registry/client-model.ts";
import type { Client } from "../../applications/registry/client-store.ts";
import { keys } from "../../database/table/keys.ts";
import type { Table } from "../../database/table/table.ts";
import { canBeId } from "../../kernel/ids.ts";
import {
  countFailure,
  countNothing,
  type GuessPolicy,
  type GuessState,
  guessState,
  isLocked,
} from "../authentication/guess-rows.ts";
import { sourceOf } from "../authentication/source.ts";

/** A client id that was sent, and the address that the request came from, as the gateway saw it. */
export interface ClientGuesser {
  readonly clientId: string;
  readonly sourceIp: string;
}

/** The failures of all client ids. */
export type ClientLockoutStore = ReturnType<typeof clientLockoutStore>;

/** Machines repeat a wrong secret without being asked, and secrets are long: a lock stays short. */
export const clientLockoutPolicy: GuessPolicy = {
  failuresMax: 10,
  windowMs: 15 * 60_000,
  lockMs: 15 * 60_000,
  lockMaxMs: 60 * 60_000,
};

/**
 * What a lock holds for: the secrets of a client and its registered method with its key, so that new ones end it. Empty
 * where there is no such client.
 */
export function credentialVersion(client: Client | undefined): string {
  if (!client) return "";
  const { authentication } = client.settings;
  const secrets = usableSecrets(client.settings).map(({ sealedSecret }) => sealedSecret);
  return digestOf([...secrets, ...(authentication ? [JSON.stringify(authentication)] : [])].join("\n"));
}

/** Opens the store on the table of one request. */
export function clientLockoutStore(table: Table, policy = clientLockoutPolicy) {
  const keyOf = ({ clientId, sourceIp }: ClientGuesser) =>
    keys.clientLock(canBeId(clientId) ? clientId : "", digestOf(`${clientId}\n${sourceOf(sourceIp)}`));
  return {
    /** One round trip. */
    find: async (guesser: ClientGuesser, nowMs: number) => guessState(await table.get(keyOf(guesser)), policy, nowMs),
    /**
     * Counts a failure; without effect where no secret or assertion was sent (`version` is `undefined`), or while the
     * client id is locked at the source. The same work for all, except for the failure that locks.
     */
    async fail(guesser: ClientGuesser, before: GuessState, nowMs: number, version: string | undefined): Promise<void> {
      const key = keyOf(guesser);
      if (version === undefined || isLocked(before, version, nowMs)) return countNothing(table, key, before, nowMs);
      await countFailure({ table, key, policy }, before, nowMs, version);
    },
  };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("base64url").slice(0, 22);
}
