/**
 * The tickets of CAS, each under the digest of its text. A service or proxy ticket is used up by the first attempt to
 * validate it; a ticket that grants proxy tickets can be used as long as its session counts.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { type Release, releases } from "../../applications/protocols/cas-kind.ts";
import { keys } from "../../database/table/keys.ts";
import { bool, list, number, oneOf, optional, rowCodec, text } from "../../database/table/row.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { digestOf } from "../../tokens/opaque.ts";
import { putting } from "../../tokens/unconditional.ts";
import { CasRefusal } from "./refusal.ts";

/** What a ticket stands for. */
export interface CasTicket {
  readonly kind: "service" | "proxy" | "granting";
  readonly tenant: string;
  readonly applicationId: string;
  /** The service; of a granting ticket the address that it was sent to. */
  readonly service: string;
  /** Which claims the application gets: the user was asked for them. */
  readonly release: Release;
  /** The session: its tenant is that of the user. */
  readonly home: string;
  readonly userId: string;
  readonly userStore: string;
  readonly sid: string;
  /** True where the user has just signed in for it. */
  readonly isFromNewLogin?: boolean | undefined;
  /** The addresses of the proxies that it came through, the latest first. */
  readonly proxies?: readonly string[] | undefined;
  readonly untilMs: number;
}

interface Row extends CasTicket {
  /** Names the use; absent before it. */
  readonly use?: string | undefined;
  readonly expiresAtSeconds: number;
}

const rows = rowCodec<Row>("CAS ticket", {
  kind: oneOf("service", "proxy", "granting"),
  tenant: text,
  applicationId: text,
  service: text,
  release: oneOf(...releases),
  home: text,
  userId: text,
  userStore: text,
  sid: text,
  isFromNewLogin: optional(bool),
  proxies: optional(list(text)),
  untilMs: number,
  use: optional(text),
  expiresAtSeconds: number,
});

const prefixes = { service: "ST", proxy: "PT", granting: "PGT" } as const;
/** 192 bits, in characters that the protocol allows (CAS protocol 3.0 section 3.7). */
const RANDOM_BYTES = 24;
const FORM = /^(?:ST|PT|PGT)-[0-9a-f]{48}$/;

/** A new text that names a ticket, or links one to a response (`PGTIOU`). */
export function newTicketText(prefix: (typeof prefixes)[CasTicket["kind"]] | "PGTIOU"): string {
  return `${prefix}-${randomBytes(RANDOM_BYTES).toString("hex")}`;
}

/** A new ticket: its text, and the step that stores it. */
export function newTicket(ticket: CasTicket): { readonly text: string; readonly step: Step } {
  const name = newTicketText(prefixes[ticket.kind]);
  const row = rows.write({ ...ticket, expiresAtSeconds: Math.ceil(ticket.untilMs / 1_000) });
  return { text: name, step: putting({ ...keys.casTicket(digestOf(name)), ...row }) };
}

/** The ticket with a text; `undefined` where there is none, or it was used. One round trip. */
export async function findTicket(table: Table, name: string): Promise<CasTicket | undefined> {
  if (!FORM.test(name)) return undefined;
  const item = await table.get(keys.casTicket(digestOf(name)));
  if (!item) return undefined;
  const { use, expiresAtSeconds: _, ...ticket } = rows.read(item);
  return use === undefined ? ticket : undefined;
}

/** Uses a ticket up. Throws `CasRefusal` where it was used before. One round trip. */
export async function useTicket(table: Table, name: string, ticket: CasTicket): Promise<void> {
  const use = randomUUID();
  await table.write({
    put: {
      ...keys.casTicket(digestOf(name)),
      ...rows.write({ ...ticket, use, expiresAtSeconds: Math.ceil(ticket.untilMs / 1_000) }),
    },
    when: { lacking: ["use"] },
    // The row of this very use shows that its response was lost.
    otherwise: (found) => (found?.use === use ? "applied" : unknownTicket()),
  });
}

/** What is thrown for a ticket that is not one, any more. */
export function unknownTicket(): CasRefusal {
  return new CasRefusal("INVALID_TICKET", "There is no such ticket: it was used, is too old, or never existed.");
}
