/** How the operations of sign-in are called on the data set. No one signs in: that needs a browser. */
import type { Fixture } from "./fixture.ts";

export const signInReads = ({ client, users }: Fixture) =>
  [
    ["listMySessions", {}],
    ["listUserSessions", { params: { userId: users[0] ?? "" } }],
    ["listMyAuthorizedApps", {}],
    ["listUserAuthorizedApps", { params: { userId: users[0] ?? "" } }],
    ["signLogoutToken", { form: { order: "an order of this service" } }],
    ["getOpenIdConfiguration", {}],
    ["getServerOpenIdConfiguration", {}],
    ["getServerMetadata", {}],
    ["pushAuthorizationRequest", { as: client, form: { response_type: "code", scope: "openid" } }],
    ["sendAnswer", { query: "ticket=the-ticket-of-the-sign-in" }],
    ["authorize", { query: `client_id=${client.username}&response_type=code&scope=openid` }],
    ["authorizeByForm", { form: { client_id: client.username, response_type: "code", scope: "openid" } }],
    ["signIn", { form: { request: "the hidden field of the page", username: "kim", password: "a password" } }],
    ["enterCode", { form: { request: "the hidden field of the page", code: "123456" } }],
    ["setUpCodes", { form: { request: "the hidden field of the page", code: "123456" } }],
    ["goOnWithCodes", { form: { request: "the hidden field of the page" } }],
    ["usePasskey", { form: { request: "the hidden field of the page", credential: "{}" } }],
    ["createPasskey", { form: { request: "the hidden field of the page", credential: "{}" } }],
    ["getPasskeyScript", {}],
    ["choosePassword", { form: { request: "the hidden field of the page", password: "new", repeated: "new" } }],
    ["giveConsent", { form: { request: "the hidden field of the page", answer: "allow" } }],
    ["endSession", { query: `client_id=${client.username}` }],
    ["endSessionByForm", { form: { client_id: client.username } }],
    ["signOut", { form: { request: "the hidden field of the page" } }],
    ["getUserInfo", {}],
    ["getUserInfoByPost", {}],
  ] as const;

/** Ends sessions and takes consents back: the users of the data set have none. */
export const sessionChanges = ({ users, application }: Fixture) => {
  const userId = users[0] ?? "";
  const unknown = "8c5a8c1c-6a5f-4a63-9d5e-5a4a1a7c0001";
  return [
    ["endMySessions", {}],
    ["endMySession", { params: { sessionId: unknown } }],
    ["endUserSessions", { params: { userId } }],
    ["endUserSession", { params: { userId, sessionId: unknown } }],
    ["revokeMyAuthorizedApps", {}],
    ["revokeMyAuthorizedApp", { params: { applicationId: application } }],
    ["revokeUserAuthorizedApps", { params: { userId } }],
    ["revokeUserAuthorizedApp", { params: { userId, applicationId: application } }],
  ] as const;
};
