/**
 * The types of SCIM events that this service sends (RFC 9967 section 2), by the name that this code has for them.
 * Asynchronous requests do not exist here, so that `misc:asyncresp` is not among them.
 */
const SCIM = "urn:ietf:params:scim:event:";

export const scimEvents = {
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
} as const;
