/** The handlers of the pages of the own account. */

import { changeUser, deleteUser, storedResource } from "../../directory/provisioning/users.ts";
import { hasCodes, hasPasskeys, qualifiedName, type User, withSystemAttributes } from "../../directory/users/model.ts";
import { PRIMARY } from "../../kernel/domain/username.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Handlers, PageResult } from "../../kernel/operation/operation.ts";
import { ACCOUNT_PATH, type AccountVisit } from "../flow/account.ts";
import { removingSessionCookie } from "../flow/cookies.ts";
import type { PageHeaders } from "../flow/forms.ts";
import { leadTo, pageHeaders } from "../pages/layout.ts";
import { openableBy } from "../portal/applications.ts";
import { sessionHandlers } from "../sessions/handlers.ts";
import type { AccountContext, AccountStores } from "./context.ts";
import type { accountOperations } from "./contract.ts";
import { deletedPage, deletionPage, profilePage, profilePurpose, signedOutPage } from "./form-pages.ts";
import { overviewPage } from "./overview-page.ts";
import { ownChanges, ownConsents, ownContext, ownMemberships, ownSessions } from "./own-data.ts";
import { problemPage } from "./page.ts";
import { type ProfileFields, problemIn, withFields } from "./profile.ts";
import { isFresh, isOwnForm, leadToSignIn, type Visitor, visitorOf } from "./visitor.ts";

/** Changes that the page shows, and those in the file of own data. */
const CHANGES_SHOWN = 10;
const CHANGES_IN_FILE = 100;

const unread = { query: undefined, headers: undefined, body: undefined } as const;

export const accountHandlers: Handlers<typeof accountOperations, AccountStores> = {
  showAccount: ({ query, headers }, context) =>
    visiting({ headers }, context, async (visitor) => {
      const [sessions, applications, consents, changes, mayNot] = await Promise.all([
        ownSessions(visitor, context),
        openableBy(context, visitor.tenant, visitor.user.id),
        ownConsents(visitor, context),
        ownChanges(visitor, context, CHANGES_SHOWN),
        whyNotDeleted(visitor, context),
      ]);
      const { user } = visitor;
      return overviewPage({
        visitor,
        userName: qualifiedName(user),
        hasCodes: hasCodes(user),
        hasPasskeys: hasPasskeys(user),
        isReadOnly: isReadOnly(visitor, context),
        sessions,
        applications,
        consents,
        changes,
        mayDelete: mayNot === undefined,
        done: query.done,
      });
    }),

  showAccountProfile: ({ headers }, context) =>
    visiting({ headers, page: "profile", needsProof: true }, context, async (visitor) =>
      isReadOnly(visitor, context) ? problemPage("profileElsewhere", visitor) : profilePage(visitor),
    ),

  changeAccountProfile: ({ headers, body: { request, ...fields } }, context) =>
    visiting({ headers, page: "profile", needsProof: true, isForm: true }, context, async (visitor) => {
      if (!isOwnForm(request, profilePurpose(visitor), headers, visitor, context)) return problemPage("stale", visitor);
      if (isReadOnly(visitor, context)) return problemPage("profileElsewhere", visitor);
      return changeProfile(visitor, fields, context);
    }),

  endAccountSession: ({ headers, body: { request, session } }, context) =>
    visiting({ headers, isForm: true }, context, async (visitor) => {
      const purpose = session === undefined ? "sessions" : `session ${session}`;
      if (!isOwnForm(request, purpose, headers, visitor, context)) return problemPage("stale", visitor);
      const own = ownContext(visitor, context);
      if (session === undefined) {
        await sessionHandlers.endMySessions({ ...unread, params: undefined }, own);
        return signedOutPage(visitor, "sessions", [removingSessionCookie(visitor.tenant)]);
      }
      const ending = sessionHandlers.endMySession({ ...unread, params: { sessionId: session } }, own);
      return (await isGone(ending)) ? problemPage("gone", visitor) : shown(visitor, "session");
    }),

  takeAccountConsentBack: ({ headers, body: { request, application } }, context) =>
    visiting({ headers, isForm: true }, context, async (visitor) => {
      const isOwn = isOwnForm(request, `consent ${application}`, headers, visitor, context);
      if (!isOwn) return problemPage("stale", visitor);
      const params = { applicationId: application };
      const taking = sessionHandlers.revokeMyAuthorizedApp({ ...unread, params }, ownContext(visitor, context));
      return (await isGone(taking)) ? problemPage("gone", visitor) : shown(visitor, "consent");
    }),

  removeAccountFactor: ({ headers, body: { request, factor } }, context) =>
    visiting({ headers, needsProof: true, isForm: true }, context, async (visitor) => {
      if (!isOwnForm(request, `factor ${factor}`, headers, visitor, context)) return problemPage("stale", visitor);
      const has = { codes: hasCodes, passkeys: hasPasskeys }[factor](visitor.user);
      if (!has) return problemPage("gone", visitor);
      await removeFactor(visitor, factor, context);
      return signedOutPage(visitor, factor, [removingSessionCookie(visitor.tenant)]);
    }),

  exportAccount: ({ headers }, context) => visiting({ headers }, context, (visitor) => ownData(visitor, context)),

  showAccountDeletion: ({ headers }, context) =>
    visiting({ headers, page: "deletion", needsProof: true }, context, async (visitor) => {
      const why = await whyNotDeleted(visitor, context);
      return why ? problemPage(why, visitor, 403) : deletionPage(visitor, context.tools.deletedDays);
    }),

  deleteAccount: ({ headers, body: { request, sure } }, context) =>
    visiting({ headers, page: "deletion", needsProof: true, isForm: true }, context, async (visitor) => {
      if (!isOwnForm(request, "deletion", headers, visitor, context)) return problemPage("stale", visitor);
      const why = await whyNotDeleted(visitor, context);
      if (why) return problemPage(why, visitor, 403);
      if (sure === undefined) return deletionPage(visitor, context.tools.deletedDays, "deletionUnsure");
      const { tenant, user, principal } = visitor;
      await deleteUser(context.as(principal), { tenant, now: context.now, sourceIp: context.sourceIp }, user.id);
      return deletedPage(visitor, [removingSessionCookie(tenant)]);
    }),
};

/** What a page or form needs of the person. */
interface Needed {
  readonly headers: PageHeaders;
  /** Where a sign-in leads back to. */
  readonly page?: AccountVisit["page"];
  /** Whether the person must have signed in just now. */
  readonly needsProof?: boolean;
  readonly isForm?: boolean;
}

/** Serves the person of the session; leads to a sign-in where there is none that does. */
async function visiting(
  { headers, page, needsProof = false, isForm = false }: Needed,
  context: AccountContext,
  serve: (visitor: Visitor) => Promise<PageResult>,
): Promise<PageResult> {
  const visitor = await visitorOf(headers, context);
  if (!visitor) return leadToSignIn({ page }, isForm, context);
  if (needsProof && !isFresh(visitor, context)) return leadToSignIn({ page, again: true }, isForm, context);
  return serve(visitor);
}

function shown({ path }: Visitor, done: string): PageResult {
  return leadTo(path(`${ACCOUNT_PATH}?done=${done}`), { isAfterForm: true });
}

/** Whether the user store of the person takes no change from here. */
function isReadOnly({ tenant, user }: Visitor, { users }: AccountContext): boolean {
  return users.elsewhere?.isReadOnly(tenant, user.userStore) === true;
}

/** Waits for a change. True where there is nothing left to change: a form that was sent twice. */
async function isGone(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return false;
  } catch (error) {
    if (error instanceof Fault && error.row.status === 404) return true;
    throw error;
  }
}

async function changeProfile(visitor: Visitor, fields: ProfileFields, context: AccountContext): Promise<PageResult> {
  const { tenant, user, principal, proof } = visitor;
  const { now, sourceIp } = context;
  const problem = problemIn(fields);
  if (problem) return profilePage(visitor, { problem, sent: fields });
  try {
    await changeUser(context.as(principal), { tenant, now, subject: user.id, proof, sourceIp }, user.id, {
      check: ({ version }) => {
        if (version !== user.version) throw new ChangedMeanwhile();
      },
      change: (before) => withFields(before, fields),
    });
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return problemPage("stale", visitor);
    if (!(error instanceof Fault) || error.row.status >= 500) throw error;
    return profilePage(visitor, { problem: "profileRefused", sent: fields });
  }
  return shown(visitor, "profile");
}

/** The account was changed since the form was shown. */
class ChangedMeanwhile extends Error {}

/** Takes a second factor away, for somebody who has just proven one. It ends all sessions of the person. */
async function removeFactor(
  { tenant, user, principal }: Visitor,
  factor: "codes" | "passkeys",
  context: AccountContext,
): Promise<void> {
  await changeUser(context.as(principal), { tenant, now: context.now, sourceIp: context.sourceIp }, user.id, {
    change: (before) => withSystemAttributes(before, without[factor]),
  });
}

/** What takes a factor away (account-flags.ts). */
const without = { codes: { totpEnabled: "false" }, passkeys: { enabledAuthenticators: "none" } } as const;

/** Why the account cannot be deleted here; `undefined` where it can. One round trip at most. */
async function whyNotDeleted({ tenant, user }: Visitor, { tools, tenants }: AccountContext) {
  if (!tools.canDelete) return "deletionOff";
  if (user.userStore !== PRIMARY) return "deletionElsewhere";
  const owner = await tenants.find(tenant);
  return owner?.administrator === user.id ? "deletionAdministrator" : undefined;
}

/** The file of own data. */
async function ownData(visitor: Visitor, context: AccountContext): Promise<PageResult> {
  const [memberships, sessions, consents, changes] = await Promise.all([
    ownMemberships(visitor, context),
    ownSessions(visitor, context),
    ownConsents(visitor, context),
    ownChanges(visitor, context, CHANGES_IN_FILE),
  ]);
  const data = {
    tenant: visitor.tenant,
    account: profileOf(visitor.user),
    ...memberships,
    sessions: sessions.map(({ id, userAgent, ip, loginTime, lastAccessTime, applications }) => ({
      ...{ id, userAgent, ip, signedIn: isoOf(Number(loginTime)), lastUsed: isoOf(Number(lastAccessTime)) },
      applications: applications.map(({ appName }) => appName),
    })),
    consents: consents.map(({ applicationId, name, scopes, claims, givenMs }) => ({
      ...{ applicationId, application: name, scopes, claims, given: isoOf(givenMs) },
    })),
    changes: changes.map(({ atMs, isOwn, attributes }) => ({
      at: isoOf(atMs),
      by: isOwn ? "you" : "others",
      attributes,
    })),
  };
  return {
    status: 200,
    headers: {
      ...pageHeaders(),
      "content-type": "application/json; charset=utf-8",
      "content-disposition": 'attachment; filename="my-account.json"',
    },
    html: `${JSON.stringify(data, null, 2)}\n`,
  };
}

function profileOf(user: User) {
  return { ...storedResource(user), created: isoOf(user.createdMs), lastModified: isoOf(user.modifiedMs) };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
