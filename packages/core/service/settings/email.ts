/** The section `[email]` of deployment.toml. */
import type { MailLimits, MailSettings } from "../../events/mail/model.ts";
import { readAddress } from "../../kernel/mail-address.ts";
import * as z from "../../kernel/zod.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

/** A name before an address in angle brackets. */
const NAMED = /^(?:([^<>\r\n]*)<([^<>]*)>|([^<>]*))$/;
const NAME_MAX = 100;
const SMTP_PORT = 587;

const limit = (value: number) => z.int().min(1).max(1_000).default(value);

const Email = table({
  sender: z.string().superRefine((text, context) => {
    const problem = problemOf(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  }),
  provider: z.enum(["ses", "smtp", "outbox"]),
  smtp_host: z
    .string()
    .regex(/^[A-Za-z0-9.:-]{1,253}$/, { error: "must be the name of a server" })
    .optional(),
  smtp_port: z.int().min(1).max(65_535).default(SMTP_PORT),
  smtp_user: z.string().min(1).max(255).optional(),
  mails_per_name: limit(5),
  mails_per_address: limit(10),
  requests_per_source: limit(60),
}).superRefine(({ provider, smtp_host: host, smtp_user: user }, context) => {
  if (provider === "smtp" && host === undefined) {
    context.addIssue({ code: "custom", path: ["smtp_host"], message: 'is required with provider = "smtp"' });
  }
  if (provider !== "smtp" && (host ?? user) !== undefined) {
    const path = [host === undefined ? "smtp_user" : "smtp_host"];
    context.addIssue({ code: "custom", path, message: 'is for provider = "smtp" alone' });
  }
});

/** Whether and how the service sends e-mail. */
export const emailSection = section(
  { email: Email.optional() },
  ({ email }): { readonly mail: { readonly settings: MailSettings | undefined; readonly limits: MailLimits } } => ({
    mail: { settings: email && settingsOf(email), limits: email ? limitsOf(email) : defaultLimits },
  }),
);

const defaultLimits: MailLimits = { ofNameMax: 5, ofAddressMax: 10, ofSourceMax: 60 };

function limitsOf(email: z.output<typeof Email>): MailLimits {
  return {
    ofNameMax: email.mails_per_name,
    ofAddressMax: email.mails_per_address,
    ofSourceMax: email.requests_per_source,
  };
}

function settingsOf({ sender, provider, smtp_host: host, smtp_port: port, smtp_user: user }: z.output<typeof Email>) {
  const { name, address } = senderOf(sender);
  const read = readAddress(address);
  return {
    sender: { name, address: "address" in read ? read.address : address },
    provider,
    ...(host !== undefined && { smtp: { host, port, user } }),
  };
}

function problemOf(text: string): string | undefined {
  const { name, address } = senderOf(text);
  const read = readAddress(address);
  if ("problem" in read) return `the address ${read.problem}`;
  if (/\p{Cc}/u.test(name) || name.length > NAME_MAX) {
    return `the name before the address must have at most ${NAME_MAX} characters, and no control character`;
  }
  return undefined;
}

function senderOf(text: string): { readonly name: string; readonly address: string } {
  const [, name = "", bracketed, bare = ""] = NAMED.exec(text.trim()) ?? [];
  return { name: name.trim().replace(/^"(.*)"$/, "$1"), address: (bracketed ?? bare).trim() };
}
