/** What the operator decides about e-mail, and what a message consists of. */

/** An address with the name that is shown before it; empty for none. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** Through what messages leave: Amazon SES, a server by SMTP, or files of a directory. */
export type MailProvider = "ses" | "smtp" | "outbox";

/** Who sends, and how. */
export interface MailSettings {
  readonly sender: Sender;
  readonly provider: MailProvider;
  readonly smtp?: { readonly host: string; readonly port: number; readonly user: string | undefined };
}

/** How many mails may be asked for, in an hour by the clock. */
export interface MailLimits {
  /** Mails for one name that somebody enters. */
  readonly ofNameMax: number;
  /** Mails to one address. */
  readonly ofAddressMax: number;
  /** Requests of one source. */
  readonly ofSourceMax: number;
}

/** A part of a letter. HTML and text are made of the same parts, so that they say the same. */
export type Part =
  | string
  /** A link of this service. */
  | { readonly link: string; readonly label: string }
  | { readonly list: readonly string[] };

/** The tag by which Amazon SES names the tenant of a message in its events. */
export const TENANT_TAG = "tenant";

/** What a letter says. */
export interface Letter {
  readonly subject: string;
  readonly parts: readonly Part[];
}

/** A message as it leaves: whose mail it is, its envelope, and its bytes (RFC 5322). */
export interface Message {
  readonly tenant: string;
  readonly from: string;
  readonly to: string;
  readonly bytes: Uint8Array;
}

/**
 * Hands a message over. Throws `MailRefused` where the server never takes it, and any other error where another attempt
 * may succeed.
 */
export type SendMail = (message: Message) => Promise<void>;

/** The message will never be accepted; `isNoMailbox`: nor will another one for this recipient. */
export class MailRefused extends Error {
  readonly isNoMailbox: boolean;

  constructor(message: string, { isNoMailbox = false } = {}) {
    super(message);
    this.isNoMailbox = isNoMailbox;
  }
}
