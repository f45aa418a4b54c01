/** The handlers of the operations on sessions and consents. */
import type * as z from "zod";
import type { Application } from "../../applications/registry/model.ts";
import type { ApplicationStore } from "../../applications/registry/store.ts";
import type { Step, Table } from "../../database/table/table.ts";
import type { UserStore } from "../../directory/users/store.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Principal, RequestContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { permissionOf } from "../../tokens/model.ts";
import { lastTokenSeconds } from "../../tokens/refresh-family-store.ts";
import { revocationStore, revocationTime, revokingGrant, subjects } from "../../tokens/revocation-store.ts";
import { consentsOf, type ListedConsent, removingConsent } from "./consent-store.ts";
import type { AuthorizedApp, SessionList, sessionOperations } from "./contract.ts";
import { type EndLimits, endingSessions } from "./ending.ts";
import { endOf, isEndedByAccount } from "./lifetime.ts";
import type { SessionClient } from "./model.ts";
import { type SessionWithClients, sessionsOf } from "./session-store.ts";

/** The dependencies of these handlers. */
export interface SessionStores extends EndLimits {
  readonly table: Table;
  readonly users: Pick<UserStore, "find">;
  readonly applications: Pick<ApplicationStore, "find">;
}

type Context = RequestContext & SessionStores;

/** Sessions or consents of one transaction: each takes at most four writes, of 100. */
const AT_ONCE = 20;

export const sessionHandlers: Handlers<typeof sessionOperations, SessionStores> = {
  listMySessions: (_, context) => shownSessions(ownId(context.principal), context),
  endMySessions: (_, context) => endSessions(ownId(context.principal), undefined, context),
  endMySession: ({ params }, context) => endSessions(ownId(context.principal), params.sessionId, context),
  listUserSessions: async ({ params }, context) => shownSessions(await knownId(params.userId, context), context),
  endUserSessions: async ({ params }, context) =>
    endSessions(await knownId(params.userId, context), undefined, context),
  endUserSession: async ({ params }, context) =>
    endSessions(await knownId(params.userId, context), params.sessionId, context),

  listMyAuthorizedApps: (_, context) => shownApps(ownId(context.principal), context),
  revokeMyAuthorizedApps: (_, context) => revokeApps(ownId(context.principal), undefined, context),
  revokeMyAuthorizedApp: ({ params }, context) => revokeApps(ownId(context.principal), params.applicationId, context),
  listUserAuthorizedApps: async ({ params }, context) => shownApps(await knownId(params.userId, context), context),
  revokeUserAuthorizedApps: async ({ params }, context) =>
    revokeApps(await knownId(params.userId, context), undefined, context),
  revokeUserAuthorizedApp: async ({ params }, context) =>
    revokeApps(await knownId(params.userId, context), params.applicationId, context),
};

/** The id of the calling user. Throws `auth.forbidden` for an application on its own account. */
function ownId({ kind, subject }: Principal): string {
  if (kind === "user") return subject;
  throw new Fault("auth.forbidden", "An application has no sessions of its own. Name a user instead of `me`.");
}

/** The id of a user of the tenant. Throws `session.user_unknown`. One round trip. */
async function knownId(userId: string, { tenant, users }: Context): Promise<string> {
  if (await users.find(tenant, userId)) return userId;
  throw new Fault("session.user_unknown", `There is no user with the id ${userId.slice(0, 100)}.`);
}

/** The sessions of a user that have not ended, that which was used last first. One round trip. */
async function openSessions(userId: string, context: Context): Promise<SessionWithClients[]> {
  const { tenant, table, now, sessionLimits } = context;
  const [found, [userFromMs = 0]] = await Promise.all([
    sessionsOf(table, tenant, userId),
    revocationStore(table).validFrom(tenant, [subjects.user(userId)]),
  ]);
  return found
    .filter(({ session }) => now / 1_000 < endOf(session, sessionLimits) && !isEndedByAccount(session, userFromMs, now))
    .sort(
      ({ session: one }, { session: other }) => other.seenSeconds - one.seenSeconds || (one.sid < other.sid ? 1 : -1),
    );
}

async function shownSessions(userId: string, context: Context): Promise<z.input<typeof SessionList>> {
  const open = await openSessions(userId, context);
  const applications = await applicationsOf(
    open.flatMap(({ clients }) => clients),
    context,
  );
  return {
    userId,
    sessions: open.map(({ session, clients }) => ({
      id: session.sid,
      applications: eachOnce(clients).flatMap(({ applicationId: id, subject }) => {
        const application = applications.get(id);
        return application ? [{ id, subject, appName: application.name, appId: id }] : [];
      }),
      userAgent: session.userAgent ?? "",
      ip: session.ip,
      loginTime: String(session.authSeconds * 1_000),
      lastAccessTime: String(session.seenSeconds * 1_000),
    })),
  };
}

/** An application is a client for each of its services of CAS. */
function eachOnce(clients: readonly SessionClient[]): readonly SessionClient[] {
  const isSame = (one: SessionClient, other: SessionClient) =>
    one.applicationId === other.applicationId && one.subject === other.subject;
  return clients.filter((each, at) => clients.findIndex((other) => isSame(each, other)) === at);
}

/** Ends one session of a user, or all. Throws `session.not_found`. */
async function endSessions(userId: string, sid: string | undefined, context: Context): Promise<undefined> {
  const open = await openSessions(userId, context);
  const meant = sid === undefined ? open : open.filter(({ session }) => session.sid === sid);
  if (sid !== undefined && meant.length === 0) {
    throw new Fault("session.not_found", `The user has no session with the id ${sid.slice(0, 100)}.`);
  }
  await writeEach(meant, (some) => endingSessions(some, context, context.now), context);
}

async function shownApps(userId: string, context: Context): Promise<z.input<typeof AuthorizedApp>[]> {
  const consents = await consentsOf(context.table, context.tenant, userId);
  const applications = await applicationsOf(consents, context);
  return consents.flatMap(({ applicationId: id, scopes }) => {
    const application = applications.get(id);
    if (!application) return [];
    const clientId = application.inbound.oidc?.clientId ?? "";
    return [{ id, name: application.name, clientId, approvedScopes: [...scopes] }];
  });
}

/** Takes one consent of a user back, or all, with the tokens of the applications. Throws `session.consent_unknown`. */
async function revokeApps(userId: string, id: string | undefined, context: Context): Promise<undefined> {
  const { table, tenant, now, tokenLimits } = context;
  const given = await consentsOf(table, tenant, userId);
  const meant = id === undefined ? given : given.filter(({ applicationId }) => applicationId === id);
  const applications = await applicationsOf(meant, context);
  if (id !== undefined && !applications.has(id)) {
    throw new Fault("session.consent_unknown", `The user has given no access to an application ${id.slice(0, 100)}.`);
  }
  const untilSeconds = lastTokenSeconds(tokenLimits, now);
  const taking = ({ applicationId }: ListedConsent): Step[] => {
    const clientId = applications.get(applicationId)?.inbound.oidc?.clientId;
    return [
      removingConsent(tenant, userId, applicationId),
      ...(clientId === undefined
        ? []
        : revokingGrant(tenant, permissionOf(userId, clientId), revocationTime(), untilSeconds)),
    ];
  };
  await writeEach(meant, (some) => some.flatMap(taking), context);
}

/** Writes the steps of all elements, of some elements at once. */
async function writeEach<T>(list: readonly T[], stepsOf: (some: readonly T[]) => readonly Step[], { table }: Context) {
  for (let at = 0; at < list.length; at += AT_ONCE) {
    await table.write(...stepsOf(list.slice(at, at + AT_ONCE)));
  }
  return undefined;
}

/**
 * The applications of some clients or consents that exist, those that the user is a guest of included. One round trip.
 */
async function applicationsOf(
  named: readonly { readonly applicationId: string; readonly tenant?: string | undefined }[],
  { tenant, applications }: Context,
) {
  const tenants = new Map(named.map(({ applicationId, tenant: other = tenant }) => [applicationId, other]));
  const found = await Promise.all([...tenants].map(([id, of]) => applications.find(of, id)));
  return new Map(found.flatMap((each): [string, Application][] => (each ? [[each.id, each]] : [])));
}
