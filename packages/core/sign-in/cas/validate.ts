/** Validates tickets for services (CAS protocol 3.0 sections 2.4 to 2.6). */
import { casOf } from "../../applications/protocols/cas.ts";
import { readServiceUrl } from "../../applications/protocols/service-urls.ts";
import { releasedAttributes } from "../flow/cas/claims.ts";
import { casClientId, findService } from "../flow/cas/service.ts";
import type { Asker } from "../flow/protocols/protocol.ts";
import { type Current, namedSession } from "../flow/session.ts";
import { findConsent } from "../sessions/consent-store.ts";
import { type AttributeValues, claimedIn, subjectName, valuesOf } from "../sso/claimed.ts";
import { tenantOf } from "../sso/context.ts";
import { isAllowed } from "../sso/still.ts";
import type { CasContext } from "./context.ts";
import { sessionNamed, sessionOfTicket } from "./issue.ts";
import { CasRefusal } from "./refusal.ts";
import { elementName, type Validated } from "./response.ts";
import { requestOf } from "./services.ts";
import { isSet } from "./take-request.ts";
import { type CasTicket, findTicket, newTicket, newTicketText, unknownTicket, useTicket } from "./ticket-store.ts";

/** The parameters of a validation. */
export interface Validation {
  readonly ticket?: string | undefined;
  readonly service?: string | undefined;
  readonly pgtUrl?: string | undefined;
  readonly renew?: string | undefined;
}

/** What a path of the protocol does. */
export interface Version {
  /** Whether proxy tickets count, too. */
  readonly takesProxies: boolean;
  /** Whether the answer has attributes. */
  readonly hasAttributes: boolean;
}

const PROXIES_MAX = 10;
/** What this service says itself, before the attributes of the user. */
const OWN = ["authenticationDate", "longTermAuthenticationRequestTokenUsed", "isFromNewLogin"] as const;
/** Elements of the response: clients look for them by their names alone. */
const RESERVED = [
  ...OWN,
  ...[
    "user",
    "attributes",
    "proxy",
    "proxies",
    "proxyGrantingTicket",
    "authenticationSuccess",
    "authenticationFailure",
  ],
];

/**
 * Who a ticket is about, if the sign-in would still end like this: a ticket can live for minutes. It is used up,
 * whatever the outcome is. Two round trips; one more where the application asks for an assignment, up to two more for
 * groups and roles, and one more for a proxy, whose address is called. Throws `CasRefusal`.
 */
export async function validateTicket(
  { ticket: text, service, pgtUrl, renew }: Validation,
  { takesProxies, hasAttributes }: Version,
  context: CasContext,
): Promise<Validated> {
  const { casKind: kind } = context.tools;
  if (!text || !service || kind === undefined) throw new CasRefusal("INVALID_REQUEST", "Send service and ticket.");
  const ticket = await findTicket(context.table, text);
  if (!ticket || ticket.kind === "granting") throw unknownTicket();
  const { tenant, applicationId, release } = ticket;
  const asked = { kind, release, takenMs: context.now };
  const request = requestOf({ tenant, applicationId, href: ticket.service }, asked);
  const [asker, current, consent] = await Promise.all([
    findService(request, context),
    namedSession(sessionOfTicket(ticket), casClientId(applicationId), context),
    findConsent(context.table, ticket.home, ticket.userId, applicationId),
    useTicket(context.table, text, ticket),
  ]);
  if (tenant !== tenantOf(context) || context.now >= ticket.untilMs || !current) throw unknownTicket();
  if (ticket.kind === "proxy" && !takesProxies) {
    throw new CasRefusal("INVALID_TICKET", "This is a proxy ticket: validate it at proxyValidate.");
  }
  const meant = readServiceUrl(service);
  if ("problem" in meant || meant.href !== ticket.service) {
    throw new CasRefusal("INVALID_SERVICE", "The ticket is for another service.");
  }
  if (!asker) throw new CasRefusal("INVALID_SERVICE", "The application was changed: people cannot sign in to it now.");
  if (isSet(renew) && !ticket.isFromNewLogin) {
    throw new CasRefusal("INVALID_TICKET", "The user did not enter the password for this ticket.");
  }
  if (!(await isAllowed(request, asker, { current, consent }, context))) {
    throw new CasRefusal("INVALID_TICKET", "The user could not sign in to the application now.");
  }
  const { application } = asker;
  const released = hasAttributes ? releasedAttributes({ release }, application) : [];
  const uris = released.map(({ uri }) => uri);
  const claimed = await claimedIn(current, request, application, uris, context);
  const isNameOnly = !hasAttributes || release === "none";
  const proxies = ticket.proxies ?? [];
  return {
    user: subjectName(claimed, application),
    ...(!isNameOnly && {
      attributes: [...ownOf(ticket, current), ...namedOf(valuesOf(released, claimed, application))],
    }),
    ...(pgtUrl !== undefined && { pgtIou: await grant(pgtUrl, { ticket, asker, current, proxies, kind }, context) }),
    proxies,
  };
}

/** What this service says itself. */
function ownOf({ isFromNewLogin = false }: CasTicket, { session }: Current): readonly AttributeValues[] {
  const values = [new Date(session.authSeconds * 1_000).toISOString(), "false", String(isFromNewLogin)];
  return OWN.map((name, at) => ({ name, values: [values[at] ?? ""] }));
}

/** Attributes by names that can be elements, each name once. */
function namedOf(attributes: readonly AttributeValues[]): readonly AttributeValues[] {
  const named = attributes.map(({ name, values }) => ({ name: elementName(name), values }));
  return named.filter(
    ({ name }, at) => !RESERVED.includes(name) && named.findIndex((each) => each.name === name) === at,
  );
}

interface Granting {
  readonly ticket: CasTicket;
  readonly asker: Asker;
  readonly current: Current;
  readonly proxies: readonly string[];
  readonly kind: string;
}

/**
 * Sends a ticket that grants proxy tickets to the address of an application, and returns what links it to the response.
 * Throws `CasRefusal` where the application may have none, or its address does not take it.
 */
async function grant(
  pgtUrl: string,
  { ticket, asker, current, proxies, kind }: Granting,
  { table, tools }: CasContext,
): Promise<string> {
  const cas = casOf(asker.application.inbound, kind);
  if (!cas?.allowsProxyTickets) {
    throw new CasRefusal("UNAUTHORIZED_SERVICE_PROXY", "allowProxyTickets of the application is false.");
  }
  const read = readServiceUrl(pgtUrl);
  // Who has stolen a ticket for ten seconds must not get one for hours.
  if ("problem" in read || new URL(read.place).origin !== new URL(cas.claim).origin) {
    throw new CasRefusal("INVALID_PROXY_CALLBACK", "pgtUrl must be an address at the host of the serviceURL.");
  }
  if (proxies.length >= PROXIES_MAX) {
    throw new CasRefusal("UNAUTHORIZED_SERVICE_PROXY", `The ticket came through ${PROXIES_MAX} proxies.`);
  }
  const { session } = current;
  const granting = newTicket({
    kind: "granting",
    tenant: ticket.tenant,
    applicationId: ticket.applicationId,
    service: read.href,
    release: ticket.release,
    ...sessionNamed(current),
    proxies: [pgtUrl, ...proxies],
    untilMs: session.endsAtSeconds * 1_000,
  });
  const pgtIou = newTicketText("PGTIOU");
  const joined = read.href.includes("?") ? "&" : "?";
  const problem = await tools.call(`${read.href}${joined}pgtId=${granting.text}&pgtIou=${pgtIou}`);
  if (problem !== undefined) throw new CasRefusal("INVALID_PROXY_CALLBACK", problem);
  await table.write(granting.step);
  return pgtIou;
}
