/** The parameters of authorization requests and of requests to sign out. */
import * as z from "../../kernel/zod.ts";

/** A parameter or field that may be absent. */
export const parameter = z.string().optional();
const REPEATED_MAX = 4;

/** The parameters of an authorization request. Unknown ones are ignored (RFC 6749 section 3.1). */
export const AuthorizationParameters = z
  .object({
    response_type: parameter.meta({ description: "code" }),
    client_id: parameter.meta({ description: "The id of the client" }),
    redirect_uri: parameter.meta({
      description: "Where the answer goes: one of the callbackURLs of the application, character by character",
    }),
    scope: parameter.meta({ description: "The requested scopes, separated by spaces; openid for an ID token" }),
    state: parameter.meta({ description: "Comes back with the answer" }),
    response_mode: parameter.meta({ description: "query (default), fragment or form_post" }),
    nonce: parameter.meta({ description: "Comes back in the ID token" }),
    code_challenge: parameter.meta({ description: "The digest of the code_verifier (RFC 7636)" }),
    code_challenge_method: parameter.meta({ description: "S256; plain where the application allows it" }),
    prompt: parameter.meta({ description: "none, or login, consent and select_account, separated by spaces" }),
    max_age: parameter.meta({ description: "The greatest age of the sign-in in seconds" }),
    login_hint: parameter.meta({ description: "The user name that the page starts with" }),
    ui_locales: parameter.meta({ description: "The preferred languages of the page, separated by spaces" }),
    acr_values: parameter.meta({ description: "The preferred classes of sign-in, separated by spaces" }),
    claims: parameter.meta({
      description: "Single claims for the ID token and for UserInfo, as JSON (OpenID Connect Core 1.0 section 5.5)",
    }),
    id_token_hint: parameter.meta({ description: "An ID token of the user who must be the one that signs in" }),
    display: parameter.meta({ description: "Ignored: the page fits every width" }),
    resource: z.array(z.string()).max(REPEATED_MAX).optional().meta({
      description: "The resources that the token is for (RFC 8707). Can be repeated",
    }),
    request: parameter.meta({
      description:
        "A request object (RFC 9101): the parameters as a JWT that the client signed. Others do not count then",
    }),
    request_uri: parameter.meta({
      description: "The name of a pushed request (RFC 9126). Other parameters but client_id do not count then",
    }),
    dpop_jkt: parameter.meta({
      description: "The thumbprint of the DPoP key that must redeem the code (RFC 9449 section 10)",
    }),
    registration: parameter.meta({ description: "Refused" }),
  })
  .meta({ id: "AuthorizationRequest" });

/** The parameters of a request to sign out (OpenID Connect RP-Initiated Logout 1.0 section 2). */
export const SignOutParameters = z
  .object({
    id_token_hint: parameter.meta({ description: "The ID token of the sign-in; it may have expired" }),
    client_id: parameter.meta({ description: "The id of the client; the ID token names it too" }),
    post_logout_redirect_uri: parameter.meta({
      description: "Where the browser goes then: one of the callbackURLs of the application, character by character",
    }),
    state: parameter.meta({ description: "Comes back to post_logout_redirect_uri" }),
    ui_locales: parameter.meta({ description: "The preferred languages of the page, separated by spaces" }),
    logout_hint: parameter.meta({ description: "Ignored: the browser has one session in a tenant" }),
  })
  .meta({ id: "SignOutRequest" });
