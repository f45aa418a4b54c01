/** Issues tickets for a service, and notes it in the session, so that it is told of the end. */
import { casOf } from "../../applications/protocols/cas.ts";
import type { Step } from "../../database/table/table.ts";
import { digestOf } from "../../tokens/opaque.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import type { Asker } from "../flow/protocols/protocol.ts";
import { type Current, notingCode } from "../flow/session.ts";
import { claimedIn, subjectName } from "../sso/claimed.ts";
import type { CasContext } from "./context.ts";
import { type CasTicket, newTicket } from "./ticket-store.ts";

/** What a ticket is issued for. */
interface Issuing extends Pick<CasTicket, "isFromNewLogin" | "proxies"> {
  readonly kind: "service" | "proxy";
  readonly request: AuthorizationRequest;
  readonly asker: Asker;
  readonly current: Current;
}

/**
 * A new ticket: its text, and the steps that store it. No round trip unless a group or role is the subject. The steps
 * throw where the session has ended.
 */
export async function issuing(
  { kind, request, asker, current, isFromNewLogin, proxies }: Issuing,
  context: CasContext,
): Promise<{ readonly text: string; readonly steps: readonly Step[] }> {
  const { application, client } = asker;
  const { tenant, to, cas } = request;
  const { session } = current;
  const settings = cas && casOf(application.inbound, cas.kind);
  if (!settings) throw new Error("an application without CAS was not refused");
  const { text, step } = newTicket({
    kind,
    tenant,
    applicationId: application.id,
    service: to.redirectUri,
    release: cas.release,
    ...sessionNamed(current),
    ...(isFromNewLogin && { isFromNewLogin }),
    ...(proxies && { proxies }),
    untilMs: context.now + settings.ticketSeconds * 1_000,
  });
  const noted = {
    clientId: `${client.clientId}·${kind === "proxy" ? "p" : ""}${slotOf(new URL(to.redirectUri).pathname)}`,
    applicationId: application.id,
    subject: subjectName(await claimedIn(current, request, application, [], context), application),
    ...(session.tenant !== tenant && { tenant }),
    cas: { ticket: text, service: to.redirectUri },
  };
  // Its use was noted by the function of sign-in.
  return { text, steps: [step, ...notingCode({ ...current, client: undefined, storing: undefined }, noted)] };
}

/**
 * Each place is told of its latest ticket: an application can have several. A session has so many rows for them, and no
 * more, whatever addresses are asked for: two places that share one are told of the latest ticket of both.
 */
const SLOTS = 64;

/** The services of an application have one origin. */
function slotOf(path: string): number {
  return Buffer.from(digestOf(path), "base64url").readUInt16BE(0) % SLOTS;
}

/** How a ticket names the session of a user. */
export function sessionNamed({ session: { tenant, user, sid } }: Current) {
  return { home: tenant, userId: user.id, userStore: user.userStore, sid };
}

/** The session that a ticket names. */
export function sessionOfTicket({ home, userId, userStore, sid }: CasTicket) {
  return { tenant: home, userId, userStore, sid };
}
