/**
 * The types of security events that this service sends: SCIM events (RFC 9967), and those of CAEP 1.0 and SSF 1.0 of the
 * OpenID Foundation. Asynchronous requests do not exist here, so that `misc:asyncresp` is not among them.
 */
const SCIM = "urn:ietf:params:scim:event:";
const CAEP = "https://schemas.openid.net/secevent/caep/event-type/";
const SSF = "https://schemas.openid.net/secevent/ssf/event-type/";

/** The events about a resource, by the name that this code has for them. */
export const eventTypes = {
  "feed:add": `${SCIM}feed:add`,
  "feed:remove": `${SCIM}feed:remove`,
  "create:notice": `${SCIM}prov:create:notice`,
  "create:full": `${SCIM}prov:create:full`,
  "patch:notice": `${SCIM}prov:patch:notice`,
  "patch:full": `${SCIM}prov:patch:full`,
  "put:notice": `${SCIM}prov:put:notice`,
  "put:full": `${SCIM}prov:put:full`,
  delete: `${SCIM}prov:delete`,
  activate: `${SCIM}prov:activate`,
  deactivate: `${SCIM}prov:deactivate`,
  "session-revoked": `${CAEP}session-revoked`,
  "credential-change": `${CAEP}credential-change`,
} as const;

export type EventName = keyof typeof eventTypes;

/** The events about a stream itself. They are sent whatever the receiver asked for. */
export const streamEventTypes = { verification: `${SSF}verification`, updated: `${SSF}stream-updated` } as const;

/** The types of `eventTypes`, in their order. */
export const supportedTypes: readonly string[] = Object.values(eventTypes);

/** What a receiver gets that asks for nothing in particular: no event with the data of a resource. */
export const defaultTypes: readonly string[] = supportedTypes.filter((type) => !isFull(type));

/** The SCIM events, for the configuration of the SCIM service (RFC 9967 section 3). */
export const scimTypes: readonly string[] = supportedTypes.filter((type) => type.startsWith(SCIM));

/** Whether events of a type have the data of a resource. */
export function isFull(type: string): boolean {
  return type.endsWith(":full");
}
