/** The types of security events: SCIM events (RFC 9967), and those of CAEP 1.0 and SSF 1.0 of the OpenID Foundation. */
import { scimEvents } from "../../scim/protocol/events.ts";

const CAEP = "https://schemas.openid.net/secevent/caep/event-type/";
const SSF = "https://schemas.openid.net/secevent/ssf/event-type/";

/** The events about a resource, by the name that this code has for them. */
export const eventTypes = {
  ...scimEvents,
  "session-revoked": `${CAEP}session-revoked`,
  "credential-change": `${CAEP}credential-change`,
} as const;

/** The events about a stream itself. They are sent whatever the receiver asked for. */
export const streamEventTypes = { verification: `${SSF}verification`, updated: `${SSF}stream-updated` } as const;

/** The types of `eventTypes`, in their order. */
export const supportedTypes: readonly string[] = Object.values(eventTypes);

/** What a receiver gets that asks for nothing in particular: no event with the data of a resource. */
export const defaultTypes: readonly string[] = supportedTypes.filter((type) => !isFull(type));

/** Whether events of a type have the data of a resource. */
export function isFull(type: string): boolean {
  return type.endsWith(":full");
}
