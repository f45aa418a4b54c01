/**
 * The mails that follow from changes of users: invitations, checks of addresses, and notices for the person whom a
 * change concerns (decision 0182). Each is queued in the transaction of its change.
 */
import type { Step } from "../../database/table/table.ts";
import { refuse } from "../../kernel/faults.ts";
import { foldName } from "../../kernel/fold.ts";
import type { Mail, NoticeKind } from "../../tokens/mail-model.ts";
import { addingMail } from "../../tokens/mail-store.ts";
import { asSent, mailAddressOf, noticeAddressOf, primaryAddress, unprovenAddresses } from "../users/address.ts";
import { isInvited, qualifiedName, systemAttributes, type User } from "../users/model.ts";
import type { FactorKind } from "./account-flags.ts";

/** When a user of which tenant is changed. */
interface Occasion {
  readonly tenant: string;
  readonly now: number;
}

/** A change of a user, or a new one. */
interface Writing extends Occasion {
  /** Whether passwords of the user are set in a directory. */
  readonly elsewhere: boolean;
}

/** A change, with what the user before and after it does not show. */
interface Change extends Writing {
  /** The new password. */
  readonly password: string | undefined;
  /** The second factor that was set up. */
  readonly setUp: FactorKind | undefined;
  /** The second factors that were taken away. */
  readonly takenAway: readonly FactorKind[];
  /** Where the person was who made the change of the own account. */
  readonly sourceIp: string | undefined;
}

/** A change can add more addresses; the person can have each of the others checked by another change. */
const CHECKS_MAX = 5;
/** Of the languages of a deleted account. */
const LANGUAGE_LENGTH = 100;
const noticeOfFactor = {
  added: { codes: "codes-added", passkeys: "passkey-added" },
  removed: { codes: "codes-removed", passkeys: "passkeys-removed" },
} as const;

/**
 * Checks that an invitation which a change newly asks for can be sent: not in a deployment that sends no mail, nor
 * where passwords of the user are set `elsewhere`, in a directory. It waits for an address. Throws `request.invalid`.
 */
export function checkInvitation(
  before: Invitable | undefined,
  after: Invitable & Pick<User, "userStore">,
  { sendsMail, elsewhere }: { readonly sendsMail: boolean; readonly elsewhere: boolean },
): void {
  if (!isInvited(after.profile) || (before && isInvited(before.profile))) return;
  if (elsewhere) {
    throw refuse(
      `askPassword: users of ${after.userStore} get their passwords in the directory. Send a password, and not askPassword.`,
    );
  }
  if (after.hasPassword || sendsMail) return;
  throw refuse(
    "askPassword: this service sends no e-mail. Send a password instead, or ask the operator to set the section [email].",
  );
}

type Invitable = Pick<User, "profile" | "hasPassword">;

/** Whether a user is to choose its first password by the link of a mail. */
export function waitsForPassword({ profile, hasPassword }: Invitable): boolean {
  return isInvited(profile) && !hasPassword;
}

/** Whether an invitation is due: it is newly asked for, or goes to an address that there was not before. */
function isInvitationDue(before: User | undefined, after: User): boolean {
  const to = mailAddressOf(after);
  if (to === undefined || !waitsForPassword(after)) return false;
  return !before || !waitsForPassword(before) || mailAddressOf(before) !== to;
}

/** The mails of a new user. */
export function mailsOfNew(user: User, writing: Writing): readonly Step[] {
  const queue = queueing(user.id, writing);
  const checks = writing.elsewhere ? [] : uncheckedAddresses(user);
  return [
    ...(isInvitationDue(undefined, user) ? [queue({ kind: "invitation" })] : []),
    ...checks.map((address) => queue({ kind: "address-check", address })),
  ];
}

/**
 * The mails of a change. A user who chooses a first password knows of it. Notices go to the address that counted before
 * the change.
 */
export function mailsOfChange(before: User, after: User, change: Change): readonly Step[] {
  const { password, setUp, takenAway, elsewhere, sourceIp } = change;
  const queue = queueing(after.id, change);
  const address = noticeAddressOf(before);
  const notices: readonly NoticeKind[] = [
    ...(password !== undefined && (before.hasPassword || elsewhere) ? (["password-changed"] as const) : []),
    ...(setUp ? [noticeOfFactor.added[setUp]] : []),
    ...takenAway.map((kind) => noticeOfFactor.removed[kind]),
    ...(foldName(after.userName) === foldName(before.userName) ? [] : (["renamed"] as const)),
    ...(address !== undefined && isReplacedBy(address, before, after) ? (["address-changed"] as const) : []),
  ];
  // Links do not count for users of a directory: no passwords are set here, and no addresses are kept.
  const checks = elsewhere ? [] : addressesToCheck(before, after);
  return [
    ...(isInvitationDue(before, after) ? [queue({ kind: "invitation" })] : []),
    ...(address === undefined
      ? []
      : notices.map((kind) => {
          const userName = qualifiedName(kind === "renamed" ? after : before);
          return queue({ kind, address, sourceIp, userName });
        })),
    ...checks.map((each) => queue({ kind: "address-check", address: each })),
  ];
}

/** The notice of a deletion, which has all that it says: the user is gone when it is written. */
export function mailsOfDeletion(
  user: User,
  occasion: Occasion & { readonly sourceIp: string | undefined },
): readonly Step[] {
  const address = noticeAddressOf(user);
  const { preferredLanguage, locale } = user.profile;
  const language = [preferredLanguage, locale]
    .find((each) => typeof each === "string")
    ?.slice(0, LANGUAGE_LENGTH)
    .toWellFormed();
  const userName = qualifiedName(user);
  const mail = { kind: "deleted", address, userName, sourceIp: occasion.sourceIp, language } as const;
  return address === undefined ? [] : [queueing(user.id, occasion)(mail)];
}

/** The notice of a sign-in in a browser that is not known to be one of the user. */
export function mailsOfNewDevice(
  user: User,
  occasion: Occasion & Pick<Mail, "sourceIp" | "userAgent">,
): readonly Step[] {
  const address = noticeAddressOf(user);
  const { sourceIp, userAgent } = occasion;
  const mail = { kind: "new-device", address, sourceIp, userAgent, userName: qualifiedName(user) } as const;
  return address === undefined ? [] : [queueing(user.id, occasion)(mail)];
}

/** Whether the caller of a change could act as the user after it, by a link that goes to an address that it writes. */
export function readdresses(before: User, after: User): boolean {
  const [was, is] = [mailAddressOf(before), mailAddressOf(after)];
  return (is !== undefined && is !== was) || (waitsForPassword(after) && !waitsForPassword(before));
}

/**
 * Until when links of the user do not count after a change: one of the address for mail, or of whether an invitation
 * waits, ends those that were sent before, also where it is taken back later.
 */
export function linksEndedMs(before: User, after: Omit<User, "linksEndedMs">, now: number): number | undefined {
  const isSame =
    mailAddressOf(before) === mailAddressOf(after) && isInvited(before.profile) === isInvited(after.profile);
  return isSame ? before.linksEndedMs : Math.max(now, before.linksEndedMs ?? 0);
}

/** The addresses of a user that wait for a check. */
export function uncheckedAddresses(user: Pick<User, "profile" | "unproven">): readonly string[] {
  const primary = asksForCheck(user) ? primaryAddress(user.profile) : undefined;
  const all = [...unprovenAddresses(user), ...(primary === undefined ? [] : [primary])];
  return [...new Set(all)].slice(0, CHECKS_MAX);
}

function asksForCheck({ profile }: Pick<User, "profile">): boolean {
  return systemAttributes(profile).verifyEmail === true;
}

/** Whether mail for the user goes to another address after a change, or will once that one is verified. */
function isReplacedBy(address: string, before: User, after: User): boolean {
  if (noticeAddressOf(after) !== address) return true;
  return isReplaced(address, after) && !isReplaced(address, before);
}

function isReplaced(address: string, { profile }: User): boolean {
  const value = primaryAddress(profile);
  return value === undefined || asSent(value)?.toLowerCase() !== address.toLowerCase();
}

function addressesToCheck(before: User, after: User): readonly string[] {
  const had = new Set(uncheckedAddresses(before).map(foldName));
  return uncheckedAddresses(after).filter((address) => !had.has(foldName(address)));
}

function queueing(about: string, { tenant, now }: Occasion) {
  return (mail: Omit<Mail, "tenant" | "about" | "askedMs" | "failures">): Step =>
    addingMail({ ...mail, tenant, about, askedMs: now });
}
