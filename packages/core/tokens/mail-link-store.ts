/**
 * Links in mails (decision 0181): a handle of 256 random bits, of which the table has the digest alone. A link is for
 * one purpose of one user of one tenant, counts once, has an end, and ends with the password and the address of its
 * user: any revocation of the user's tokens ends it (decision 0021).
 */
import { keys } from "../database/table/keys.ts";
import { number, oneOf, optional, rowCodec, text } from "../database/table/row.ts";
import type { Step, Table } from "../database/table/table.ts";
import { digestOf, isOpaque, newOpaque } from "./opaque.ts";
import { isEndedBy, revocationStore, subjects } from "./revocation-store.ts";
import { putting } from "./unconditional.ts";

/** What each handle is for, with what it begins with: one of another purpose is not even looked up. */
const prefixes = {
  /** The link of the mail. */
  "password-link": "ml_",
  /** What the API gives for it, to set the password with. */
  "password-reset": "nw_",
  /** The link that a new user chooses its first password with. */
  invitation: "iv_",
  /** The link that somebody creates the own account with. */
  registration: "rg_",
  /** The link that shows that the person reads an address. */
  "address-check": "va_",
  /** The code that proves, with the form that waits for it, that the person reads the mailbox. */
  "sign-in-code": "sc_",
  /** The link that proves the same in the browser that asked for it. */
  "sign-in-link": "sl_",
} as const;
export type LinkPurpose = keyof typeof prefixes;

const DAY_SECONDS = 24 * 60 * 60;
/** How long each of them counts. */
export const LINK_SECONDS = {
  "password-link": 30 * 60,
  "password-reset": 10 * 60,
  invitation: DAY_SECONDS,
  registration: DAY_SECONDS,
  "address-check": DAY_SECONDS,
  "sign-in-code": 10 * 60,
  "sign-in-link": 10 * 60,
} as const;

/** What a link is for. */
export interface MailLink {
  readonly purpose: LinkPurpose;
  readonly tenant: string;
  /** Empty for a registration: there is no user yet. */
  readonly userId: string;
  /** The digest of the address that the mail went to. */
  readonly address: string;
  /** The address itself, of a registration: the user will have it. */
  readonly registers?: string | undefined;
  /** The digest of the code of the recovery by API, or of the text of the form, that asked for it. */
  readonly flow?: string | undefined;
  /** The sealed form that the link continues in the browser that asked for it. */
  readonly page?: string | undefined;
  readonly issuedAtSeconds: number;
  /** Later than the clock where a revocation is dated ahead. */
  readonly issuedMs: number;
}

const rows = rowCodec<MailLink & { readonly expiresAtSeconds: number }>("link of a mail", {
  purpose: oneOf(...(Object.keys(prefixes) as [LinkPurpose, ...LinkPurpose[]])),
  tenant: text,
  userId: text,
  address: text,
  registers: optional(text),
  flow: optional(text),
  page: optional(text),
  issuedAtSeconds: number,
  issuedMs: number,
  expiresAtSeconds: number,
});

/** A link that was found by its handle. */
export interface FoundLink extends MailLink {
  readonly digest: string;
}

/** The link was used, or has ended. */
export class LinkEnded extends Error {}

/** The digest of an address, as links have it. */
export function addressDigest(address: string): string {
  return digestOf(address.toLowerCase());
}

/**
 * When a link of now begins to count: after everything that has ended links of the user (`linksEndedMs`, and
 * revocations). One round trip.
 */
export async function linkTimes(
  table: Table,
  tenant: string,
  { id, linksEndedMs = -1 }: { readonly id: string; readonly linksEndedMs?: number | undefined },
  nowMs: number,
) {
  const [fromMs = 0] = await revocationStore(table).validFrom(tenant, [subjects.user(id)]);
  return { issuedAtSeconds: Math.floor(nowMs / 1_000), issuedMs: Math.max(nowMs, fromMs, linksEndedMs + 1) };
}

/** The handle of a short code: it counts with the random text of the form that asked for it. */
export function codeHandle(flow: string, code: string): string {
  return `${prefixes["sign-in-code"]}${digestOf(`${flow}\n${code}`)}`;
}

/** A new handle, or the one that is given, and the step that stores what it is for. */
export function addingLink(
  link: MailLink,
  handle = newOpaque(prefixes[link.purpose]),
): { readonly handle: string; readonly step: Step } {
  const expiresAtSeconds = link.issuedAtSeconds + LINK_SECONDS[link.purpose];
  const put = { ...keys.mailLink(digestOf(handle)), ...rows.write({ ...link, expiresAtSeconds }) };
  return { handle, step: putting(put) };
}

/**
 * The link of a handle, in the tenant of the request if one is given; `undefined` where there is none, or it has
 * ended. It does not say whether it counts for its user (`isCurrent`). One round trip.
 */
export async function findLink(
  table: Table,
  handle: string,
  { purposes, tenant }: { readonly purposes: readonly LinkPurpose[]; readonly tenant?: string },
  nowMs: number,
): Promise<FoundLink | undefined> {
  const purpose = purposes.find((each) => isOpaque(handle, prefixes[each]));
  if (purpose === undefined) return undefined;
  const digest = digestOf(handle);
  const item = await table.get(keys.mailLink(digest));
  if (!item) return undefined;
  const { expiresAtSeconds, ...link } = rows.read(item);
  const isIts = link.purpose === purpose && (tenant === undefined || link.tenant === tenant);
  return isIts && expiresAtSeconds * 1_000 > nowMs ? { ...link, digest } : undefined;
}

/** Who has registered an address last, and the step by which another user does. */
export interface AddressClaim {
  readonly step: (userId: string) => Step;
}

/**
 * The claim of an address: of several registrations at once, by whatever links, one succeeds. Read it before it is
 * checked that no user has the address; its step throws `LinkEnded` where another registration came between. One round
 * trip.
 */
export async function addressClaim(table: Table, link: FoundLink, nowMs: number): Promise<AddressClaim> {
  const { tenant, address } = link;
  const key = keys.mailLink(digestOf(`registration\n${tenant}\n${address}`));
  const before = await table.get(key);
  const issuedAtSeconds = Math.floor(nowMs / 1_000);
  const expiresAtSeconds = issuedAtSeconds + 2 * LINK_SECONDS.registration;
  const otherwise = () => new LinkEnded();
  return {
    step(userId) {
      const claim = { purpose: "registration", tenant, userId, address, issuedAtSeconds, issuedMs: nowMs } as const;
      const put = { ...key, ...rows.write({ ...claim, expiresAtSeconds }) };
      const when = before ? { equal: { userId: rows.read(before).userId } } : "absent";
      return { put, when, otherwise };
    },
  };
}

/** Whether nothing has ended the link since it was sent: no other password, no lock, no sign-out everywhere. */
export async function isCurrent(table: Table, link: MailLink, nowMs: number): Promise<boolean> {
  const [fromMs = 0] = await revocationStore(table).validFrom(link.tenant, [subjects.user(link.userId)]);
  return !isEndedBy(fromMs, link, nowMs);
}

/** The step that uses a link up. It throws `LinkEnded` where it was used before. */
export function usingLink({ digest }: FoundLink): Step {
  return { remove: keys.mailLink(digest), when: "present", otherwise: () => new LinkEnded() };
}
