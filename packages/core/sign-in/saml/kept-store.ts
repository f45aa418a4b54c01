/**
 * What a service provider can fetch for some minutes after a sign-in: the response of an artifact, and assertions by
 * their IDs. The key has its client and a name that the client was told, so nothing is found for another one.
 */
import { createHash, randomUUID } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { keys } from "../../database/table/keys.ts";
import { number, optional, rowCodec, text } from "../../database/table/row.ts";
import { isStale, stale } from "../../database/table/stale.ts";
import type { Step, Table } from "../../database/table/table.ts";
import type { Canonical } from "../../kernel/canonical-xml.ts";
import type { Seal } from "../../kernel/seal.ts";
import { putting } from "../../tokens/unconditional.ts";

/** A row of the table has 400 KB. */
const LENGTH_MAX = 300_000;

/** Who can fetch something, and by which name. */
export interface KeptPlace {
  readonly kind: "response" | "assertion";
  readonly clientId: string;
  /** The handle of an artifact, or the ID of an assertion. */
  readonly name: string;
}

/** Where it is kept, and when. */
interface Keeping {
  readonly table: Pick<Table, "get" | "write">;
  readonly tools: { readonly seal: Seal };
  readonly now: number;
}

/** `sealed` is gone, and `use` is there, once it was taken. */
const rows = rowCodec<{
  readonly sealed?: string | undefined;
  readonly use?: string | undefined;
  readonly expiresAtSeconds: number;
}>("kept message of SAML", { sealed: optional(text), use: optional(text), expiresAtSeconds: number });

/** The step that keeps a message for some time; `undefined` where it is too long for a row. */
export function keeping(
  place: KeptPlace,
  message: Canonical,
  lifeMs: number,
  { tools, now }: Omit<Keeping, "table">,
): Step | undefined {
  const digest = digestOf(place);
  const sealed = tools.seal.seal(deflateRawSync(message).toString("base64"), ownerOf(digest));
  if (sealed.length > LENGTH_MAX) return undefined;
  return putting({ ...keys.samlKept(digest), ...rows.write({ sealed, expiresAtSeconds: secondsOf(now + lifeMs) }) });
}

/** A message that is kept now. One round trip. */
export async function findKept(place: KeptPlace, { table, tools, now }: Keeping): Promise<Canonical | undefined> {
  const digest = digestOf(place);
  const item = await table.get(keys.samlKept(digest));
  const { sealed, expiresAtSeconds = 0 } = item ? rows.read(item) : {};
  if (sealed === undefined || now >= expiresAtSeconds * 1_000) return undefined;
  const opened = openedOr(tools.seal, sealed, ownerOf(digest));
  return opened === undefined
    ? undefined
    : (inflateRawSync(Buffer.from(opened, "base64")).toString("utf8") as Canonical);
}

/** What was sealed under a key of before is not kept any more. */
function openedOr(seal: Pick<Seal, "open">, sealed: string, owner: string): string | undefined {
  try {
    return seal.open(sealed, owner);
  } catch {
    // The key of forms has changed in the last minutes.
    return undefined;
  }
}

/** The same, once: it is not kept any more. Two round trips. */
export async function takeKept(place: KeptPlace, context: Keeping): Promise<Canonical | undefined> {
  const found = await findKept(place, context);
  if (found === undefined) return undefined;
  const use = randomUUID();
  try {
    await context.table.write({
      put: { ...keys.samlKept(digestOf(place)), ...rows.write({ use, expiresAtSeconds: secondsOf(context.now) }) },
      when: { lacking: ["use"] },
      // The row of this very use shows that its response was lost.
      otherwise: (item) => (item?.use === use ? "applied" : stale()),
      contended: stale,
    });
  } catch (error) {
    if (isStale(error)) return undefined;
    throw error;
  }
  return found;
}

/** The forms of sign-in are sealed with the same key. */
const ownerOf = (digest: string) => `saml kept ${digest}`;

const secondsOf = (ms: number) => Math.floor(ms / 1_000);

function digestOf({ kind, clientId, name }: KeptPlace): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, clientId, name]), "utf8")
    .digest("base64url");
}
