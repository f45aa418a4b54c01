/**
 * Pushed authorization requests (RFC 9126). A request can be opened for a minute and answered once. Its row stays for
 * as long as a page that was opened with it, so that no second answer leaves.
 */
import { randomUUID } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { bool, flag, number, rowCodec, text } from "../../database/table/row.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { digestOf, isOpaque, newOpaque } from "../../tokens/opaque.ts";
import { putting } from "../../tokens/unconditional.ts";

/** For how long a pushed request can be opened. */
export const PUSHED_SECONDS = 60;

/** For how long its row stays: two pages can be open one after the other, half an hour each. */
const REMEMBERED_SECONDS = 2 * 60 * 60;

/** Begins the reference to a pushed request (RFC 9126 section 2.2). */
const URN = "urn:ietf:params:oauth:request_uri:";

/** A pushed request. */
export interface PushedRequest {
  readonly tenant: string;
  readonly clientId: string;
  /** The parameters, as JSON. */
  readonly parameters: string;
  /** They were in a signed request object. */
  readonly isSigned: boolean;
  readonly pushedAtSeconds: number;
}

interface Row extends PushedRequest {
  readonly isUsed: boolean;
  readonly expiresAtSeconds: number;
}

const rows = rowCodec<Row>("pushed authorization request", {
  tenant: text,
  clientId: text,
  parameters: text,
  isSigned: flag,
  pushedAtSeconds: number,
  isUsed: bool,
  expiresAtSeconds: number,
});

/** A new reference, and the step that stores its request. */
export function storingPushed(pushed: PushedRequest): { readonly requestUri: string; readonly step: Step } {
  const name = newOpaque("pr_");
  const expiresAtSeconds = pushed.pushedAtSeconds + REMEMBERED_SECONDS;
  const row = rows.write({ ...pushed, isUsed: false, expiresAtSeconds });
  return { requestUri: `${URN}${name}`, step: putting({ ...keys.pushedRequest(digestOf(name)), ...row }) };
}

/** Whether a text names a pushed request, of this service or not. */
export function isPushedName(requestUri: string | undefined): requestUri is string {
  return requestUri?.startsWith(URN) ?? false;
}

/** The digest of the name of a pushed request; `undefined` where it has not the form of one. */
export function pushedDigest(requestUri: string): string | undefined {
  const name = requestUri.slice(URN.length);
  return isOpaque(name, "pr_") ? digestOf(name) : undefined;
}

/** The pushed request that can be opened now. One round trip. */
export async function findPushed(table: Table, digest: string, nowMs: number): Promise<PushedRequest | undefined> {
  const item = await table.get(keys.pushedRequest(digest));
  if (!item) return undefined;
  const { isUsed, expiresAtSeconds: _, ...pushed } = rows.read(item);
  return isUsed || nowMs >= (pushed.pushedAtSeconds + PUSHED_SECONDS) * 1_000 ? undefined : pushed;
}

/**
 * The step that uses a pushed request up: it belongs to the write of the answer. `otherwise` returns the fault for one
 * that was answered since.
 */
export function usingPushed(digest: string, otherwise: () => Error): Step {
  const use = randomUUID();
  return {
    change: keys.pushedRequest(digest),
    set: { isUsed: true, use },
    when: { equal: { isUsed: false } },
    // The row of this very use shows that its response was lost.
    otherwise: (found) => (found?.use === use ? "applied" : otherwise()),
  };
}
