/** How the operations of sign-in are called on the data set. Nobody signs in: that needs a browser. */
import type { Fixture } from "./fixture.ts";

export const signInReads = ({ client }: Fixture) =>
  [
    ["getOpenIdConfiguration", {}],
    ["getServerOpenIdConfiguration", {}],
    ["getServerMetadata", {}],
    [
      "pushAuthorizationRequest",
      {
        form: { client_id: client.username, client_secret: client.password, response_type: "code", scope: "openid" },
      },
    ],
    ["authorize", { query: `client_id=${client.username}&response_type=code&scope=openid` }],
    ["authorizeByForm", { form: { client_id: client.username, response_type: "code", scope: "openid" } }],
    ["signIn", { form: { request: "the hidden field of the page", username: "kim", password: "a password" } }],
    ["giveConsent", { form: { request: "the hidden field of the page", answer: "allow" } }],
    ["endSession", { query: `client_id=${client.username}` }],
    ["endSessionByForm", { form: { client_id: client.username } }],
    ["signOut", { form: { request: "the hidden field of the page" } }],
    ["getUserInfo", {}],
    ["getUserInfoByPost", {}],
  ] as const;
