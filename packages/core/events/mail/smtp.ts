/** Messages to a server by SMTP (RFC 5321), over TLS unless the server is on this machine. */
import { createTransport } from "nodemailer";
import { MailRefused, type MailSettings, type SendMail } from "./model.ts";

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const IMPLICIT_TLS_PORT = 465;
const TIMEOUT_MS = 10_000;

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
      throw isRefusal(error) ? new MailRefused("The mail server does not take the recipient.") : error;
    }
  };
}

/** A permanent refusal of the recipient: that of the sign-in to the server may end. */
function isRefusal(error: unknown): boolean {
  const { code, responseCode } = (error ?? {}) as { readonly code?: unknown; readonly responseCode?: unknown };
  return code === "EENVELOPE" && typeof responseCode === "number" && responseCode >= 500;
}
