/**
 * Sessions of users in browsers, and the clients that got codes in them. The cookie of a session names the user and the
 * session, and has a secret, of which the table has a digest; so a session is read by its key, together with all else
 * that a request needs, and the sessions of a user are one partition.
 */
import { timingSafeEqual } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { bool, list, number, optional, record, rowCodec, text } from "../../database/table/row.ts";
import { type Item, LAST, type Step, type Table } from "../../database/table/table.ts";
import { canBeId } from "../../kernel/ids.ts";
import { tokenUser } from "../../tokens/access-token-store.ts";
import { toldClient } from "../../tokens/logout-store.ts";
import type { TokenUser } from "../../tokens/model.ts";
import { digestOf, isOpaque, newOpaque } from "../../tokens/opaque.ts";
import { putting, removing } from "../../tokens/unconditional.ts";
import type { Session, SessionClient } from "./model.ts";

/** A session by its cookie. */
export interface SessionReference {
  readonly tenant: string;
  readonly userId: string;
  readonly userStore: string;
  readonly sid: string;
  /** The digest of the secret. */
  readonly digest: string;
}

/** Which session is meant, for those who have no cookie of it. */
export type SessionKey = Pick<SessionReference, "tenant" | "userId" | "sid">;

/** A session with the clients that got codes in it. */
export interface SessionWithClients {
  readonly session: Session;
  /** The digest of its secret. */
  readonly digest: string;
  readonly clients: readonly SessionClient[];
}

/** `digest` is an attribute of its own because conditions of writes name it. */
const rows = rowCodec<{ readonly session: Session; readonly digest: string; readonly expiresAtSeconds: number }>(
  "session",
  {
    session: record<Session>({
      tenant: text,
      user: tokenUser,
      sid: text,
      authSeconds: number,
      startedMs: number,
      methods: optional(list(text)),
      seenSeconds: number,
      endsAtSeconds: number,
      ip: text,
      userAgent: optional(text),
    }),
    digest: text,
    expiresAtSeconds: number,
  },
);

const clientRows = rowCodec<SessionClient & { readonly expiresAtSeconds: number }>("client of a session", {
  ...toldClient,
  endsTokens: optional(bool),
  expiresAtSeconds: number,
});

const PAGE = 1_000;
const SID = /^[0-9a-f-]{36}$/;

/**
 * The session of a cookie, ended ones included until their row is removed; `undefined` where the cookie has another
 * secret than the session. One round trip.
 */
export async function findSession(table: Table, reference: SessionReference) {
  const found = await storedSession(table, reference);
  return found && isSame(found.digest, reference.digest) ? found.session : undefined;
}

/** The same for those who have no cookie of it, with the digest of its secret. One round trip. */
export async function storedSession(
  table: Table,
  { tenant, userId, sid }: SessionKey,
): Promise<Pick<SessionWithClients, "session" | "digest"> | undefined> {
  const item = await table.get(keys.session(tenant, userId, sid));
  return item && rows.read(item);
}

/** A session by its id, with its clients. One round trip; more for hundreds of clients. */
export async function readSession(
  table: Table,
  { tenant, userId, sid }: SessionKey,
): Promise<SessionWithClients | undefined> {
  if (!SID.test(sid)) return undefined;
  const { PK, SK } = keys.session(tenant, userId, sid);
  const [found] = grouped(await table.queryAll({ PK, from: SK, to: `${SK}#${LAST}`, limit: PAGE }));
  return found;
}

/** The same by a cookie; `undefined` where it has another secret than the session. One round trip. */
export async function readOwnSession(table: Table, reference: SessionReference) {
  const found = await readSession(table, reference);
  return found && isSame(found.digest, reference.digest) ? found : undefined;
}

/** The clients that are left of a session that has ended. One round trip; more for hundreds of clients. */
export async function clientsLeft(table: Table, { tenant, userId, sid }: SessionKey): Promise<SessionClient[]> {
  const { PK, SK } = keys.session(tenant, userId, sid);
  return (await table.queryAll({ PK, from: `${SK}#`, to: `${SK}#${LAST}`, limit: PAGE })).map(clientOf);
}

/** All sessions of a user with their clients, ended ones included until their rows are removed. One round trip. */
export async function sessionsOf(table: Table, tenant: string, userId: string): Promise<SessionWithClients[]> {
  return grouped(await table.queryAll({ PK: keys.session(tenant, userId, "").PK, to: LAST, limit: PAGE }));
}

/** The rows of a partition are in order: each session, then its clients. */
function grouped(items: readonly Item[]): SessionWithClients[] {
  const found: { session: Session; digest: string; clients: SessionClient[] }[] = [];
  for (const item of items) {
    if (SID.test(item.SK)) {
      const { session, digest } = rows.read(item);
      found.push({ session, digest, clients: [] });
    } else {
      const latest = found.at(-1);
      // A client without its session was left over when that ended.
      if (latest && item.SK.startsWith(`${latest.session.sid}#`)) latest.clients.push(clientOf(item));
    }
  }
  return found;
}

function clientOf(item: Item): SessionClient {
  const { expiresAtSeconds: _, ...client } = clientRows.read(item);
  return client;
}

/** What a client is in a session; `undefined` where it got no code in it. One round trip. */
export async function findClient(table: Table, { tenant, userId, sid }: SessionKey, clientId: string) {
  const item = await table.get(keys.sessionClient(tenant, userId, sid, clientId));
  return item && clientOf(item);
}

/** The step that stores a new session. */
export function storingSession(digest: string, session: Session): Step {
  return putting(sessionItem(digest, session));
}

/**
 * The step that changes a session whose secret has the digest `before`. `otherwise` returns the fault for one that has
 * ended, or has got another secret, since it was read.
 */
export function changingSession(before: string, digest: string, session: Session, otherwise: () => Error): Step {
  const put = sessionItem(digest, session);
  return {
    put,
    when: { equal: { digest: before } },
    // The new secret is random: a row that has it was written by this very change.
    otherwise: (found) => (before !== digest && found?.digest === digest ? "applied" : otherwise()),
  };
}

function sessionItem(digest: string, session: Session): Item {
  const { tenant, user, sid, endsAtSeconds: expiresAtSeconds } = session;
  return { ...keys.session(tenant, user.id, sid), ...rows.write({ session, digest, expiresAtSeconds }) };
}

/** The step that notes that a client gets a code in a session. */
export function addingClient({ tenant, user, sid, endsAtSeconds }: Session, client: SessionClient): Step {
  return putting({
    ...keys.sessionClient(tenant, user.id, sid, client.clientId),
    ...clientRows.write({ ...client, expiresAtSeconds: endsAtSeconds }),
  });
}

/** A condition: a session has not ended, and has that secret. `otherwise` returns the fault where that is not so. */
export function checkingSession({ tenant, userId, sid, digest }: SessionReference, otherwise: () => Error): Step {
  return { check: keys.session(tenant, userId, sid), when: { equal: { digest } }, otherwise };
}

/** The step that ends a session, if it exists. */
export function removingSession({ tenant, userId, sid }: SessionKey): Step {
  return removing(keys.session(tenant, userId, sid));
}

/** The step that removes a client of a session that has ended. */
export function removingClient({ tenant, userId, sid }: SessionKey, clientId: string): Step {
  return removing(keys.sessionClient(tenant, userId, sid, clientId));
}

/** A new secret of a session of a user: the value of its cookie, and how the table refers to it. */
export function newSessionCookie({ tenant, user: { id, userStore }, sid }: Pick<Session, "tenant" | "user" | "sid">) {
  const secret = newOpaque("ss_");
  const name = Buffer.from(JSON.stringify([tenant, id, userStore, sid]), "utf8").toString("base64url");
  return { value: `${name}.${secret}`, reference: { tenant, userId: id, userStore, sid, digest: digestOf(secret) } };
}

/** The session of an account as its key. */
export function keyOf({
  tenant,
  user,
  sid,
}: {
  readonly tenant: string;
  readonly user: TokenUser;
  readonly sid: string;
}) {
  return { tenant, userId: user.id, sid };
}

/** What a cookie refers to; `undefined` for a value that this service did not make. */
export function readSessionCookie(value: string | undefined): SessionReference | undefined {
  const [name = "", secret = "", ...more] = value?.split(".") ?? [];
  if (more.length > 0 || !isOpaque(secret, "ss_")) return undefined;
  const [tenant, userId, userStore, sid, ...rest] = namesIn(name);
  if (rest.length > 0 || !tenant || !userId || !userStore || !sid || !SID.test(sid)) return undefined;
  // Anyone can write a cookie, and they become keys.
  if (![tenant, userId, userStore].every(canBeId)) return undefined;
  return { tenant, userId, userStore, sid, digest: digestOf(secret) };
}

function namesIn(encoded: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"));
    return Array.isArray(names) && names.every((name): name is string => typeof name === "string") ? names : [];
  } catch {
    // Anybody can send any cookie.
    return [];
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one, "utf8"), Buffer.from(other, "utf8")];
  return a.length === b.length && timingSafeEqual(a, b);
}
