/** Whether this deployment sends mails. */

import type { MailSettings } from "#core/events/mail/model.ts";
import { sendsMail } from "#core/events/mail/open.ts";
import { mailSurroundings } from "./env.ts";

/** Whether mails are sent: as the section [email] says, and where there is an outbox. */
export const sendsMails = ({ mail }: { readonly mail: { readonly settings: MailSettings | undefined } }): boolean =>
  sendsMail(mail.settings, mailSurroundings().outbox);
