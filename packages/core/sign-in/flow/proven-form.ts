/** The forms of pages after the password: what they say, with everything as it is now. */
import { type Factors, findFactors } from "../../directory/credentials/factor-store.ts";
import { hasCodes, hasPasskeys, type User } from "../../directory/users/model.ts";
import { homeOf } from "../../tokens/model.ts";
import { findConsent } from "../sessions/consent-store.ts";
import { sessionsOf } from "../sessions/session-store.ts";
import { tenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { type ProvenRequest, type Standing, standingOf } from "./factors.ts";
import type { OpenedForm, PageHeaders } from "./forms.ts";
import type { ProvenStage } from "./pending.ts";
import { formerSession } from "./session.ts";
import type { UserFacts } from "./steps.ts";
import { takenRequest } from "./taken.ts";

/** A form of somebody who has proven something. */
type ProvenForm = Pick<OpenedForm<ProvenStage>, "browser" | "language"> & {
  readonly pending: {
    readonly session: string | undefined;
    readonly request: Pick<ProvenRequest, "tenant" | "asked" | "proven">;
  };
};

/**
 * The request of a form with everything that the next page needs. One round trip; one more where a factor was set up at
 * this moment.
 */
export async function provenForm(form: ProvenForm, headers: PageHeaders, context: SignInContext) {
  const { request } = form.pending;
  const { tenant, asked: wanted, proven } = request;
  const { table } = context;
  const { id } = proven.user;
  const home = homeOf(proven.user, tenant);
  const [asked, known, found, ofTenant, consent, sessions, former, replaced] = await Promise.all([
    takenRequest(wanted, form, context),
    standingOf(request, form.pending.session, context),
    findFactors(table, home, id),
    tenantFacts(tenant, wanted.scopes, context),
    findConsent(table, home, id, wanted.applicationId),
    sessionsOf(table, home, id),
    formerSession(home, context),
    home === tenant ? undefined : formerSession(tenant, context),
  ]);
  const standing = home === tenant || asked.client.settings.takesGuests ? known : undefined;
  // The two are read at the same time, not at one: a factor that the user shows must not be overlooked.
  const factors = standing && lacksOne(standing.user, found) ? await findFactors(table, home, id) : found;
  const opening = { sessions, former, replaced, userAgent: headers["user-agent"] };
  const facts: UserFacts = { factors, facts: ofTenant, consent, opening };
  return { asked, standing, facts, home };
}

function lacksOne(user: User, { totp, passkeys }: Factors): boolean {
  return (hasCodes(user) && !totp) || (hasPasskeys(user) && !passkeys);
}

/** The stores that change a user, with records that name that user. */
export function storesAs({ user, home: tenant }: Standing, context: SignInContext) {
  const { id: subject, userName: username, userStore } = user;
  return context.identitiesAs({ kind: "user", tenant, subject, username, userStore });
}
