/**
 * Sends mails: the only function that composes and sends them. A schedule calls it every minute, EventBridge with what
 * Amazon SES tells of a mail, and the local service with `{ all: true }`; the gateway does not reach it.
 */
import { openDocumentClient } from "#core/database/table/client/document-client.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import type { Table } from "#core/database/table/table.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { declaredUsers } from "#core/directory/users/declared.ts";
import { userStore } from "#core/directory/users/store.ts";
import type { MailDeps } from "#core/events/mail/deps.ts";
import { openMail } from "#core/events/mail/open.ts";
import { newMailWorker } from "#core/events/mail/worker.ts";
import { newDeliveryReport } from "#core/http/observe-delivery.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { emailSection } from "#core/service/settings/email.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { signInSection } from "#core/service/settings/sign-in.ts";
import { userStoreNames, userStoreSection } from "#core/service/settings/user-stores.ts";
import { deploymentFile, mailSurroundings, publicUrl, tableConfig } from "./env.ts";

const deployment = sectionsFromFile(deploymentFile(), [emailSection, signInSection, userStoreSection]);
const surroundings = mailSurroundings();
const mail = openMail(deployment.mail.settings, surroundings);
const origin = publicUrl();
const report = newDeliveryReport("mail");
// Passwords of directories are recovered there, and their network need not lead to who sends mails: none is asked.
const userStoresOf = userStoreNames(deployment.userStores.filter(({ directory }) => directory === undefined));

function depsOf(table: Table, untilMs: number): Omit<MailDeps, "sender" | "send"> {
  return {
    table,
    users: declaredUsers(userStore(table), userStoresOf),
    tenants: tenantStore(table),
    brandOf: deployment.signIn.brandOf,
    limits: deployment.mail.limits,
    origin,
    clock: systemClock,
    report: report.mailed,
    reportMark: report.marked,
    random: Math.random,
    untilMs,
  };
}

export const handler = newMailWorker({
  open: openTable({ ...tableConfig({ callMs: 9_000, requestMs: 55_000 }), openClient: openDocumentClient }),
  depsOf: mail && ((table, untilMs) => ({ ...depsOf(table, untilMs), ...mail })),
  configurationSet: surroundings.configurationSet,
  tenantsOf: async (table) => [SUPER_TENANT, ...(await tenantStore(table).domains())],
  defect: report.defect,
  clock: systemClock,
});
