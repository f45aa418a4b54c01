/** Mails that are due: what the worker decides by, when it writes them. */

/** What people are told of that has happened to their account. */
export const noticeKinds = [
  "password-changed",
  "address-changed",
  "codes-added",
  "codes-removed",
  "passkey-added",
  "passkeys-removed",
  "renamed",
  "deleted",
  "new-device",
] as const;
export type NoticeKind = (typeof noticeKinds)[number];
/** What a mail is about. */
export const mailKinds = [
  "password-link",
  "user-names",
  "registration",
  "invitation",
  "address-check",
  "sign-in-code",
  "sign-in-link",
  ...noticeKinds,
] as const;
export type MailKind = (typeof mailKinds)[number];
export const isNotice = (kind: MailKind): kind is NoticeKind => noticeKinds.some((each) => each === kind);
/** What leads somebody back to an account. */
export type RecoveryKind = Extract<MailKind, "password-link" | "user-names">;
/** What proves at a sign-in that somebody reads the mailbox. */
export type SignInKind = Extract<MailKind, "sign-in-code" | "sign-in-link">;
export const isSignIn = (kind: MailKind): kind is SignInKind => kind === "sign-in-code" || kind === "sign-in-link";
/** What anybody can ask for, with a name or an address. */
export type AskedKind = RecoveryKind | SignInKind | Extract<MailKind, "registration">;

/** A mail as a request asks for it. Who gets it is decided later, so that no request takes longer for some names. */
export interface Mail {
  readonly kind: MailKind;
  readonly tenant: string;
  /** Of mails that anybody can ask for, a name or an address as it was entered; of all others, the id of a user. */
  readonly about: string;
  /** The address that is checked, or that counted before. */
  readonly address?: string | undefined;
  /** Where the person was, or somebody who acts as the person, who caused the mail; and with what browser. */
  readonly sourceIp?: string | undefined;
  readonly userAgent?: string | undefined;
  /** Of notices: the name of the user then. */
  readonly userName?: string | undefined;
  /** The digest of the code of a recovery by API, or the text of a form of a sign-in, which the link belongs to. */
  readonly flow?: string | undefined;
  /** The sealed form that a link of a sign-in continues, and the tenant of its page. */
  readonly page?: string | undefined;
  readonly pageTenant?: string | undefined;
  /** The person has proven something else: strangers raise no count of these mails. */
  readonly isKnown?: boolean | undefined;
  /** The languages of the page or of a deleted account; absent: those of the profile of the person. */
  readonly language?: string | undefined;
  readonly askedMs: number;
  /** Attempts that failed. */
  readonly failures: number;
}

/** A mail in the queue. */
export interface WaitingMail extends Mail {
  readonly sortKey: string;
  readonly dueMs: number;
}
