/**
 * What Amazon SES tells of mails that came back, or that their readers took for spam (decision 0188): its events, as
 * EventBridge delivers them, at least once and in any order. An event marks the address that the mail was sent to.
 */
import * as z from "../../kernel/zod.ts";
import { type Mark, markAddress } from "../../tokens/mail-mark-store.ts";
import type { MailDeps } from "./deps.ts";
import { TENANT_TAG } from "./model.ts";

const SET_TAG = "ses:configuration-set";

const Recipients = z.array(z.object({ emailAddress: z.string() }));
const Event = z.object({
  source: z.literal("aws.ses"),
  detail: z.object({
    mail: z.object({
      timestamp: z.string(),
      destination: z.array(z.string()),
      tags: z.record(z.string(), z.array(z.string())),
    }),
    bounce: z.object({ bounceType: z.string(), bouncedRecipients: Recipients }).optional(),
    complaint: z
      .object({ complaintFeedbackType: z.string().nullable().optional(), complainedRecipients: Recipients })
      .optional(),
  }),
});

/** Reports that are no complaint of a reader (RFC 5965 section 7.3; RFC 6591). */
const NO_COMPLAINTS: readonly unknown[] = ["not-spam", "auth-failure"];

/** An event about a mail of this deployment. */
interface Told extends Mark {
  readonly tenant: string;
  readonly address: string;
}

/** What an event says; `undefined` where it is none of Amazon SES about the configuration set, or marks nothing. */
export function toldBy(event: unknown, configurationSet: string | undefined): Told | undefined {
  const parsed = Event.safeParse(event);
  if (!parsed.success || configurationSet === undefined) return undefined;
  const { mail, bounce, complaint } = parsed.data.detail;
  const [tenant] = mail.tags[TENANT_TAG] ?? [];
  const [to, ...others] = mail.destination;
  const sentMs = Date.parse(mail.timestamp);
  // Every mail has one recipient. One that was passed on comes back from another address, of which nothing is known.
  if (tenant === undefined || to === undefined || others.length > 0 || Number.isNaN(sentMs)) return undefined;
  if (!mail.tags[SET_TAG]?.includes(configurationSet)) return undefined;
  const names = (recipients: z.infer<typeof Recipients>) =>
    recipients.some(({ emailAddress }) => emailAddress.toLowerCase() === to.toLowerCase());
  const line = { tenant, address: to, sentMs };
  if (bounce) {
    return bounce.bounceType === "Permanent" && names(bounce.bouncedRecipients)
      ? { ...line, kind: "bounced" }
      : undefined;
  }
  const isComplaint = complaint && !NO_COMPLAINTS.includes(complaint.complaintFeedbackType);
  return isComplaint && names(complaint.complainedRecipients) ? { ...line, kind: "complained" } : undefined;
}

/** Marks the address of an event. Two round trips at most. */
export async function markTold(
  { tenant, address, ...mark }: Told,
  { table, tenants, clock, reportMark }: Pick<MailDeps, "table" | "tenants" | "clock" | "reportMark">,
): Promise<void> {
  if (!(await tenants.find(tenant))) return;
  // A clock that runs ahead would keep later marks from counting.
  await markAddress(table, tenant, address, { ...mark, sentMs: Math.min(mark.sentMs, clock.now()) });
  reportMark({ tenant, mark: mark.kind });
}
