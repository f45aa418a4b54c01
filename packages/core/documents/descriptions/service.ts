/** What the operations on tokens, events, changes and the service itself say in the document. */

const STATIC = "It needs no credential and may be cached for an hour.";

const resource = (name: string, what: string) => ({
  [`get${name}ResourceMetadata`]: `Names the authorization server and the scopes of ${what} (RFC 9728), so that a client can begin with the address of the API alone. ${STATIC}`,
  [`getTenant${name}ResourceMetadata`]: `Names what the path without a tenant names of ${what}, with the issuer of the tenant in the path: for clients of that tenant. ${STATIC}`,
});

/** Users have operations of their own; administrators have the same for any user of the tenant. */
const forUsers = (own: string, ofUser: string, what: string) => ({
  [own]: `${what} The user is the caller, who needs no scope but \`internal_login\`.`,
  [ofUser]: `${what} The user is named by its id.`,
});

/** The descriptions by the ids of the operations. */
export const serviceDescriptions: Readonly<Record<string, string>> = {
  getOpenApiDocument:
    "Returns this document as JSON. It is the same in every tenant and for every caller, and its version is that of the release. Its examples were recorded from a running service.",
  requestToken:
    "The client authenticates by the method that its application registered. A token has the requested scopes that the application is authorized for and that a role of the user gives; others are dropped, and `scope` lists what was granted. Refresh tokens rotate: a second use of one ends all tokens of the sign-in. After 10 wrong secrets in 15 minutes the client is locked for that address.",
  sendAnswer:
    "Follows a sign-in whose answer has tokens: the browser is sent here with a ticket, and from here to the client. The ticket counts once, for 60 seconds, in the browser that signed in. Anything else is a page with 400.",
  pushAuthorizationRequest:
    "Stores an authorization request after it was checked, so that the browser carries its name alone. The client authenticates as at the token endpoint. The name counts for 60 seconds, for this client, and for one answer. Parameters in a signed `request` replace the others. A DPoP proof names the key that must redeem the code. A request has at most 16 kB.",
  revokeToken:
    "Ends an access or refresh token of the calling client, and all tokens of the same sign-in. Tokens that are unknown, expired or another client's succeed without an effect. Opaque tokens end at once, JWTs within 30 seconds.",
  introspectToken:
    "Says whether a token is active, and if so its scopes, subject, client, audience and times. Anything else about a token that is not active is left out. It is read at once, without a delay after a revocation.",
  getJwks:
    "Verifies access tokens in the format JWT, and ID tokens: RSA keys sign ID tokens, EC keys both. A new key is published an hour before it signs, and a former one stays until its last token has expired. It may be cached for an hour.",
  getOpenIdConfiguration: `The address is that of the issuer with \`/.well-known/openid-configuration\`, where clients of OpenID Connect look for it. ${STATIC}`,
  getServerOpenIdConfiguration: `The same document where clients look that know the address of the service alone. Its \`issuer\` is that of the token endpoint. ${STATIC}`,
  authorize:
    "Answers with a page where the user must sign in or agree, and otherwise sends the browser to the client with a code, or with an error. Until the client and its address are certain, errors are pages: the browser is never sent to an address that the application has not registered. A code counts for 60 seconds and once. PKCE with `S256` is required for public clients and where the application says so.",
  authorizeByForm:
    "Takes the parameters of an authorization request in a form, for requests that are too long for an address. Everything else is as with GET.",
  signIn:
    "Takes the form of the page of sign-in. It counts for 30 minutes, in the browser that got the page. A wrong password is answered with the page again; after ten of them the name is locked for that address for some minutes.",
  enterCode:
    "Takes the form of the page that asks for a one-time code (RFC 6238), after the right password. It counts for 10 minutes, in the browser that got the page. A code counts once; that before and that after the present one count too. A recovery code counts once in its place. After 20 wrong ones in a day the user is locked for an hour, and longer each time.",
  setUpCodes:
    "Takes the form of the page with the secret for an authenticator app. A code of the app proves that it has the secret, which is stored then, and recovery codes are shown once. A secret that is there is replaced only by somebody who has entered a code of it.",
  goOnWithCodes:
    "Takes the form of the page that shows the recovery codes, and goes on to the consent or to the application.",
  usePasskey:
    "Takes the form of the page that asks for a passkey (Web Authentication), after the right password: what the authenticator has signed, in the field `credential`. The form counts for 10 minutes, in the browser that got the page; its challenge counts once, for a passkey of this user, from the pages of this service. A counter that goes back is refused. After 20 wrong ones in a day the user is locked for an hour, and longer each time.",
  createPasskey:
    "Takes the form of the page that creates a passkey, and stores its public key: the first one of a user after the password, more of them after a passkey or a one-time code. A user has at most ten. Attestation is not asked for and not read.",
  getPasskeyScript:
    "Reads the script of the two pages of passkeys: browsers use passkeys for scripts alone. All other pages run none. Caches keep it for a day; another version has another address.",
  choosePassword:
    "Takes the form of the page for users who must choose a new password, after the right one, and after a one-time code where the user has set them up. It ends all sessions and tokens of the user, and `forcePasswordReset`.",
  giveConsent:
    "Takes the form of the page that asks whether the application may have the scopes. The answer is remembered for the user, the application and the scopes, and the code goes to the client; a refusal is `access_denied`.",
  endSession:
    "Ends the session of the browser and sends it to `post_logout_redirect_uri`, which is one of the callback addresses of the application. Without the ID token of this session the person is asked first, so that no other page can sign people out. An expired ID token counts. The applications of the session are told: by back-channel logout, and in frames of the page by front-channel logout. Their tokens stay valid until they expire or are revoked, unless an application says that they end with the session.",
  endSessionByForm:
    "Answers like GET. A form of another site comes without the cookie of the session, so that the person is asked.",
  signOut:
    "Takes the form of the page that asks whether to sign out. It counts for 30 minutes, in the browser that got the page.",
  ...forUsers(
    "listMySessions",
    "listUserSessions",
    "Shows the sessions that have not ended, with the applications that got a code in them. The one that was used last comes first. A user has at most 50 sessions; one more ends the one that was used longest ago.",
  ),
  ...forUsers(
    "endMySessions",
    "endUserSessions",
    "Ends the sessions at once, in all browsers. Applications are told by back-channel logout, and those that say so lose the tokens of the sessions. Other tokens stay valid: take the access back to end them.",
  ),
  ...forUsers(
    "endMySession",
    "endUserSession",
    "Ends one session at once. Its applications are told by back-channel logout, and those that say so lose the tokens of the session.",
  ),
  ...forUsers(
    "listMyAuthorizedApps",
    "listUserAuthorizedApps",
    "Shows the applications to which consent was given, with the scopes. Applications that ask for no consent are not among them.",
  ),
  ...forUsers(
    "revokeMyAuthorizedApps",
    "revokeUserAuthorizedApps",
    "Takes all consents back. The tokens of these applications for the user end: refresh tokens and codes at once, access tokens within 30 seconds. The sessions go on, and the applications ask for consent again.",
  ),
  ...forUsers(
    "revokeMyAuthorizedApp",
    "revokeUserAuthorizedApp",
    "Takes one consent back. The tokens of the application for the user end: refresh tokens and codes at once, access tokens within 30 seconds. The session goes on, and the application asks for consent again.",
  ),
  signLogoutToken:
    "Is for the part of this service that sends logout tokens, which has no key to sign them. An order is sealed and counts for a minute; no other part can make one.",
  getUserInfo:
    "Needs an access token with the scope `openid`, of a sign-in with `response_type=code`. The claims are those of the granted scopes that the application requests, and `sub` is that of the ID token.",
  getUserInfoByPost:
    "Answers like GET, for clients that send no GET with an `Authorization` header. The token is read from the header alone.",
  getServerMetadata: `Names endpoints, grants, methods of client authentication and algorithms of the super tenant's issuer. ${STATIC}`,
  getIssuerMetadata: `The address follows from the issuer by RFC 8414 section 3.1. ${STATIC}`,
  getTenantIssuerMetadata: `The address follows from the issuer of the tenant by RFC 8414 section 3.1. ${STATIC}`,
  ...resource("", "this service as a whole"),
  ...resource("Management", "the management API"),
  ...resource("Scim2", "the SCIM 2.0 API"),
  ...resource("Scim1", "the SCIM 1.1 API"),
  ...resource("Introspection", "the introspection endpoint"),
  ...resource("Signals", "the Shared Signals API"),
  listAuditEvents:
    "Selects by time, caller, resource and operation; pages are 50 by default and at most 1,000 long. A page may have fewer records than `limit`, or no record, and still a `next`: continue until it is missing. Records are kept for 400 days, unless the operator chose otherwise.",
  listChanges:
    "Returns every change of the tenant at least once, those of one resource in their order, and always a `next`: store it when the work is done and continue there, also after days. An empty page means that there is nothing to show yet.",
  getSignalTransmitter: `Names issuer, keys, endpoints and delivery methods of the Shared Signals Framework 1.0. ${STATIC}`,
  getSignalIssuer: `The address follows from the issuer. The answer is that of the transmitter's own address. ${STATIC}`,
  getTenantSignalIssuer: `The address follows from the issuer of the tenant. ${STATIC}`,
  getSignalKeys:
    "Verifies security event tokens. These keys sign nothing else, and a former key stays published for a day.",
  createStream:
    "Events begin with the creation. Without `delivery` the stream is polled; with `urn:ietf:rfc:8935` events are pushed to a public https address. `events_requested` selects types. A caller has at most 10 streams (409).",
  readStreams:
    "With `stream_id` it returns that stream, and otherwise the list of the caller's own. Streams of other callers do not exist for it. The header for push is never shown.",
  updateStream:
    "Members that the body leaves out stay. An address without its `authorization_header` keeps the stored one.",
  replaceStream: "Settings that the body leaves out get their defaults, also the stored `authorization_header`.",
  deleteStream: "Events that were not acknowledged are gone. Deleting it again is 404.",
  getStreamStatus:
    "The status is `enabled`, `paused` or `disabled`, with a reason where the service paused it after a day of failures.",
  setStreamStatus:
    "Enabling a paused stream sends what waited; a `stream-updated` event comes first where the service had paused it.",
  addStreamSubject:
    "Takes a subject back that was left out. Subjects are `scim` or `iss_sub`; whether one exists is not checked. The answer has no body.",
  removeStreamSubject:
    "At most 1,000 subjects are left out. Subjects are `scim` or `iss_sub`; whether one exists is not checked.",
  verifyStream:
    "The event arrives as any other does, with the `state` of the body. Too many requests in a short time are 429.",
  pollStream:
    "Returns up to 100 signed events, and waits up to 5 seconds where there is no event, unless `returnImmediately` is true. What `ack` or `setErrs` does not name comes again. Only the owner of the stream may poll it.",
  listWebhooks: "Returns all webhooks of the tenant without pages: at most 20. Secrets are never shown.",
  createWebhook:
    "The endpoint is a public https address, and a tenant has at most 20 webhooks, each with an endpoint of its own. Deliveries are signed with the secret. Events arrive in order, at least once.",
  getWebhook:
    "`delivery` says how far it is: the last delivery, failed attempts and the next one, and why the service paused it. The secret is never shown.",
  updateWebhook:
    "Replaces everything but the secret, which stays where the body has none and is removed by an empty text. A failed delivery is repeated now if endpoint or secret change.",
  deleteWebhook: "Events that were not delivered are dropped. Deleting it again is 404.",
  activateWebhook:
    "Sends what was missed since it stopped, in order, while changes are kept (400 days by default). An active webhook is 400.",
  deactivateWebhook:
    "What changes meanwhile is sent after the activation; replay from now to leave it out. An inactive webhook is 400.",
  retryWebhook: "Without a failed delivery it is 400. The order of events stays: the failed one is sent first.",
  replayWebhook:
    "Sends changes since a time or a cursor again, with the ids that they had, by the channels of today. Exactly one of `since` and `cursor` is required.",
  getWebhookMetadata:
    "Lists the event profiles, the adapter and the policy for organizations. It is the same in every tenant.",
  patchWebhookMetadata:
    "Takes `NO_SHARING`, which is what it is; anything else is 400. It exists for tools that send the policy back.",
  getEventProfile: "Lists the channels of a profile with the events in them; the name is `WSO2` or `Changes`.",
};
