/**
 * Asks for a mail. Each request does the same, whatever name it has: it counts, and queues. Whether there is an
 * account, and whether it gets a mail, is decided after the answer (decision 0181).
 */

import type { Table } from "../../database/table/table.ts";
import { Fault } from "../../kernel/faults.ts";
import { foldName } from "../../kernel/fold.ts";
import type { PublicContext } from "../../kernel/operation/context.ts";
import type { AskedKind, SignInKind } from "../../tokens/mail-model.ts";
import { addingMail, countMail } from "../../tokens/mail-store.ts";
import { nameIn } from "../authentication/sign-in.ts";
import { sourceOf } from "../authentication/source.ts";
import type { Language } from "../pages/language.ts";

/** A mail that somebody asks for. */
export interface Asking<Kind extends AskedKind = AskedKind> {
  readonly kind: Kind;
  readonly tenant: string;
  /** The name or address as it was entered. */
  readonly about: string;
  /** The digest of the code of a recovery by API; for a sign-in, the text of its form. */
  readonly flow?: string;
  /** For a link of a sign-in: its sealed form, and the tenant of its page. */
  readonly page?: string;
  readonly pageTenant?: string;
  /** The person has proven something else. */
  readonly isKnown?: boolean;
  readonly language: Language;
}

/** How many mails may be asked for, in an hour by the clock. */
export interface AskLimits {
  readonly ofNameMax: number;
  /** To one address; and for one name at sign-ins. */
  readonly ofAddressMax: number;
  readonly ofSourceMax: number;
}

/** Where mails are asked for. */
type AskContext = Pick<PublicContext, "sourceIp" | "now"> & {
  readonly table: Table;
  readonly tools: { readonly limits: AskLimits };
};

/** The limits of all tenants together have no tenant. */
const ALL_TENANTS = "-";

/** Counts a request of a source. Throws `recovery.throttled` beyond its limit. One round trip. */
export async function countSource({ table, tools, sourceIp, now }: AskContext): Promise<void> {
  const counted = { tenant: ALL_TENANTS, kind: "source", value: sourceOf(sourceIp) } as const;
  if ((await countMail(table, counted, now)) <= tools.limits.ofSourceMax) return;
  throw new Fault(
    "recovery.throttled",
    "Too many requests came from this internet address. Wait an hour, then try again.",
  );
}

/**
 * Queues a mail, unless too many were asked for with this name: the answer does not say that. Throws as `countSource`
 * does. Three round trips.
 */
export async function askForMail(asking: Asking, context: AskContext): Promise<void> {
  await countSource(context);
  await queueMail(asking, context);
}

/** The same for a source that is counted already. Two round trips. */
export async function queueMail(asking: Asking, context: AskContext): Promise<void> {
  await queue(asking, { group: asking.kind, most: context.tools.limits.ofNameMax }, context);
}

/**
 * Asks for a mail of a sign-in; codes and links count together. Somebody who has proven something else has a count that
 * strangers do not raise, and is limited by no source. Throws as `countSource` does. At most three round trips.
 */
export async function askForSignIn(asking: Asking<SignInKind>, context: AskContext): Promise<void> {
  const { isKnown } = asking;
  const { ofNameMax } = context.tools.limits;
  if (!isKnown) await countSource(context);
  await queue(asking, { group: isKnown ? "sign-in of somebody known" : "sign-in", most: ofNameMax }, context);
}

async function queue(
  asking: Asking,
  { group, most }: { readonly group: string; readonly most: number },
  { table, now }: AskContext,
): Promise<void> {
  const { tenant, about } = asking;
  // One name in all of its spellings.
  const { userStore, name } = nameIn(tenant, about);
  const value = `${group}\n${userStore}/${foldName(name)}`;
  const asked = await countMail(table, { tenant, kind: "name", value }, now);
  if (asked <= most) await table.write(addingMail({ ...asking, askedMs: now }));
}
