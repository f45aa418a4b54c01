/** How messages leave a deployment. What a provider needs is loaded with the first message. */
import { later } from "../../kernel/later.ts";
import type { MailSettings, Sender, SendMail } from "./model.ts";

const { openOutbox } = later(() => import("./outbox.ts"), "openOutbox");
const { openSmtp } = later(() => import("./smtp.ts"), "openSmtp");
const { openSes } = later(() => import("./ses.ts"), "openSes");

/** The sender where the deployment names none: the messages stay on this machine. */
const LOCAL_SENDER: Sender = { name: "Identity Admin API", address: "no-reply@identity-admin.example" };

/** What the surroundings of a function say about e-mail. */
export interface MailSurroundings {
  /** The directory of the outbox; absent on AWS. */
  readonly outbox: string | undefined;
  /** The configuration set of Amazon SES; absent where the service is told nothing of mails that come back. */
  readonly configurationSet?: string | undefined;
  /** Throws an `Error` that names the variable where the settings name a user and it is not set. */
  readonly smtpPassword: () => string;
}

/** Whether mails are sent: as the settings say, and without settings where there is an outbox. */
export function sendsMail(settings: MailSettings | undefined, outbox: string | undefined): boolean {
  return settings === undefined || settings.provider === "outbox" ? outbox !== undefined : true;
}

/** Who sends mails, and how; `undefined` where none are sent. */
export function openMail(
  settings: MailSettings | undefined,
  { outbox, configurationSet, smtpPassword }: MailSurroundings,
): { readonly sender: Sender; readonly send: SendMail } | undefined {
  const sender = settings?.sender ?? LOCAL_SENDER;
  if (settings?.provider === "ses") return { sender, send: sendingBy(async () => openSes(configurationSet)) };
  if (settings?.smtp) {
    const { smtp } = settings;
    const password = smtp.user === undefined ? "" : smtpPassword();
    return { sender, send: sendingBy(async () => openSmtp(smtp, password)) };
  }
  return outbox === undefined ? undefined : { sender, send: sendingBy(async () => openOutbox(outbox)) };
}

/** Opened once for a container. */
function sendingBy(open: () => Promise<SendMail>): SendMail {
  let opened: Promise<SendMail> | undefined;
  return async (message) => {
    opened ??= open();
    await (await opened)(message);
  };
}
