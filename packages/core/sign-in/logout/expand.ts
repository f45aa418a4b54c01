/** Finds out which clients must be told of sessions that have ended, and removes what is left of the sessions. */
import type { ApplicationStore } from "../../applications/registry/store.ts";
import type { Step, Table } from "../../database/table/table.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { WaitingLogout } from "../../tokens/logout-model.ts";
import { addingLogout, removingLogout } from "../../tokens/logout-store.ts";
import { revocationStore, subjects } from "../../tokens/revocation-store.ts";
import { consentsOf, removingConsent } from "../sessions/consent-store.ts";
import { isEndedByAccount } from "../sessions/lifetime.ts";
import type { SessionClient } from "../sessions/model.ts";
import {
  clientsLeft,
  keyOf,
  removingClient,
  removingSession,
  type SessionKey,
  sessionsOf,
} from "../sessions/session-store.ts";
import { backChannelOf } from "./back-channel.ts";

interface Expanding {
  readonly table: Table;
  readonly applications: Pick<ApplicationStore, "find">;
  readonly clock: Clock;
}

/** Steps of one transaction: a client takes two, of 100. */
const CLIENTS_AT_ONCE = 40;
const CONSENTS_AT_ONCE = 90;

/**
 * Replaces a piece of work by that for each client. Each step can be repeated: a client and what is to do for it change
 * in one transaction, and the work itself goes last.
 */
export async function expand(deps: Expanding, waiting: WaitingLogout): Promise<void> {
  const { table } = deps;
  const { kind, tenant, userId, sid } = waiting;
  if (kind === "session" && sid !== undefined) {
    const key = { tenant, userId, sid };
    await expandSession(deps, waiting, key, await clientsLeft(table, key));
  } else {
    await expandUser(deps, waiting);
  }
  if (kind === "deletion") await removeConsents(table, waiting);
  await table.write(removingLogout(waiting));
}

/** The sessions that the account has ended: those that began since are others. */
async function expandUser(deps: Expanding, waiting: WaitingLogout): Promise<void> {
  const { table, clock } = deps;
  const { tenant, userId } = waiting;
  const [sessions, [userFromMs = 0]] = await Promise.all([
    sessionsOf(table, tenant, userId),
    revocationStore(table).validFrom(tenant, [subjects.user(userId)]),
  ]);
  for (const { session, clients } of sessions) {
    if (!isEndedByAccount(session, userFromMs, clock.now())) continue;
    const key = keyOf(session);
    await expandSession(deps, waiting, key, clients);
    await table.write(removingSession(key));
  }
}

async function expandSession(
  { table, applications }: Expanding,
  { tenant, userId, endedMs }: WaitingLogout,
  key: SessionKey,
  clients: readonly SessionClient[],
): Promise<void> {
  for (let at = 0; at < clients.length; at += CLIENTS_AT_ONCE) {
    const some = clients.slice(at, at + CLIENTS_AT_ONCE);
    const found = await Promise.all(some.map((each) => applications.find(each.tenant ?? tenant, each.applicationId)));
    const steps = some.flatMap(({ endsTokens: _, ...client }, place): Step[] => {
      const isTold = backChannelOf(found[place], client) !== undefined;
      return [
        removingClient(key, client.clientId),
        ...(isTold ? [addingLogout({ kind: "client", tenant, userId, sid: key.sid, client, endedMs })] : []),
      ];
    });
    await table.write(...steps);
  }
}

/** What a deleted user has agreed to. */
async function removeConsents(table: Table, { tenant, userId }: WaitingLogout): Promise<void> {
  const consents = await consentsOf(table, tenant, userId);
  for (let at = 0; at < consents.length; at += CONSENTS_AT_ONCE) {
    const some = consents.slice(at, at + CONSENTS_AT_ONCE);
    await table.write(...some.map(({ applicationId }) => removingConsent(tenant, userId, applicationId)));
  }
}
