/**
 * The pages of one sign-in, which lead to one session or one answer: the write that stores it uses them up, so that
 * a page that is left open or sent again does not lead to another (decision 0146). They have a row only from then on.
 */
import { randomUUID } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { number, rowCodec, text } from "../../database/table/row.ts";
import type { Step } from "../../database/table/table.ts";
import { newId } from "../../kernel/ids.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

/** The longest that a page can be open: an hour after the password, half an hour for the one before it. */
const REMEMBERED_SECONDS = 2 * 60 * 60;

const rows = rowCodec<{ readonly use: string; readonly expiresAtSeconds: number }>("used pages", {
  use: text,
  expiresAtSeconds: number,
});

/** A request whose pages begin now. */
export function withPages<R extends AuthorizationRequest>(request: R): R {
  return { ...request, pages: newId() };
}

/** The pages of a sign-in were used before. */
export class PagesUsed extends Error {}

/** The steps that use the pages of a request up, if there are any. They throw `PagesUsed`. */
export function usingPages({ pages }: Pick<AuthorizationRequest, "pages">, nowMs: number): readonly Step[] {
  if (pages === undefined) return [];
  const use = randomUUID();
  const expiresAtSeconds = Math.ceil(nowMs / 1_000) + REMEMBERED_SECONDS;
  const put = { ...keys.pushedRequest(`answered-${pages}`), ...rows.write({ use, expiresAtSeconds }) };
  // The row of this very use shows that its response was lost.
  const otherwise: Step["otherwise"] = (found) => (found?.use === use ? "applied" : new PagesUsed());
  return [{ put, when: "absent", otherwise }];
}
