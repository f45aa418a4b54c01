/**
 * Composes messages (RFC 5322, 2045 to 2047) by `nodemailer`, which reads no file and no address for them. Loaded by
 * the function that sends.
 */
import { randomBytes } from "node:crypto";
import MailComposer from "nodemailer/lib/mail-composer";
import { readAddress } from "../../kernel/mail-address.ts";
import { htmlOf, type Look, plainLine, textOf } from "./letter.ts";
import { type Letter, MailRefused, type Message, type Sender } from "./model.ts";

/** What a message is made of. */
export interface Composing {
  readonly letter: Letter;
  readonly look: Look;
  readonly sender: Sender;
  /** The address of the one recipient. */
  readonly to: string;
  readonly nowMs: number;
}

const LINE_MAX = 998;

/**
 * The message with its bytes: lines end in CRLF, none is longer than 998 bytes. Throws `MailRefused` for a recipient
 * that is none: the composer would mend it into another one.
 */
export async function compose({ letter, look, sender, to, nowMs }: Composing): Promise<Message> {
  const recipient = readAddress(to);
  if ("problem" in recipient) throw new MailRefused(`The address ${recipient.problem}.`);
  const { address } = recipient;
  const domain = sender.address.slice(sender.address.lastIndexOf("@") + 1);
  const composer = new MailComposer({
    from: { name: plainLine(sender.name), address: sender.address },
    to: { name: "", address },
    subject: plainLine(letter.subject),
    text: textOf(letter, look),
    html: htmlOf(letter, look),
    date: new Date(nowMs),
    messageId: `<${randomBytes(16).toString("hex")}@${domain}>`,
    headers: {
      // RFC 3834 section 5.2, and what Exchange reads in its place: no answer of an absent person.
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      "Content-Language": look.language,
    },
    newline: "windows",
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const bytes = await composer.compile().build();
  checkLines(bytes);
  return { tenant: look.tenant, from: sender.address, to: address, bytes };
}

/** A defect of the composer must not leave the service. */
function checkLines(bytes: Buffer): void {
  const text = bytes.toString("latin1");
  const lines = text.split("\r\n");
  if (lines.some((line) => line.length > LINE_MAX || /[\r\n]/.test(line))) {
    throw new Error("a composed message has a line that is too long, or that does not end in CRLF");
  }
}
