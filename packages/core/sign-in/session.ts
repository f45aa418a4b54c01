/** The session of a request, and what the account of its user is now. */
import { maySignIn, type User } from "../identities/users/model.ts";
import { Fault } from "../platform/faults.ts";
import { newId } from "../platform/ids.ts";
import { endOf, type Session } from "../sessions/model.ts";
import {
  changingSession,
  findSession,
  newSessionCookie,
  readSessionCookie,
  removingSession,
  renewingSession,
  type SessionReference,
  storingSession,
} from "../sessions/session-store.ts";
import type { Step } from "../table/table.ts";
import { isEndedBy, revocationStore, subjects } from "../tokens/revocation-store.ts";
import type { SignInContext } from "./context.ts";
import { cookieIn, sessionCookieName, settingSession } from "./cookies.ts";

/** A use is noted at most so often. */
const NOTED_SECONDS = 60;

/** A session that counts now. */
export interface Current {
  readonly reference: SessionReference;
  readonly session: Session;
  readonly user: User;
  /** The latest revocation of the user. */
  readonly userFromMs: number;
}

/** The session that the cookie of a request names; `undefined` where it names none. */
export function referenceIn({ cookies }: Pick<SignInContext, "cookies">, tenant: string): SessionReference | undefined {
  const reference = readSessionCookie(cookieIn(cookies, sessionCookieName(tenant)));
  return reference?.tenant === tenant ? reference : undefined;
}

/**
 * The session of a request in a tenant, if it counts: it has not ended, and its user may sign in and has not been
 * signed out by a change of the account since it began. One round trip.
 */
export async function currentSession(tenant: string, context: SignInContext): Promise<Current | undefined> {
  const reference = referenceIn(context, tenant);
  if (!reference) return undefined;
  const { table, users, now } = context;
  const { userId, userStore } = reference;
  const [session, user, [userFromMs = 0]] = await Promise.all([
    findSession(table, reference),
    users.find(tenant, userId, userStore),
    revocationStore(table).validFrom(tenant, [subjects.user(userId)]),
  ]);
  if (!session || !user || !maySignIn(user) || user.userStore !== session.user.userStore) return undefined;
  const { startedMs, authSeconds } = session;
  if (now / 1_000 >= endOf(session, context.tools.settings.sessions)) return undefined;
  if (isEndedBy(userFromMs, { issuedMs: startedMs, issuedAtSeconds: authSeconds }, now)) return undefined;
  return { reference, session, user, userFromMs };
}

/** A session of a request, with its cookie where that is new, and the steps that store what has changed of it. */
export interface Started {
  readonly current: Current;
  readonly steps: readonly Step[];
  readonly cookies: readonly string[];
}

/** Who begins a session, and what was proven when. */
export interface SignedInUser {
  readonly user: User;
  readonly userFromMs: number;
  readonly authSeconds: number;
  readonly startedMs: number;
  readonly methods: readonly string[];
}

/** Starts a session for a user who has just signed in. It has another secret than any before. */
export function startSession(tenant: string, signedIn: SignedInUser, context: SignInContext): Started {
  const { user, userFromMs, authSeconds, startedMs, methods } = signedIn;
  const { id, userName, userStore } = user;
  const nowSeconds = Math.floor(context.now / 1_000);
  const session: Session = {
    tenant,
    user: { id, userName, userStore },
    sid: newId(),
    authSeconds,
    startedMs,
    ...(methods.length > 1 && { methods }),
    seenSeconds: nowSeconds,
    endsAtSeconds: nowSeconds + context.tools.settings.sessions.longestSeconds,
  };
  const { value, reference } = newSessionCookie(tenant, session.user);
  const former = referenceIn(context, tenant);
  return {
    current: { reference, session, user, userFromMs },
    steps: [...(former ? [removingSession(former)] : []), storingSession(reference.digest, session)],
    cookies: [settingSession(tenant, value)],
  };
}

/** Notes that the user of a session has proven more. The session goes on under another secret. */
export function strengthenSession(
  { reference, session, ...account }: Current,
  methods: readonly string[],
  nowMs: number,
) {
  const stronger: Session = { ...session, methods, seenSeconds: Math.floor(nowMs / 1_000) };
  const { value, reference: renewed } = newSessionCookie(session.tenant, session.user);
  const started: Started = {
    current: { ...account, reference: renewed, session: stronger },
    steps: renewingSession(reference, renewed.digest, stronger, sessionEnded),
    cookies: [settingSession(session.tenant, value)],
  };
  return started;
}

/** The steps that note the use of a session. */
export function notingUse({ reference, session }: Current, nowMs: number): readonly Step[] {
  const seenSeconds = Math.floor(nowMs / 1_000);
  if (seenSeconds - session.seenSeconds < NOTED_SECONDS) return [];
  return [changingSession(reference.digest, { ...session, seenSeconds }, sessionEnded)];
}

/** Another request has ended the session meanwhile: it must not begin again. */
function sessionEnded(): Fault {
  return new Fault("request.invalid", "The session has just ended. Go back to the application and sign in again.");
}
