/**
 * Sends the mails that are due: each is taken under a lease, so that two workers seldom send the same one; a worker
 * that dies leaves it to the next (decision 0180). What fails is tried again later, until it would come too late.
 */
import { isStale } from "../../database/table/stale.ts";
import type { Table } from "../../database/table/table.ts";
import { concurrently } from "../../kernel/concurrently.ts";
import { later } from "../../kernel/later.ts";
import { eachNoted } from "../../kernel/noted.ts";
import { waitMs } from "../../sign-in/logout/attempts.ts";
import { LINK_SECONDS } from "../../tokens/mail-link-store.ts";
import { mailMarks, markAddress, markOf } from "../../tokens/mail-mark-store.ts";
import {
  type AskedKind,
  isNotice,
  isSignIn,
  type MailKind,
  type RecoveryKind,
  type SignInKind,
  type WaitingMail,
} from "../../tokens/mail-model.ts";
import {
  type Counted,
  countMail,
  forgetWaiting,
  moveMail,
  noteWaiting,
  removingMail,
  waitingMails,
  waitingTenants,
} from "../../tokens/mail-store.ts";
import type { MailDeps } from "./deps.ts";
import { MailRefused, type Message } from "./model.ts";
import { type Addressed, addressed } from "./write.ts";

// The composer is large, and most calls find nothing to send.
const { compose } = later(() => import("./compose.ts"), "compose");

/** Longer than an attempt with its writes. */
const LEASE_MS = 60_000;
const PAGE = 100;
const AT_ONCE = 4;
const TENANTS_AT_ONCE = 8;
const HOUR_MS = 60 * 60_000;
const isRecovery = (kind: MailKind): kind is RecoveryKind => kind === "password-link" || kind === "user-names";
const isAsked = (kind: MailKind): kind is Exclude<AskedKind, SignInKind> => isRecovery(kind) || kind === "registration";
/** Who asked for a link has asked again by then; the page of a sign-in has ended. */
const giveUpMs = (kind: MailKind): number => {
  if (isSignIn(kind)) return LINK_SECONDS[kind] * 1_000;
  return isAsked(kind) ? HOUR_MS : 24 * HOUR_MS;
};
/** All notices to one address, as a multiple of the mails of one kind. */
const NOTICES_FACTOR = 10;
const isStrangers = (kind: MailKind): boolean => isAsked(kind) || kind === "address-check";

/**
 * Sends what is due: of some tenants, or of those whose mails wait for another attempt, which costs one read where none
 * does. Errors of one tenant do not stop the others; throws the first one at the end, as `Noted` where a later call
 * tries each of them again.
 */
export async function mailDue(deps: MailDeps, only?: Iterable<string>): Promise<void> {
  const { table, clock } = deps;
  const nowMs = clock.now();
  const waiting = only ? [] : (await waitingTenants(table)).filter(({ dueMs }) => dueMs <= nowMs);
  const noted = new Map(waiting.map((each) => [each.tenant, each]));
  await eachNoted([...(only ?? noted.keys())], TENANTS_AT_ONCE, {
    async work(tenant) {
      const nextMs = await mailOf(deps, tenant);
      const known = noted.get(tenant);
      if (nextMs !== undefined) await noteWaiting(table, { tenant, dueMs: nextMs }, nowMs);
      else if (known) await forgetWaiting(table, known);
    },
    note: (tenant) => noteWaiting(table, { tenant, dueMs: nowMs }, nowMs),
  });
}

/** Sends what is due in a tenant. Returns when the next mail is due; `undefined` where none is left. */
async function mailOf(deps: MailDeps, tenant: string): Promise<number | undefined> {
  const { table, clock, untilMs } = deps;
  for (;;) {
    const waiting = await waitingMails(table, tenant, PAGE);
    const due = waiting.filter(({ dueMs }) => dueMs <= clock.now());
    if (due.length === 0 || clock.now() >= untilMs) return waiting[0]?.dueMs;
    await concurrently(due, AT_ONCE, (mail) => work(deps, mail));
  }
}

async function work(deps: MailDeps, mail: WaitingMail): Promise<void> {
  const { table, clock, untilMs, report } = deps;
  if (clock.now() >= untilMs) return;
  const taken = await moved(table, mail, clock.now() + LEASE_MS);
  if (!taken) return;
  const outcome = await attempt(deps, taken);
  const lagMs = Math.max(0, clock.now() - taken.askedMs);
  const line = { tenant: taken.tenant, kind: taken.kind, lagMs };
  if ("sent" in outcome || outcome.isFinal) {
    await table.write(removingMail(taken));
    // An account that gets no mail leaves no line: the log does not say whether a name exists.
    if (!("sent" in outcome)) report({ ...line, sent: 0, failure: outcome.failure, isGivenUp: true });
    else if (outcome.sent > 0) report({ ...line, sent: outcome.sent });
    return;
  }
  const { failure, defect } = outcome;
  const failures = taken.failures + 1;
  const nextMs = clock.now() + waitMs(failures, 0, deps.random());
  const isGivenUp = nextMs - taken.askedMs >= giveUpMs(taken.kind);
  if (isGivenUp) await table.write(removingMail(taken));
  else await moved(table, taken, nextMs, failures);
  report({ ...line, sent: 0, failure, defect, ...(isGivenUp && { isGivenUp }) });
}

type Outcome =
  | { readonly sent: number }
  | { readonly failure: string; readonly isFinal: boolean; readonly defect?: unknown };

/** One attempt. Its failure says nothing of the account and the address. */
async function attempt(deps: MailDeps, mail: WaitingMail): Promise<Outcome> {
  const { sender, brandOf, clock } = deps;
  const { tenant } = mail;
  try {
    const found = await addressed(mail, deps);
    if (!found) return { sent: 0 };
    const { to, letter, language, ready } = found;
    if (await isStopped(deps, mail, found)) return { sent: 0 };
    // A mail that was counted before is not counted again.
    if (mail.failures === 0 && (await isTooMany(deps, mail, to))) return { sent: 0 };
    await ready?.();
    const look = { language, brand: brandOf(tenant), tenant };
    await handOver(await compose({ letter, look, sender, to, nowMs: clock.now() }), deps);
    return { sent: 1 };
  } catch (error) {
    if (error instanceof MailRefused) return { failure: error.message, isFinal: true };
    return { failure: "The mail could not be sent.", isFinal: false, defect: error };
  }
}

/** Sends a message. A recipient that the server does not know is marked as one whose mails come back. */
async function handOver(message: Message, { send, table, clock, reportMark }: MailDeps): Promise<void> {
  try {
    await send(message);
  } catch (error) {
    if (error instanceof MailRefused && error.isNoMailbox) {
      const { tenant, to } = message;
      await markAddress(table, tenant, to, { kind: "bounced", sentMs: clock.now() });
      reportMark({ tenant, mark: "bounced" });
    }
    throw error;
  }
}

/**
 * Whether an address has a mark (decision 0188). After a complaint, a person still gets the ways into the account,
 * which no other address gets.
 */
async function isStopped({ table }: MailDeps, { tenant, kind }: WaitingMail, { to, sinceMs }: Addressed) {
  const [marks] = await mailMarks(table, tenant, [to]);
  const mark = marks && markOf(marks, sinceMs);
  return mark !== undefined && (mark.kind === "bounced" || !(isRecovery(kind) || isSignIn(kind)));
}

/**
 * Whether an address, or a user who has addresses checked, has had enough mails in this hour. The kinds that go to an
 * address which anybody may have named count together, and so do those of sign-ins. Invitations, and each kind of
 * notices of each user, have counts of their own, which no other request raises: otherwise a thief hides a notice by
 * causing other mails first.
 */
async function isTooMany({ table, limits, clock }: MailDeps, mail: WaitingMail, to: string): Promise<boolean> {
  const { tenant, kind, about } = mail;
  const { ofAddressMax, ofNameMax } = limits;
  const address = to.toLowerCase();
  const isBeyond = async (counted: Omit<Counted, "tenant">, max: number) =>
    (await countMail(table, { tenant, ...counted }, clock.now())) > max;
  if (isNotice(kind)) {
    const own = { kind: "address", value: `${kind}\n${about}\n${address}` } as const;
    if (await isBeyond(own, ofAddressMax)) return true;
    return isBeyond({ kind: "address", value: `notices\n${address}` }, NOTICES_FACTOR * ofAddressMax);
  }
  const group = isSignIn(kind) ? `sign-in${mail.isKnown ? " of somebody known" : ""}` : kind;
  const value = isStrangers(kind) ? address : `${group}\n${address}`;
  if (await isBeyond({ kind: "address", value }, ofAddressMax)) return true;
  return kind === "address-check" && isBeyond({ kind: "name", value: `${kind}\n${about}` }, ofNameMax);
}

/** Moves a mail to another time; `undefined` where another worker was first. */
async function moved(table: Table, mail: WaitingMail, dueMs: number, failures?: number) {
  try {
    return await moveMail(table, mail, dueMs, failures);
  } catch (error) {
    if (isStale(error)) return undefined;
    throw error;
  }
}
