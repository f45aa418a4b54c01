/**
 * Sessions of users in browsers. The cookie of a session names the user and has a secret, of which the table has a
 * digest; so a session is read by its key, together with all else that a request needs, and the sessions of a user are
 * one partition.
 */
import { keys } from "../table/keys.ts";
import { list, number, optional, record, rowCodec, text } from "../table/row.ts";
import type { Item, Step, Table } from "../table/table.ts";
import { tokenUser } from "../tokens/access-token-store.ts";
import type { TokenUser } from "../tokens/model.ts";
import { digestOf, isOpaque, newOpaque } from "../tokens/opaque.ts";
import { putting, removing } from "../tokens/unconditional.ts";
import type { Session } from "./model.ts";

/** A session by its cookie. */
export interface SessionReference {
  readonly tenant: string;
  readonly userId: string;
  readonly userStore: string;
  /** The digest of the secret. */
  readonly digest: string;
}

const rows = rowCodec<{ readonly session: Session; readonly expiresAtSeconds: number }>("session", {
  session: record<Session>({
    tenant: text,
    user: tokenUser,
    sid: text,
    authSeconds: number,
    startedMs: number,
    methods: optional(list(text)),
    seenSeconds: number,
    endsAtSeconds: number,
  }),
  expiresAtSeconds: number,
});

/** The session of a cookie, ended ones included until their row is removed. One round trip. */
export async function findSession(table: Table, { tenant, userId, digest }: SessionReference) {
  const item = await table.get(keys.session(tenant, userId, digest));
  return item && rows.read(item).session;
}

/** The step that stores a new session. */
export function storingSession(digest: string, session: Session): Step {
  return putting(sessionItem(digest, session));
}

/** The step that changes a session. `otherwise` returns the fault for one that has ended since it was read. */
export function changingSession(digest: string, session: Session, otherwise: () => Error): Step {
  return { put: sessionItem(digest, session), when: "present", otherwise };
}

function sessionItem(digest: string, session: Session): Item {
  const { tenant, user, endsAtSeconds: expiresAtSeconds } = session;
  return { ...keys.session(tenant, user.id, digest), ...rows.write({ session, expiresAtSeconds }) };
}

/** The steps that store a session under another secret. `otherwise` as in `changingSession`. */
export function renewingSession(
  former: SessionReference,
  digest: string,
  session: Session,
  otherwise: () => Error,
): readonly Step[] {
  const { tenant, userId } = former;
  return [
    { remove: keys.session(tenant, userId, former.digest), when: "present", otherwise },
    storingSession(digest, session),
  ];
}

/** The step that ends a session, if it exists. */
export function removingSession({ tenant, userId, digest }: SessionReference): Step {
  return removing(keys.session(tenant, userId, digest));
}

/** A new secret of a session of a user: the value of its cookie, and how the table refers to it. */
export function newSessionCookie(tenant: string, { id, userStore }: TokenUser) {
  const secret = newOpaque("ss_");
  const name = Buffer.from(JSON.stringify([tenant, id, userStore]), "utf8").toString("base64url");
  return { value: `${name}.${secret}`, reference: { tenant, userId: id, userStore, digest: digestOf(secret) } };
}

/** What a cookie refers to; `undefined` for a value that this service did not make. */
export function readSessionCookie(value: string | undefined): SessionReference | undefined {
  const [name = "", secret = "", ...more] = value?.split(".") ?? [];
  if (more.length > 0 || !isOpaque(secret, "ss_")) return undefined;
  const [tenant, userId, userStore, ...rest] = namesIn(name);
  if (rest.length > 0 || !tenant || !userId || !userStore) return undefined;
  return { tenant, userId, userStore, digest: digestOf(secret) };
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
