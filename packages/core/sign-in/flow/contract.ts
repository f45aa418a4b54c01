/** The operations of sign-in: the authorization endpoint, its pages, and claims about the user (decision 0114). */

import type { Way } from "../../applications/registry/sequence-model.ts";
import { operation, PUBLIC } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { ProvenCredential } from "../oauth/shapes.ts";
import { MAIL_LINK_PATH } from "../pages/paths.ts";
import { accountPages, accountTasks } from "./account.ts";
import { AuthorizationParameters, parameter, SignOutParameters } from "./contract-parameters.ts";

const FORM_BYTES_MAX = 65_536;

/** What pages read of the headers. */
export const PageHeaders = z.object({
  "accept-language": z.string().optional().meta({ description: "The languages of the person; English and German" }),
  "user-agent": z.string().optional().meta({ description: "The browser, as lists of sessions show it" }),
  "sec-fetch-site": z.string().optional().meta({ description: "What browsers say about the page that a form is from" }),
});

const page = {
  service: "sign-in",
  scope: PUBLIC,
  headers: PageHeaders,
  success: { status: 200, page: true, redirects: true },
  failures: [400],
} as const;

const form = { ...page, method: "POST", media: "form", limits: { bytes: FORM_BYTES_MAX } } as const;

const otherLanguage = z
  .enum(["en", "de"])
  .optional()
  .meta({ description: "The button of another language: the page is shown again in it" });

/** What a person can prove in place of what a page asks for. */
const ways = ["password", "code", "passkey", "mail-code", "mail-link"] as const satisfies readonly Way[];

const mailedChoice = z
  .enum(["again", ...ways, "other", "cancel"])
  .optional()
  .meta({
    description:
      "The button that was pressed: to have another mail sent, to prove something else in its place, to use another account, or to give the sign-in up",
  });

const hidden = z.string().meta({ description: "The hidden field of the page" });

/** The claims of a user (OpenID Connect Core 1.0 section 5.1), and those that the application has of its own. */
export const UserInfo = z
  .looseObject({ sub: z.string().meta({ description: "The subject of the ID token" }) })
  .meta({ id: "UserInfo" });

const userInfo = {
  service: "sign-in",
  path: "/oauth2/userinfo",
  scope: PUBLIC,
  source: "OpenID Connect Core 1.0 section 5.3; decision 0114",
  headers: ProvenCredential,
  scripts: "client",
  success: { status: 200, body: UserInfo },
  failures: [401, 403],
} as const;

export const signInOperations = {
  authorize: operation({
    ...page,
    method: "GET",
    path: "/oauth2/authorize",
    summary: "Sign a user in for an application: answers with a page, or sends the browser back with a code",
    source: "OpenID Connect Core 1.0 section 3.1.2; RFC 6749 section 4.1.1; decision 0114",
    query: AuthorizationParameters,
    repeated: ["resource"],
  }),
  authorizeByForm: operation({
    ...form,
    path: "/oauth2/authorize",
    summary: "The same with the parameters in a form",
    source: "OpenID Connect Core 1.0 section 3.1.2.1; decision 0114",
    body: AuthorizationParameters,
    repeated: ["resource"],
    changesNothing: true,
  }),
  signIn: operation({
    ...form,
    path: "/oauth2/sign-in",
    summary: "Take who the person is from the page of sign-in: a password, a passkey, or a name that gets a mail",
    source: "decision 0114; decision 0184",
    body: z
      .object({
        request: hidden,
        username: parameter,
        password: parameter,
        credential: parameter.meta({ description: "What a passkey has signed, as JSON (`PublicKeyCredential`)" }),
        choice: z.enum(["mail-code", "mail-link", "cancel"]).optional().meta({
          description:
            "The button that was pressed: to have a code or a link sent in place of a password, or to give the sign-in up",
        }),
        language: otherLanguage,
      })
      .meta({ id: "SignInForm" }),
    changesNothing: true,
  }),
  enterCode: operation({
    ...form,
    path: "/oauth2/code",
    summary: "Take the one-time code or the recovery code of the page that asks for one",
    source: "RFC 6238; decision 0122",
    body: z
      .object({
        request: hidden,
        code: parameter.meta({ description: "The code that the app shows" }),
        recovery: parameter.meta({ description: "A recovery code, in place of the code of the app" }),
        choice: z
          .enum(["replace", "add-passkey", ...ways, "other", "cancel"])
          .optional()
          .meta({
            description:
              "The button that was pressed: to set up another app or a passkey after the code, to prove something else in its place, to use another account, or to give the sign-in up",
          }),
        language: otherLanguage,
      })
      .meta({ id: "CodeForm" }),
    changesNothing: true,
  }),
  setUpCodes: operation({
    ...form,
    path: "/oauth2/code-setup",
    summary: "Take the first code of an app that has the new secret, and store the secret",
    source: "RFC 6238; decision 0122",
    body: z
      .object({
        request: hidden,
        code: parameter.meta({ description: "The code that the app shows" }),
        choice: z.enum(["passkey", "other", "cancel"]).optional().meta({
          description:
            "The button that was pressed: to create a passkey in place of codes, to use another account, or to give the sign-in up",
        }),
        language: otherLanguage,
      })
      .meta({ id: "CodeSetupForm" }),
    changesNothing: true,
  }),
  goOnWithCodes: operation({
    ...form,
    path: "/oauth2/codes-saved",
    summary: "Go on from the page that shows the recovery codes",
    source: "decision 0122",
    body: z.object({ request: hidden }).meta({ id: "CodesSavedForm" }),
    changesNothing: true,
  }),
  usePasskey: operation({
    ...form,
    path: "/oauth2/passkey",
    summary: "Take what a passkey has signed, from the page that asks for one",
    source: "decision 0135",
    body: z
      .object({
        request: hidden,
        credential: parameter.meta({ description: "What the browser says, as JSON (`PublicKeyCredential`)" }),
        choice: z
          .enum(["add", "add-codes", ...ways, "other", "cancel"])
          .optional()
          .meta({
            description:
              "The button that was pressed: to create another passkey or set up codes after this one, to prove something else in its place, to use another account, or to give the sign-in up",
          }),
        language: otherLanguage,
      })
      .meta({ id: "PasskeyForm" }),
    changesNothing: true,
  }),
  createPasskey: operation({
    ...form,
    path: "/oauth2/passkey-setup",
    summary: "Take a passkey that the browser has created, and store its public key",
    source: "decision 0135",
    body: z
      .object({
        request: hidden,
        credential: parameter.meta({ description: "What the browser says, as JSON (`PublicKeyCredential`)" }),
        choice: z.enum(["code", "skip", "other", "cancel"]).optional().meta({
          description:
            "The button that was pressed: to set up codes in place of a passkey, to go on without one more, to use another account, or to give the sign-in up",
        }),
        language: otherLanguage,
      })
      .meta({ id: "PasskeySetupForm" }),
    changesNothing: true,
  }),
  getPageScript: operation({
    ...page,
    method: "GET",
    path: "/oauth2/page-script",
    summary: "Read the script of the pages",
    source: "decision 0135",
    query: z.object({ v: parameter.meta({ description: "Its version, for caches" }) }),
    success: { ...page.success, pageMedia: "text/javascript" },
  }),
  enterMailedCode: operation({
    ...form,
    path: "/oauth2/sign-in/code",
    summary: "Take the code of a mail from the page that waits for it",
    source: "decision 0184",
    body: z
      .object({
        request: hidden,
        code: parameter.meta({ description: "The code of the mail" }),
        choice: mailedChoice,
        language: otherLanguage,
      })
      .meta({ id: "MailedCodeForm" }),
    changesNothing: true,
  }),
  showMailedLink: operation({
    ...page,
    method: "GET",
    path: MAIL_LINK_PATH,
    summary: "Show the page of the link of a mail, in the browser that asked for it",
    source: "decision 0184",
    query: z.object({ code: parameter.meta({ description: "The handle of the link" }) }),
  }),
  useMailedLink: operation({
    ...form,
    path: MAIL_LINK_PATH,
    summary: "Take the link of a mail from the page that it leads to",
    source: "decision 0184",
    body: z
      .object({
        request: hidden,
        code: parameter.meta({ description: "The handle of the link" }),
        choice: mailedChoice,
        language: otherLanguage,
      })
      .meta({ id: "MailedLinkForm" }),
    changesNothing: true,
  }),
  choosePassword: operation({
    ...form,
    path: "/oauth2/new-password",
    summary: "Take the new password of a user who must, or should, choose one",
    source: "decision 0122",
    body: z
      .object({
        request: hidden,
        password: parameter.meta({ description: "The new password" }),
        repeated: parameter.meta({ description: "The same again" }),
        choice: z.enum(["later", "other", "cancel"]).optional().meta({
          description:
            "The button that was pressed: to keep a password that breaks a rule for new ones, to use another account, or to give the sign-in up",
        }),
        language: otherLanguage,
      })
      .meta({ id: "NewPasswordForm" }),
    changesNothing: true,
  }),
  visitAccount: operation({
    ...page,
    method: "GET",
    path: "/account/sign-in",
    summary: "Sign a person in to the pages of the own account, and lead there",
    source: "decision 0190",
    query: z.object({
      page: z.enum(accountPages).optional().meta({ description: "The page to lead to; absent: the account itself" }),
      task: z.enum(accountTasks).optional().meta({
        description: "What the person sets up or changes on the way, after signing in again",
      }),
      again: z.literal("yes").optional().meta({ description: "The person signs in again, whatever session there is" }),
    }),
  }),
  takeSsoRequest: operation({
    ...page,
    method: "GET",
    path: "/oauth2/sso",
    summary:
      "Sign a user in for a request of another protocol than OpenID Connect that was verified, and lead to its answer",
    source: "decision 0195",
    query: z.object({
      request: parameter.meta({ description: "What the endpoint of the protocol sent the browser here with" }),
    }),
  }),
  giveConsent: operation({
    ...form,
    path: "/oauth2/consent",
    summary: "Take the answer of the page that asks for consent",
    source: "decision 0114",
    body: z
      .object({
        request: hidden,
        answer: z.enum(["allow", "deny", "other"]).optional().meta({ description: "The button that was pressed" }),
        language: otherLanguage,
      })
      .meta({ id: "ConsentForm" }),
    changesNothing: true,
  }),
  endSession: operation({
    ...page,
    method: "GET",
    path: "/oidc/logout",
    summary: "Sign a user out: ends the session of the browser, or asks first",
    source: "OpenID Connect RP-Initiated Logout 1.0 section 2; decision 0114",
    query: SignOutParameters,
  }),
  endSessionByForm: operation({
    ...form,
    path: "/oidc/logout",
    summary: "The same with the parameters in a form",
    source: "OpenID Connect RP-Initiated Logout 1.0 section 2",
    body: SignOutParameters,
    changesNothing: true,
  }),
  takeSsoSignOut: operation({
    ...page,
    method: "GET",
    path: "/oauth2/sso/sign-out",
    summary: "Sign a user out for a request of another protocol than OpenID Connect that was verified",
    source: "decision 0200",
    query: z.object({
      request: parameter.meta({ description: "What the endpoint of the protocol sent the browser here with" }),
    }),
  }),
  signOut: operation({
    ...form,
    path: "/oauth2/sign-out",
    summary: "Take the answer of the page that asks before it signs out",
    source: "decision 0114",
    body: z.object({ request: hidden }).meta({ id: "SignOutForm" }),
    changesNothing: true,
  }),
  getUserInfo: operation({ ...userInfo, method: "GET", summary: "Read claims about the user of an access token" }),
  getUserInfoByPost: operation({
    ...userInfo,
    method: "POST",
    summary: "Read claims about the user of an access token, by POST",
    changesNothing: true,
  }),
} as const;
