/**
 * Answers with tokens that go through the browser. The function that signs people in stores what was agreed under a
 * ticket, and sends the browser to the function that signs tokens. A ticket counts once, for a minute, in its browser.
 */
import { randomUUID } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { bool, list, number, oneOf, optional, rowCodec, text } from "../../database/table/row.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { type AuthorizationCode, CODE_SECONDS, codeFields } from "../../tokens/code-store.ts";
import { digestOf, isOpaque, newOpaque } from "../../tokens/opaque.ts";
import { putting } from "../../tokens/unconditional.ts";
import type { ReturnAddress } from "./authorization-request.ts";
import { type ResponseMode, type ResponseType, responseModes, types } from "./response-types.ts";

/** What a browser fetches. */
export interface FrontAnswer {
  /** The sign-in. Its code is issued with the answer, if the answer has one. */
  readonly code: AuthorizationCode;
  readonly types: readonly ResponseType[];
  /** The digest of the text in the cookie of the browser. */
  readonly browser: string;
  readonly mode: ResponseMode;
  readonly state?: string | undefined;
}

interface Row extends FrontAnswer {
  readonly isUsed: boolean;
  readonly expiresAtSeconds: number;
}

const rows = rowCodec<Row>("answer through a browser", {
  code: codeFields,
  types: list(oneOf(...types)),
  browser: text,
  mode: oneOf(...responseModes),
  state: optional(text),
  isUsed: bool,
  expiresAtSeconds: number,
});

/** The part of an answer that its address decides. */
export function front({ mode, state }: ReturnAddress): Pick<FrontAnswer, "mode" | "state"> {
  return { mode, ...(state !== undefined && { state }) };
}

/** A new ticket, and the step that stores its answer. */
export function storingAnswer(answer: FrontAnswer): { readonly ticket: string; readonly step: Step } {
  const ticket = newOpaque("fa_");
  const expiresAtSeconds = answer.code.issuedAtSeconds + CODE_SECONDS;
  const row = rows.write({ ...answer, isUsed: false, expiresAtSeconds });
  return { ticket, step: putting({ ...keys.frontAnswer(digestOf(ticket)), ...row }) };
}

/** The answer of a ticket that counts now. One round trip. */
export async function findAnswer(table: Table, ticket: string, nowMs: number): Promise<FrontAnswer | undefined> {
  if (!isOpaque(ticket, "fa_")) return undefined;
  const item = await table.get(keys.frontAnswer(digestOf(ticket)));
  if (!item) return undefined;
  const { isUsed, expiresAtSeconds, ...answer } = rows.read(item);
  return isUsed || nowMs >= expiresAtSeconds * 1_000 ? undefined : answer;
}

/** The step that uses a ticket up. `otherwise` returns the fault for one that was used since it was read. */
export function usingTicket(ticket: string, otherwise: () => Error): Step {
  const use = randomUUID();
  return {
    change: keys.frontAnswer(digestOf(ticket)),
    set: { isUsed: true, use },
    when: { equal: { isUsed: false } },
    // The row of this very use shows that its response was lost.
    otherwise: (found) => (found?.use === use ? "applied" : otherwise()),
  };
}
