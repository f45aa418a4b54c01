/** Sends an invitation, or the check of an address, again, for an administrator (decision 0182). */
import type { Table } from "../../database/table/table.ts";
import { uncheckedAddresses, waitsForPassword } from "../../directory/provisioning/mails.ts";
import { addressesIn, asSent, noticeAddressOf, sinceMs } from "../../directory/users/address.ts";
import { maySignIn, type User } from "../../directory/users/model.ts";
import { Fault, refuse } from "../../kernel/faults.ts";
import type { RequestContext } from "../../kernel/operation/context.ts";
import type * as z from "../../kernel/zod.ts";
import { type Mark, mailMarks, markOf, resuming } from "../../tokens/mail-mark-store.ts";
import type { Mail } from "../../tokens/mail-model.ts";
import { addingMail, countMail } from "../../tokens/mail-store.ts";
import type { RecoveryStores } from "./context.ts";
import type { ResendCodeRequest } from "./shapes.ts";
import { recoveryOff } from "./tenant.ts";

const SCENARIO = "RecoveryScenario";
/** Ours: says that mails go to a marked address again (decision 0188). */
const RESUME = "ResumeMails";
const PRIMARY = "PRIMARY";

/** The mails of each scenario; none where nothing waits. */
const scenarios: Readonly<Record<string, (user: User) => readonly Pick<Mail, "kind" | "address">[]>> = {
  ASK_PASSWORD: (user) => (waitsForPassword(user) ? [{ kind: "invitation" }] : []),
  EMAIL_VERIFICATION: checks,
  EMAIL_VERIFICATION_ON_UPDATE: checks,
};

/**
 * Queues the mails. Throws `request.invalid` for an unknown scenario, an address with a mark, or where nothing waits,
 * `recovery.unknown_user`, `recovery.throttled` for too many in an hour, and `recovery.off` where no mail is sent.
 */
export async function resend(
  { user: named, properties }: z.infer<typeof ResendCodeRequest>,
  { table, users, tools, principal, now, identitiesAs }: RequestContext & RecoveryStores,
): Promise<void> {
  const { tenant } = principal;
  if (!tools.sendsMail) throw recoveryOff();
  const scenario = properties.find(({ key }) => key === SCENARIO)?.value ?? "";
  const mailsOf = Object.hasOwn(scenarios, scenario) ? scenarios[scenario] : undefined;
  if (!mailsOf) {
    throw refuse(
      `body.properties: must have the key ${SCENARIO} with one of the values ${Object.keys(scenarios).join(", ")}.`,
    );
  }
  const domain = named["tenant-domain"];
  if (domain !== undefined && domain !== tenant) {
    throw refuse(`body.user.tenant-domain: must be ${tenant}, the tenant of your credential.`);
  }
  const { username: name, realm: userStore = PRIMARY } = named;
  // Neither passwords nor addresses of a directory are set by links.
  if (!identitiesAs(principal).userStores.includes(userStore)) {
    throw refuse(`body.user.realm: must be a user store of this service, and no directory: ${userStore}.`);
  }
  const id = await users.idOf({ tenant, userStore, name });
  const user = id === undefined ? undefined : await users.find(tenant, id);
  if (!user) throw new Fault("recovery.unknown_user", `There is no user ${name} in the user store ${userStore}.`);
  const due = mailsOf(user);
  const isInvitation = scenario === "ASK_PASSWORD";
  const marked = await markedAddresses(user, isInvitation ? undefined : due, { table, tenant });
  const resumes = properties.some(({ key, value }) => key === RESUME && value === "true");
  const [first] = marked;
  if (first && !resumes && (due.length > 0 || !isInvitation)) throw refuse(sentenceOf(first));
  // Whether mails arrive there is found out by the check of the address.
  const again = isInvitation ? [] : marked.filter((one) => due.every(({ address }) => address !== one.address));
  const mails = [...due, ...again.map(({ address }) => ({ kind: "address-check", address }) as const)];
  if (mails.length === 0 || !maySignIn(user)) {
    throw refuse(`The user waits for no mail of the scenario ${scenario}, or may not sign in.`);
  }
  const counted = { tenant, kind: "name", value: `resend\n${user.id}` } as const;
  if ((await countMail(table, counted, now)) > tools.limits.ofNameMax) {
    throw new Fault("recovery.throttled", "Too many mails were sent to this user. Wait an hour, then try again.");
  }
  await table.write(
    ...marked.map(({ to }) => resuming(tenant, to, now)),
    ...mails.map((mail) => addingMail({ ...mail, tenant, about: user.id, askedMs: now })),
  );
}

/** An address of a user, as it is written and as mails are sent to it, and why none go there. */
interface MarkedAddress extends Mark {
  readonly address: string;
  readonly to: string;
}

/** The marked ones of the address to which notices go, and of those that are `checked`. One round trip. */
async function markedAddresses(
  user: User,
  checked: readonly Pick<Mail, "address">[] = [],
  { table, tenant }: { readonly table: Table; readonly tenant: string },
): Promise<readonly MarkedAddress[]> {
  const own = noticeAddressOf(user);
  const asked = addressesIn(user.profile).flatMap((address) => {
    const to = asSent(address);
    const isAsked = to === own || checked.some((one) => one.address === address);
    return to !== undefined && isAsked ? [{ address, to }] : [];
  });
  const marks = await mailMarks(
    table,
    tenant,
    asked.map(({ to }) => to),
  );
  return asked.flatMap(({ address, to }, at) => {
    const known = marks[at];
    const mark = known && markOf(known, sinceMs(user, to));
    return mark ? [{ address, to, ...mark }] : [];
  });
}

function sentenceOf({ address, kind, sentMs }: MarkedAddress): string {
  const day = new Date(sentMs).toISOString().slice(0, 10);
  const what =
    kind === "bounced"
      ? `A mail to ${address} came back on ${day}: there is no such mailbox, or it takes no mail. No more are sent there.`
      : `A mail to ${address} of ${day} was reported as unwanted. Nothing is sent there but ways into the account.`;
  return `${what} Correct the address, or add the property ${RESUME} with the value true to send there again.`;
}

function checks(user: User): readonly Pick<Mail, "kind" | "address">[] {
  return uncheckedAddresses(user).map((address) => ({ kind: "address-check", address }));
}
