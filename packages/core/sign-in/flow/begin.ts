/** A person who has just said who it is: what belongs to it, and how the sign-in goes on. */
import { METHOD, type Way } from "../../applications/registry/sequence-model.ts";
import type { Step } from "../../database/table/table.ts";
import { type Factors, findFactors } from "../../directory/credentials/factor-store.ts";
import type { User } from "../../directory/users/model.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { revocationStore } from "../../tokens/revocation-store.ts";
import { findConsent } from "../sessions/consent-store.ts";
import { sessionsOf } from "../sessions/session-store.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { tenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { fromNow, type Standing } from "./factors.ts";
import type { OpenedForm, PageHeaders } from "./forms.ts";
import { isExpected } from "./hints.ts";
import { tell } from "./issue.ts";
import type { MailedStage } from "./pending.ts";
import type { NextSetup } from "./second-factor.ts";
import { formerSession, pageMarksOf } from "./session.ts";
import { proceed } from "./steps.ts";
import { takenRequest } from "./taken.ts";

/** What a client is told that expects another user. */
export const OTHER_USER = new AuthorizationError("login_required", "Another user signed in than the client expects.");

/**
 * The revocations of a user of a tenant, its consent for the application of a request, its sessions, and its second
 * factors, whether or not one is needed: that depends on the account. One round trip.
 */
export function readOfUser(
  userId: string,
  home: string,
  { clientId, applicationId }: AuthorizationRequest,
  { table }: SignInContext,
) {
  return Promise.all([
    revocationStore(table).validFrom(home, pageMarksOf(userId, clientId)),
    findConsent(table, home, userId, applicationId),
    sessionsOf(table, home, userId),
    findFactors(table, home, userId),
  ]);
}

/** A user of the tenant of a form who said by a passkey or a mail who it is, with what a session needs. */
export type Beginning = Awaited<ReturnType<typeof beginningOf>>;

/** Reads what the sign-in of a user of the tenant needs, who may not exist. One round trip. */
export async function beginningOf(form: OpenedForm<"sign-in" | MailedStage>, userId: string, context: SignInContext) {
  const { request } = form.pending;
  const wanted = "asked" in request ? request.asked : request;
  const { tenant } = wanted;
  const [asked, user, ofUser, facts, former] = await Promise.all([
    takenRequest(wanted, form, context),
    context.users.find(tenant, userId),
    readOfUser(userId, tenant, wanted, context),
    tenantFacts(tenant, wanted.scopes, context),
    formerSession(tenant, context),
  ]);
  return { asked, user, ofUser, facts, former };
}

/** How a proof is stored, and what follows. */
interface Proof {
  /** Uses it up. */
  readonly storing: readonly Step[];
  /** The second factors with its use. */
  readonly now?: Factors;
  /** What the person wants to set up then. */
  readonly nextSetup?: NextSetup | undefined;
}

/** Goes on with the sign-in. */
export async function begin(
  { asked, ofUser: [fromMs, consent, sessions, factors], facts, former }: Beginning,
  user: User,
  way: Way,
  { storing, now = factors, nextSetup }: Proof,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const { request, application } = asked;
  const home = request.tenant;
  if (!(await isExpected({ user, home }, request, application, context))) {
    await context.table.write(...storing);
    return tell(OTHER_USER, asked, context);
  }
  const standing: Standing = { user, home, ...fromNow(fromMs, context.now), methods: [METHOD[way]] };
  if (nextSetup) {
    await context.table.write(...storing);
    return nextSetup(asked, standing, now, context);
  }
  const opening = { sessions, former, userAgent: headers["user-agent"] };
  return proceed(asked, standing, { factors: now, consent, facts, opening }, storing, context);
}
