/** Messages to a server by SMTP (RFC 5321), over TLS unless the server is on this machine. */
import { createTransport } from "nodemailer";
import { MailRefused, type MailSettings, type SendMail } from "./model.ts";

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const IMPLICIT_TLS_PORT = 465;
const TIMEOUT_MS = 10_000;
const NO_MAILBOX = new Set([550, 551, 553]);
/** A status, also one in the text, as qmail writes it; no part of an address in the internet. */
const STATUS = /(?<![\d.])5\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
const STATUS_OF_SENDER = new Set(["5.1.7", "5.1.8"]);

/** Opens a server for one container. `password`: of the user that the settings name. */
export function openSmtp({ host, port, user }: NonNullable<MailSettings["smtp"]>, password: string): SendMail {
  const transport = createTransport({
    host,
    port,
    secure: port === IMPLICIT_TLS_PORT,
    requireTLS: !LOOPBACK.has(host),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user !== undefined && { auth: { user, pass: password } }),
  });
  return async ({ from, to, bytes }) => {
    try {
      await transport.sendMail({ envelope: { from, to: [to] }, raw: Buffer.from(bytes) });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      throw new MailRefused("The mail server does not take the recipient.", { isNoMailbox: isNoMailbox(error) });
    }
  };
}

/** What `nodemailer` says of a server that did not take an envelope. */
interface Failure {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
  readonly responseCode?: unknown;
}

/** A permanent refusal of the recipient: that of the sign-in to the server may end. */
function isRefusal(error: unknown): error is Failure {
  const { code, responseCode } = (error ?? {}) as Failure;
  return code === "EENVELOPE" && typeof responseCode === "number" && responseCode >= 500;
}

/**
 * Whether the recipient is the reason, and not the sender or a rule of the server, such as that it relays nothing: by
 * the status (RFC 3463 sections 3.2 and 3.3), or where there is none by the reply (RFC 5321 section 4.2.3). A server
 * that takes no mails of ours must not mark every address.
 */
function isNoMailbox({ command, response, responseCode }: Failure): boolean {
  if (command !== "RCPT TO") return false;
  const text = String(response);
  const [status] = STATUS.exec(text) ?? [];
  if (status === undefined) return NO_MAILBOX.has(Number(responseCode)) && !/relay/i.test(text);
  return status === "5.2.1" || (status.startsWith("5.1.") && !STATUS_OF_SENDER.has(status));
}
