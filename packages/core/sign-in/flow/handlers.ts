/**
 * The handlers of sign-in. An authorization request is checked, then it needs a session, then the consent of the user,
 * and then it gets a code.
 */

import { later } from "../../kernel/later.ts";
import type { Handlers, PageResult } from "../../kernel/operation/operation.ts";
import type { Language } from "../pages/language.ts";
import { pageScript } from "../pages/page-script.ts";
import { authorize } from "./authorize.ts";
import type { CodeBody, SetupBody } from "./code-form.ts";
import { takeConsent } from "./consent-form.ts";
import type { SignInContext, SignInContextStores } from "./context.ts";
import type { signInOperations } from "./contract.ts";
import type { PageHeaders } from "./forms.ts";
import type { MailedBody } from "./mailed-form.ts";
import type { NewPasswordBody } from "./new-password-form.ts";
import type { PasskeyBody, PasskeySetupBody } from "./passkey-form.ts";
import { type PasswordForm, takeSignIn } from "./password-form.ts";
import type { MailedStage, ProvenStage } from "./pending.ts";

// The rules for passwords bring the list of the most common ones.
const { takeNewPassword } = later(() => import("./new-password-form.ts"), "takeNewPassword");
const { switchLanguage } = later(() => import("./language.ts"), "switchLanguage");
const { cancel } = later(() => import("./cancel.ts"), "cancel");
// Most requests sign in by a password, or by the session that is there.
const { takeCode, takeSaved, takeSetup } = later(() => import("./code-form.ts"), "takeCode", "takeSaved", "takeSetup");
const { takePasskey, takePasskeySetup } = later(() => import("./passkey-form.ts"), "takePasskey", "takePasskeySetup");
const { showMailedLink, takeMailedCode, takeMailedLink } = later(
  () => import("./mailed-form.ts"),
  "showMailedLink",
  "takeMailedCode",
  "takeMailedLink",
);
const { visitAccount } = later(() => import("./account-visit.ts"), "visitAccount");
const { confirmSignOut, endSession, takeSsoSignOut } = later(
  () => import("./sign-out.ts"),
  "confirmSignOut",
  "endSession",
  "takeSsoSignOut",
);
const { takeSsoRequest } = later(() => import("./sso/take-request.ts"), "takeSsoRequest");
const { getUserInfo } = later(() => import("./user-info.ts"), "getUserInfo");

/** A handler of the form of a page: takes it, shows it in another language, or ends the sign-in. */
function formOf<Body extends { readonly request: string; readonly choice?: string | undefined }>(
  stage: ProvenStage | MailedStage | "sign-in",
  take: (body: Body, headers: PageHeaders, context: SignInContext) => Promise<PageResult>,
) {
  type Sent = { readonly body: Body & { readonly language?: Language | undefined }; readonly headers: PageHeaders };
  return ({ body, headers }: Sent, context: SignInContext) => {
    const { request, choice, language } = body;
    if (language) return switchLanguage(stage, { request, language }, headers, context);
    return choice === "cancel" ? cancel(stage, request, headers, context) : take(body, headers, context);
  };
}

export const signInHandlers: Handlers<typeof signInOperations, SignInContextStores> = {
  authorize: ({ query, headers }, context) => authorize(query, headers, false, context),
  authorizeByForm: ({ body, headers }, context) => authorize(body, headers, true, context),
  signIn: formOf<PasswordForm>("sign-in", takeSignIn),
  enterCode: formOf<CodeBody>("code", takeCode),
  setUpCodes: formOf<SetupBody>("setup", takeSetup),
  goOnWithCodes: ({ body, headers }, context) => takeSaved(body.request, headers, context),
  usePasskey: formOf<PasskeyBody>("passkey", takePasskey),
  createPasskey: formOf<PasskeySetupBody>("passkey-setup", takePasskeySetup),
  getPageScript: async () => pageScript(),
  enterMailedCode: formOf<MailedBody>("mail-code", takeMailedCode),
  showMailedLink: ({ query, headers }, context) => showMailedLink(query.code, headers, context),
  useMailedLink: formOf<MailedBody>("mail-link", takeMailedLink),
  choosePassword: formOf<NewPasswordBody>("new-password", takeNewPassword),
  visitAccount: ({ query, headers }, context) => visitAccount(query, headers, context),
  takeSsoRequest: ({ query, headers }, context) => takeSsoRequest(query.request ?? "", headers, context),
  giveConsent: ({ body, headers }, context) => takeConsent(body, headers, context),

  endSession: ({ query, headers }, context) => endSession(query, headers, false, context),
  endSessionByForm: ({ body, headers }, context) => endSession(body, headers, true, context),
  takeSsoSignOut: ({ query, headers }, context) => takeSsoSignOut(query.request ?? "", headers, context),
  signOut: ({ body, headers }, context) => confirmSignOut(body.request, headers, context),

  getUserInfo: ({ headers }, context) => getUserInfo(headers, context),
  getUserInfoByPost: ({ headers }, context) => getUserInfo(headers, context),
};
