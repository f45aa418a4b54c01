/** From a request that is understood to its answer or its first page: which session of the browser answers it. */
import type { Client } from "../../applications/registry/client-store.ts";
import { findFactors } from "../../directory/credentials/factor-store.ts";
import { mustChangePassword } from "../../directory/users/model.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { type Consent, findConsent } from "../sessions/consent-store.ts";
import type { SessionReference } from "../sessions/session-store.ts";
import type { Asked } from "./asked.ts";
import type { AuthorizationRequest, Requester } from "./authorization-request.ts";
import type { TenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { standingIn } from "./factors.ts";
import { isExpected } from "./hints.ts";
import { type Current, currentSession, guestSession, otherReferences, referenceIn } from "./session.ts";
import { askWho, proceed } from "./steps.ts";
import { lackingWays } from "./ways.ts";

/** A session that counts, with what its user has agreed to. */
export interface Candidate {
  readonly current: Current;
  readonly consent: Consent | undefined;
}

/** Answers a request, or asks for what is missing. Throws `AuthorizationError` where the client forbids pages. */
export async function arrive(
  asked: Asked,
  candidates: readonly Candidate[],
  facts: TenantFacts,
  context: SignInContext,
): Promise<PageResult> {
  const { request, application } = asked;
  const chosen = await chosenFor(candidates, request, application, context);
  const usableSession = chosen && suits(chosen.current, request, context) ? chosen.current : undefined;
  const page = askWho(asked, usableSession !== undefined, context);
  if (page) return await page();
  if (!usableSession) throw new Error("a person without a session was not asked who it is");
  const standing = standingIn(usableSession);
  const isFactorLeft = lackingWays(asked.steps, standing.methods) !== undefined;
  const factors = isFactorLeft ? await findFactors(context.table, standing.home, usableSession.user.id) : {};
  return await proceed(asked, standing, { factors, consent: chosen?.consent, facts }, [], context);
}

/**
 * The first session whose user the client expects: that of the tenant comes first, then that of the guest who entered
 * the password last.
 */
async function chosenFor(
  candidates: readonly Candidate[],
  request: AuthorizationRequest,
  application: Requester["application"],
  context: SignInContext,
): Promise<Candidate | undefined> {
  for (const each of candidates) {
    const { user, session } = each.current;
    if (await isExpected({ user, home: session.tenant }, request, application, context)) return each;
  }
  return undefined;
}

/** Whether the user entered the password recently enough, and may keep it. */
function suits({ session, user }: Current, { maxAgeSeconds }: AuthorizationRequest, { now }: SignInContext): boolean {
  const isRecent = maxAgeSeconds === undefined || now / 1_000 - session.authSeconds <= maxAgeSeconds;
  return isRecent && !mustChangePassword(user);
}

/** The sessions of the browser that can answer a request, the best first. One round trip. */
export async function candidatesFor(
  { tenant, clientId, applicationId }: Pick<Client, "tenant" | "clientId" | "applicationId">,
  takesGuests: boolean,
  context: SignInContext,
): Promise<readonly Candidate[]> {
  const read = async (reference: SessionReference, find: typeof guestSession) => {
    const [current, consent] = await Promise.all([
      find(reference, clientId, context),
      findConsent(context.table, reference.tenant, reference.userId, applicationId),
    ]);
    return current ? [{ current, consent }] : [];
  };
  const own = referenceIn(context, tenant);
  const others = takesGuests ? otherReferences(context, tenant) : [];
  const [ofTenant, ofGuests] = await Promise.all([
    own ? read(own, currentSession) : [],
    Promise.all(others.map((each) => read(each, guestSession))),
  ]);
  return [...ofTenant, ...ofGuests.flat().sort(byPassword)];
}

/** The one who entered the password last comes first. */
function byPassword({ current: { session: one } }: Candidate, { current: { session: other } }: Candidate): number {
  return other.authSeconds - one.authSeconds || (one.sid < other.sid ? 1 : -1);
}
