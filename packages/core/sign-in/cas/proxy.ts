/** Issues proxy tickets: the user of a session, for a service that another one calls (CAS protocol 3.0 section 2.7). */
import { casOf } from "../../applications/protocols/cas.ts";
import { Fault } from "../../kernel/faults.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import { casClient, casClientId, casProblemOf } from "../flow/cas/service.ts";
import type { Asker } from "../flow/protocols/protocol.ts";
import { type Current, namedSession } from "../flow/session.ts";
import { findConsent } from "../sessions/consent-store.ts";
import { tenantOf } from "../sso/context.ts";
import { isAllowed } from "../sso/still.ts";
import type { CasContext } from "./context.ts";
import { issuing, sessionOfTicket } from "./issue.ts";
import { CasRefusal } from "./refusal.ts";
import { registeredService, requestOf } from "./services.ts";
import { findTicket } from "./ticket-store.ts";

interface ProxyParameters {
  readonly pgt?: string | undefined;
  readonly targetService?: string | undefined;
}

/**
 * A proxy ticket for a service, while the session counts, and the user could sign in to both applications without a
 * page. Five round trips, two more where they ask for an assignment. Throws `CasRefusal`.
 */
export async function proxyTicket({ pgt, targetService }: ProxyParameters, context: CasContext): Promise<string> {
  const { casKind: kind } = context.tools;
  if (!pgt || !targetService || kind === undefined) {
    throw new CasRefusal("INVALID_REQUEST", "Send pgt and targetService.");
  }
  const granting = await findTicket(context.table, pgt);
  const { tenant } = granting ?? {};
  if (granting?.kind !== "granting" || tenant !== tenantOf(context) || context.now >= granting.untilMs) {
    throw new CasRefusal("INVALID_TICKET", "There is no such pgt, or its session has ended.");
  }
  const { applicationId, proxies, service } = granting;
  const [proxy, found, current] = await Promise.all([
    context.applications.find(tenant, applicationId),
    registeredService(targetService, kind, context),
    namedSession(sessionOfTicket(granting), casClientId(applicationId), context),
  ]);
  if (!current) throw new CasRefusal("INVALID_TICKET", "There is no such pgt, or its session has ended.");
  const cas = proxy && casOf(proxy.inbound, kind);
  // The address that got the pgt may be that of somebody else by now.
  if (cas && new URL(service).origin !== new URL(cas.claim).origin) {
    throw new CasRefusal(
      "INVALID_TICKET",
      "The serviceURL of the application has another host than the pgt was sent to.",
    );
  }
  if (!proxy || !cas?.allowsProxyTickets || "problem" in found) {
    throw new CasRefusal("UNAUTHORIZED_SERVICE", "The application may not proxy, or targetService is no service here.");
  }
  const target = found.application;
  const asked = { kind, takenMs: context.now };
  const from = requestOf({ tenant, applicationId, href: service }, { ...asked, release: cas.attributeRelease });
  const to = requestOf(
    { tenant, applicationId: target.id, href: found.href },
    { ...asked, release: found.cas.attributeRelease },
  );
  const askerOf = (application: Asker["application"]) => ({ application, client: casClient(application, tenant) });
  await Promise.all([
    checkAllowed(from, askerOf(proxy), current, context),
    checkAllowed(to, askerOf(target), current, context),
  ]);
  const issued = { kind: "proxy", request: to, asker: askerOf(target), current, proxies } as const;
  const { text, steps } = await issuing(issued, context);
  try {
    await context.table.write(...steps);
  } catch (error) {
    // The session has ended, or has got another secret, since it was read.
    if (error instanceof Fault) throw new CasRefusal("INVALID_TICKET", "The session of the pgt has ended.");
    throw error;
  }
  return text;
}

/** Throws where the user of a session could not sign in to an application now without a page. */
async function checkAllowed(
  request: AuthorizationRequest,
  asker: Asker,
  current: Current,
  context: CasContext,
): Promise<void> {
  const { tenant, user } = current.session;
  const consent = await findConsent(context.table, tenant, user.id, request.applicationId);
  const problem = casProblemOf(asker.application, context.sendsMail);
  if (problem === undefined && (await isAllowed(request, asker, { current, consent }, context))) return;
  throw new CasRefusal("UNAUTHORIZED_SERVICE", "The user could not sign in to both applications now.");
}
