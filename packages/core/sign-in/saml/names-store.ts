/** Which sessions a name of SAML stands for: a logout request names the user as its service provider knows it. */
import { createHash } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { number, optional, rowCodec, text } from "../../database/table/row.ts";
import { type Item, LAST, type Step, type Table } from "../../database/table/table.ts";
import type { SamlName } from "../../tokens/logout-model.ts";
import { putting } from "../../tokens/unconditional.ts";
import { nameIdFormats } from "../flow/saml/claims.ts";
import type { Session } from "../sessions/model.ts";
import type { SessionKey } from "../sessions/session-store.ts";

/** A session that a name stands for. */
export interface NamedSession extends SessionKey {
  readonly format: string;
  readonly index: string;
  /** The digest of the sign-out that has ended the session. */
  readonly chain?: string | undefined;
}

const rows = rowCodec<Omit<NamedSession, "index"> & { readonly expiresAtSeconds: number }>("name of SAML", {
  tenant: text,
  userId: text,
  sid: text,
  format: text,
  chain: optional(text),
  expiresAtSeconds: number,
});

/** A session can go on beyond the end that was known when its name was noted. */
const LONGER_SECONDS = 30 * 24 * 60 * 60;
/** How long a request that is repeated finds the sign-out that it began. */
const ENDED_SECONDS = 30 * 60;
const PAGE = 100;

/** A name as a service provider of a tenant knows it. */
export interface NameOfProvider {
  readonly tenant: string;
  readonly clientId: string;
  /** White space around it does not count: readers of XML drop it. */
  readonly value: string;
}

/** The step that notes that a name stands for a session. */
export function addingName(of: NameOfProvider, { format, index }: SamlName, session: Session): Step {
  const { tenant, user, sid, endsAtSeconds } = session;
  const expiresAtSeconds = endsAtSeconds + LONGER_SECONDS;
  return noting(of, { tenant, userId: user.id, sid, format, index }, expiresAtSeconds);
}

/** The step that notes that a sign-out has ended a session. */
export function endingName(of: NameOfProvider, named: NamedSession, chain: string | undefined, nowMs: number): Step {
  return noting(of, { ...named, chain }, Math.ceil(nowMs / 1_000) + ENDED_SECONDS);
}

/**
 * The sessions of a name with these SessionIndexes, or all, ended ones included. One round trip, more for hundreds of
 * sessions.
 */
export async function sessionsNamed(
  table: Table,
  of: NameOfProvider,
  indexes: readonly string[],
): Promise<readonly NamedSession[]> {
  const keyOf = (index: string) => keys.samlName(of.tenant, digestOf(of), index);
  const items =
    indexes.length > 0
      ? await Promise.all([...new Set(indexes)].map((index) => table.get(keyOf(index))))
      : await table.queryAll({ PK: keyOf("").PK, to: LAST, limit: PAGE });
  return items.flatMap((item: Item | undefined) => {
    if (!item) return [];
    const { expiresAtSeconds: _, ...named } = rows.read(item);
    return [{ ...named, index: item.SK }];
  });
}

/** The names in the format of a request: without one, of any. None where they are of several users. Pure. */
export function ofFormat(named: readonly NamedSession[], format: string): readonly NamedSession[] {
  const same = named.filter((each) => each.format === format);
  const meant = same.length > 0 || format !== nameIdFormats.unspecified ? same : named;
  // A subject can be a claim that several users have.
  return new Set(meant.map(({ tenant, userId }) => JSON.stringify([tenant, userId]))).size > 1 ? [] : meant;
}

function noting(of: NameOfProvider, { index, ...named }: NamedSession, expiresAtSeconds: number): Step {
  return putting({ ...keys.samlName(of.tenant, digestOf(of), index), ...rows.write({ ...named, expiresAtSeconds }) });
}

function digestOf({ clientId, value }: NameOfProvider): string {
  return createHash("sha256")
    .update(JSON.stringify([clientId, value.trim()]), "utf8")
    .digest("base64url");
}
