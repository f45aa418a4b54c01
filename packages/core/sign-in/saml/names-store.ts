/** Which sessions a name of SAML stands for: a logout request names the user as its service provider knows it. */
import { createHash } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { number, rowCodec, text } from "../../database/table/row.ts";
import { LAST, type Step, type Table } from "../../database/table/table.ts";
import type { SamlName } from "../../tokens/logout-model.ts";
import { putting } from "../../tokens/unconditional.ts";
import type { Session } from "../sessions/model.ts";
import type { SessionKey } from "../sessions/session-store.ts";

const rows = rowCodec<SessionKey & { readonly expiresAtSeconds: number }>("name of SAML", {
  tenant: text,
  userId: text,
  sid: text,
  expiresAtSeconds: number,
});

/** A session can go on beyond the end that was known when its name was noted. */
const LONGER_SECONDS = 30 * 24 * 60 * 60;
/** Sessions of a user: more are none. */
const PAGE = 100;

/** A name as a service provider of a tenant knows it. */
export interface NameOfProvider extends Pick<SamlName, "format" | "value"> {
  readonly tenant: string;
  readonly clientId: string;
}

/** The step that notes that a name stands for a session. */
export function addingName(of: NameOfProvider, { index }: Pick<SamlName, "index">, session: Session): Step {
  const { tenant, user, sid, endsAtSeconds } = session;
  return putting({
    ...keys.samlName(of.tenant, digestOf(of), index),
    ...rows.write({ tenant, userId: user.id, sid, expiresAtSeconds: endsAtSeconds + LONGER_SECONDS }),
  });
}

/** The sessions of a name by their SessionIndex, ended ones included. One round trip. */
export async function sessionsNamed(table: Table, of: NameOfProvider): Promise<ReadonlyMap<string, SessionKey>> {
  const { PK } = keys.samlName(of.tenant, digestOf(of), "");
  const { items } = await table.query({ PK, to: LAST, limit: PAGE });
  return new Map(
    items.map((item) => {
      const { expiresAtSeconds: _, ...key } = rows.read(item);
      return [item.SK, key];
    }),
  );
}

function digestOf({ clientId, format, value }: NameOfProvider): string {
  return createHash("sha256")
    .update(JSON.stringify([clientId, format, value]), "utf8")
    .digest("base64url");
}
