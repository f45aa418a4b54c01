/** The session of a request, and what the account of its user is now. */

import type { Step } from "../../database/table/table.ts";
import { maySignIn, type User } from "../../directory/users/model.ts";
import { Fault } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import { permissionOf } from "../../tokens/model.ts";
import { revocationStore, subjects } from "../../tokens/revocation-store.ts";
import { type EndLimits, endingSessions } from "../sessions/ending.ts";
import { endOf, isEndedByAccount } from "../sessions/lifetime.ts";
import { SESSIONS_MAX, type Session, type SessionClient, userAgentOf } from "../sessions/model.ts";
import {
  addingClient,
  changingSession,
  checkingSession,
  findClient,
  findSession,
  newSessionCookie,
  readOwnSession,
  readSessionCookie,
  type SessionReference,
  type SessionWithClients,
  storedSession,
  storingSession,
} from "../sessions/session-store.ts";
import type { SignInContext, SignInSettings } from "./context.ts";
import { cookieIn, removingSessionCookie, sessionCookieName, sessionCookieNames, settingSession } from "./cookies.ts";
import type { Person } from "./hints.ts";
import { notingDevice } from "./known-devices.ts";

/** Sessions of other tenants that one request looks at. */
const OTHERS_MAX = 5;
/** A use is noted at most so often. */
const NOTED_SECONDS = 60;

/** A session that counts now. Its tenant is that of its user, which for a guest is not that of the application. */
export interface Current {
  readonly reference: SessionReference;
  readonly session: Session;
  readonly user: User;
  /** The latest revocation of the user. */
  readonly userFromMs: number;
  /** The latest revocation of what the user allows the client, or of the user. */
  readonly clientFromMs: number;
  /** What the client of the request is in the session; absent where it gets its first code. */
  readonly client?: SessionClient | undefined;
  /** Stores the session where it is new or its use is to be noted: absent where the stored one is right. */
  readonly storing?: Step | undefined;
}

/** The session that the cookie of a request names; `undefined` where it names none. */
export function referenceIn({ cookies }: Pick<SignInContext, "cookies">, tenant: string): SessionReference | undefined {
  const reference = readSessionCookie(cookieIn(cookies, sessionCookieName(tenant)));
  return reference?.tenant === tenant ? reference : undefined;
}

/** The session that the browser has had in a tenant, whether or not it still counts. One round trip. */
export async function formerSession(tenant: string, context: SignInContext): Promise<SessionWithClients | undefined> {
  const reference = referenceIn(context, tenant);
  return reference && readOwnSession(context.table, reference);
}

/**
 * The sessions of the browser in other tenants than that of an application. A browser with more of them has others,
 * which are not looked at.
 */
export function otherReferences(
  { cookies }: Pick<SignInContext, "cookies">,
  tenant: string,
): readonly SessionReference[] {
  return referencesIn({ cookies })
    .filter((reference) => reference.tenant !== tenant)
    .slice(-OTHERS_MAX);
}

/** All sessions that the cookies of a request name. */
export function referencesIn({ cookies }: Pick<SignInContext, "cookies">): readonly SessionReference[] {
  return sessionCookieNames(cookies).flatMap((name) => {
    const reference = readSessionCookie(cookieIn(cookies, name));
    return reference && sessionCookieName(reference.tenant) === name ? [reference] : [];
  });
}

/**
 * The session of the browser whose secret has a digest, in any tenant. All are looked at: a browser does not say which
 * session is its newest.
 */
export function referenceOf(
  { cookies }: Pick<SignInContext, "cookies">,
  digest: string | undefined,
): SessionReference | undefined {
  return referencesIn({ cookies }).find((each) => each.digest === digest);
}

/** What finding a session reads. */
type SessionStores = Pick<SignInContext, "table" | "users" | "now"> & {
  readonly tools: { readonly settings: Pick<SignInSettings, "sessions"> };
};

/** The session of a guest, if `currentSession` counts it and the tenant of the guest is active. One round trip. */
export async function guestSession(
  reference: SessionReference,
  clientId: string,
  context: SessionStores & { readonly tenants: Pick<SignInContext["tenants"], "find"> },
): Promise<Current | undefined> {
  const [current, home] = await Promise.all([
    currentSession(reference, clientId, context),
    context.tenants.find(reference.tenant),
  ]);
  return home?.active ? current : undefined;
}

/**
 * A session of the browser for a request of a client, if it counts: it has not ended, and its user may sign in and has
 * not been signed out by a change of the account since it began. One round trip.
 */
export async function currentSession(
  reference: SessionReference | undefined,
  clientId: string,
  context: SessionStores,
): Promise<Current | undefined> {
  return reference && sessionThatCounts(reference, findSession(context.table, reference), clientId, context);
}

/**
 * The same for a session that a ticket names: its secret may have changed since. The session of a guest counts if the
 * tenant of the guest is active. One round trip.
 */
export async function namedSession(
  named: Omit<SessionReference, "digest">,
  clientId: string,
  context: SessionStores & { readonly tenants: Pick<SignInContext["tenants"], "find"> },
): Promise<Current | undefined> {
  const stored = storedSession(context.table, named);
  const [found, current, home] = await Promise.all([
    stored,
    sessionThatCounts(
      { ...named, digest: "" },
      stored.then((each) => each?.session),
      clientId,
      context,
    ),
    context.tenants.find(named.tenant),
  ]);
  return found && current && home?.active
    ? { ...current, reference: { ...named, digest: found.digest }, storing: undefined }
    : undefined;
}

async function sessionThatCounts(
  reference: SessionReference,
  reading: Promise<Session | undefined>,
  clientId: string,
  context: SessionStores,
): Promise<Current | undefined> {
  const { table, users, now } = context;
  const { tenant, userId, userStore } = reference;
  const [session, user, [userFromMs = 0, permittedFromMs = 0], client] = await Promise.all([
    reading,
    users.find(tenant, userId, userStore),
    revocationStore(table).validFrom(tenant, marksOf(userId, clientId)),
    findClient(table, reference, clientId),
  ]);
  if (!session || !user || !maySignIn(user) || user.userStore !== session.user.userStore) return undefined;
  if (now / 1_000 >= endOf(session, context.tools.settings.sessions)) return undefined;
  if (isEndedByAccount(session, userFromMs, now)) return undefined;
  const clientFromMs = Math.max(userFromMs, permittedFromMs);
  const storing = notingUse(reference, session, now);
  return { reference, session, user, userFromMs, clientFromMs, client, ...(storing && { storing }) };
}

/** What can end a code: revocations of the user, and of what it allows the client. */
export function marksOf(userId: string, clientId: string): readonly string[] {
  return [subjects.user(userId), subjects.grant(permissionOf(userId, clientId))];
}

/** The same, and what can end the pages of a sign-in that has no session yet. */
export function pageMarksOf(userId: string, clientId: string): readonly string[] {
  return [...marksOf(userId, clientId), subjects.pages(userId)];
}

/** The sessions of a user, and the browser in which one more begins. */
export interface Opening {
  /** The sessions of the user in all browsers. */
  readonly sessions: readonly SessionWithClients[];
  /** The session that the browser had before. */
  readonly former: SessionWithClients | undefined;
  /** For a guest: the session that the browser had in the tenant of the application, which ends. */
  readonly replaced?: SessionWithClients | undefined;
  readonly userAgent: string | undefined;
  /** Is told the session before it is stored. */
  readonly onStart?: (reference: SessionReference) => void;
}

/** Who begins a session, and what was proven when. */
export interface SignedInUser extends Opening, Person {
  /** When the revocations of `pageMarksOf` are from; of `marksOf` for somebody with a session. */
  readonly fromMs: readonly number[];
  readonly authSeconds: number;
  readonly startedMs: number;
  readonly methods: readonly string[];
}

/** A session of a request, with its cookie where that is new, and the steps for other sessions that follow from it. */
export interface Started {
  readonly current: Current;
  readonly steps: readonly Step[];
  readonly cookies: readonly string[];
}

/**
 * Starts a session for a user who has just signed in, or goes on with that of the same user in this browser. It has
 * another secret than any before. The former session of the browser ends, and so does the one that was used longest ago
 * where the user has too many.
 */
export function startSession(clientId: string, signedIn: SignedInUser, context: SignInContext): Started {
  const { user, home: tenant, sessions, former, replaced } = signedIn;
  const [userFromMs = 0, permittedFromMs = 0] = signedIn.fromMs;
  const { now, tools } = context;
  const counts = ({ session }: SessionWithClients) =>
    Math.floor(now / 1_000) < endOf(session, tools.settings.sessions) && !isEndedByAccount(session, userFromMs, now);
  const continued = former?.session.user.id === user.id && counts(former) ? former : undefined;
  const session = sessionFromNow(signedIn, continued?.session.sid ?? newId(), context);
  const { value, reference } = newSessionCookie(session);
  signedIn.onStart?.(reference);
  const { digest } = reference;
  const device = notingDevice({ user, tenant, userAgent: signedIn.userAgent, fromMs: userFromMs }, context);
  const others = sessions.filter((each) => each.session.sid !== session.sid && each !== former);
  const ending = [
    ...(former && !continued ? [former] : []),
    ...(replaced ? [replaced] : []),
    ...others
      .filter(counts)
      .sort(byUse)
      .slice(SESSIONS_MAX - 1)
      .slice(0, ENDED_AT_ONCE),
  ];
  return {
    current: {
      reference,
      session,
      user,
      userFromMs,
      clientFromMs: Math.max(userFromMs, permittedFromMs),
      client: continued?.clients.find((each) => each.clientId === clientId),
      storing: continued
        ? changingSession(continued.digest, digest, session, sessionEnded)
        : storingSession(digest, session),
    },
    steps: [
      ...endingSessions(ending, endLimitsOf(context), now),
      // They expire with the session, which lasts longer now.
      ...(continued?.clients ?? []).slice(0, CONTINUED_AT_ONCE).map((each) => addingClient(session, each)),
      ...device.steps,
    ],
    cookies: [
      settingSession(tenant, value),
      ...(replaced ? [removingSessionCookie(replaced.session.tenant)] : []),
      ...device.cookies,
    ],
  };
}

/** What decides on the steps that end a session. */
export function endLimitsOf({ tools: { settings, limits } }: Pick<SignInContext, "tools">): EndLimits {
  return { sessionLimits: settings.sessions, tokenLimits: limits };
}

/** A session of a user from now on. */
function sessionFromNow(
  { user: { id, userName, userStore }, home: tenant, authSeconds, startedMs, methods, userAgent }: SignedInUser,
  sid: string,
  { now, sourceIp, tools }: SignInContext,
): Session {
  const nowSeconds = Math.floor(now / 1_000);
  return {
    tenant,
    user: { id, userName, userStore },
    sid,
    authSeconds,
    startedMs,
    ...(methods.join() !== "pwd" && { methods }),
    seenSeconds: nowSeconds,
    endsAtSeconds: nowSeconds + tools.settings.sessions.longestSeconds,
    ip: sourceIp,
    userAgent: userAgentOf(userAgent),
  };
}

/** Notes that the user of a session has proven more. The session goes on under another secret. */
export function strengthenSession(current: Current, methods: readonly string[], nowMs: number): Started {
  const { reference, session } = current;
  const stronger: Session = { ...session, methods, seenSeconds: Math.floor(nowMs / 1_000) };
  const { value, reference: renewed } = newSessionCookie(stronger);
  const storing = changingSession(reference.digest, renewed.digest, stronger, sessionEnded);
  return {
    current: { ...current, reference: renewed, session: stronger, storing },
    steps: [],
    cookies: [settingSession(session.tenant, value)],
  };
}

/** Sessions that one sign-in ends at most. */
const ENDED_AT_ONCE = 5;
/** Clients of a session that goes on with a sign-in: a transaction has 100 writes. */
const CONTINUED_AT_ONCE = 60;

/** The one that was used last comes first. */
function byUse({ session: one }: SessionWithClients, { session: other }: SessionWithClients): number {
  return other.seenSeconds - one.seenSeconds;
}

/**
 * The steps of a code: they store the session, and the client where it is its first code in the session, which must not
 * end meanwhile: otherwise the client would not be told of its end.
 */
export function notingCode({ reference, session, client, storing }: Current, now: SessionClient): readonly Step[] {
  const isSame =
    client !== undefined &&
    client.subject === now.subject &&
    client.applicationId === now.applicationId &&
    client.tenant === now.tenant &&
    client.saml?.format === now.saml?.format &&
    client.saml?.endsAtSeconds === now.saml?.endsAtSeconds &&
    (client.endsTokens || !now.endsTokens);
  if (isSame) return storing ? [storing] : [];
  return [storing ?? checkingSession(reference, sessionEnded), addingClient(session, now)];
}

/** The step that notes the use of a session; `undefined` where a recent one is noted. */
function notingUse({ digest }: SessionReference, session: Session, nowMs: number): Step | undefined {
  const seenSeconds = Math.floor(nowMs / 1_000);
  if (seenSeconds - session.seenSeconds < NOTED_SECONDS) return undefined;
  return changingSession(digest, digest, { ...session, seenSeconds }, sessionEnded);
}

/** Another request has ended the session meanwhile: it must not begin again. */
function sessionEnded(): Fault {
  return new Fault("request.invalid", "The session has just ended. Go back to the application and sign in again.");
}
