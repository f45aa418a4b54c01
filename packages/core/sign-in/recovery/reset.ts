/**
 * What the link of a mail does: it sets a password (decision 0181), which ends all sessions and tokens and lifts no
 * factor, or confirms an address (decision 0182).
 */
import { type PasswordProblem, passwordProblem } from "../../directory/credentials/password-rules.ts";
import { changeUser, type UserChangeRequest } from "../../directory/provisioning/users.ts";
import { oneOfMany } from "../../directory/users/best-value.ts";
import { maySignIn, systemAttributes, type User, withSystemAttributes } from "../../directory/users/model.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";
import {
  addingLink,
  type FoundLink,
  findLink,
  isCurrent,
  LinkEnded,
  type LinkPurpose,
  usingLink,
} from "../../tokens/mail-link-store.ts";
import { digestOf } from "../../tokens/opaque.ts";
import { addressOf, belongsTo } from "../mails/belongs.ts";
import type { RecoveryContext } from "./context.ts";

type Readers = Pick<RecoveryContext, "table" | "now"> & { readonly users: Pick<RecoveryContext["users"], "find"> };

/** A link that counts now, and its user. */
export interface Usable {
  readonly link: FoundLink;
  readonly user: User;
}

/**
 * The link of a handle, if it counts for a user who may sign in. `undefined` for any other: used, ended, of another
 * purpose, tenant or recovery, or older than the password or the address of its user. Up to three round trips.
 */
export async function usableLink(
  handle: string | undefined,
  purposes: readonly LinkPurpose[],
  tenant: string,
  context: Readers,
): Promise<Usable | undefined> {
  const link =
    handle === undefined ? undefined : await findLink(context.table, handle, { purposes, tenant }, context.now);
  const user = link && (await context.users.find(tenant, link.userId));
  return link && user && (await counts(link, user, context)) ? { link, user } : undefined;
}

/** Exchanges the link of a mail for a handle that sets the password. Throws `LinkEnded` where it was used meanwhile. */
export async function exchangeLink({ link }: Usable, { table, now }: RecoveryContext): Promise<string> {
  const { digest: _, ...same } = link;
  const issuedAtSeconds = Math.floor(now / 1_000);
  const { handle, step } = addingLink({ ...same, purpose: "password-reset", issuedAtSeconds });
  await table.write(usingLink(link), step);
  return handle;
}

/** Whether a link belongs to the recovery that a code is of. */
export function isOfFlow({ flow }: FoundLink, flowCode: string): boolean {
  return flow === digestOf(flowCode);
}

/** The rule that a new password breaks. */
export function problemOf(
  password: string,
  { link, user }: Usable,
  { tools }: RecoveryContext,
): PasswordProblem | undefined {
  const { userStore, userName: name } = user;
  return passwordProblem(password, { tenant: link.tenant, userStore, name }, tools.passwords);
}

/**
 * Sets the password and uses the link up, in one transaction. Of several that use one link, or links of one user, one
 * succeeds. Throws `LinkEnded` where the link does not count any more.
 */
export function setPassword(password: string, usable: Usable, context: RecoveryContext): Promise<void> {
  // Who uses the link of an invitation reads its address.
  const verified = usable.link.purpose === "invitation" && { emailVerified: true, verifyEmail: undefined };
  const changes = { forcePasswordReset: undefined, askPassword: undefined, ...verified };
  return using(usable, context, { change: (before) => ({ ...withSystemAttributes(before, changes), password }) });
}

/**
 * Confirms the address of a link, which counts from then on. Throws `LinkEnded` as `setPassword` does.
 */
export function confirmAddress(usable: Usable, context: RecoveryContext): Promise<void> {
  const { link, user } = usable;
  const address = addressOf(link, user.profile) ?? "";
  const change = (before: Resource): Resource => {
    const { verifiedEmailAddresses: verified } = systemAttributes(before);
    const isPrimary = oneOfMany(before.emails) === address;
    return withSystemAttributes(before, {
      verifiedEmailAddresses: [...new Set([...(Array.isArray(verified) ? verified : []), address])],
      ...(isPrimary && { emailVerified: true, verifyEmail: undefined }),
    });
  };
  return using(usable, context, { change, confirms: address });
}

/** Changes the user of a link and uses the link up. The record of the change names the user. */
async function using(
  { link, user }: Usable,
  context: RecoveryContext,
  request: Pick<UserChangeRequest, "change" | "confirms">,
): Promise<void> {
  const { tenant } = link;
  const { id: subject, userName: username, userStore } = user;
  const stores = context.identitiesAs({ kind: "user", tenant, subject, username, userStore });
  try {
    await changeUser(stores, { tenant, now: context.now, sourceIp: context.sourceIp }, subject, {
      async check(before) {
        if (!(await counts(link, before, context))) throw new LinkEnded();
      },
      ...request,
      also: () => [usingLink(link)],
    });
  } catch (error) {
    if (error instanceof Fault && error.fault === "scim.not_found") throw new LinkEnded();
    throw error;
  }
}

/** Whether a link counts for a user as it is. The marks are read after the user, which a change of either writes. */
async function counts(link: FoundLink, user: User, { table, now }: Pick<Readers, "table" | "now">): Promise<boolean> {
  return belongsTo(link, user) && maySignIn(user) && (await isCurrent(table, link, now));
}
