/**
 * The handlers of sign-in. An authorization request is checked, then it needs a session, then the consent of the user,
 * and then it gets a code.
 */
import type { Handlers } from "../operation/operation.ts";
import { authorize } from "./authorize.ts";
import { takeCode, takeSaved, takeSetup } from "./code-form.ts";
import { takeConsent } from "./consent-form.ts";
import type { SignInContextStores } from "./context.ts";
import type { signInOperations } from "./contract.ts";
import { takeNewPassword } from "./new-password-form.ts";
import { passkeyScript } from "./pages/passkey-script.ts";
import { takePasskey, takePasskeySetup } from "./passkey-form.ts";
import { takePassword } from "./password-form.ts";
import { confirmSignOut, endSession } from "./sign-out.ts";
import { getUserInfo } from "./user-info.ts";

export const signInHandlers: Handlers<typeof signInOperations, SignInContextStores> = {
  authorize: ({ query, headers }, context) => authorize(query, headers, false, context),
  authorizeByForm: ({ body, headers }, context) => authorize(body, headers, true, context),
  signIn: ({ body, headers }, context) => takePassword(body, headers, context),
  enterCode: ({ body, headers }, context) => takeCode(body, headers, context),
  setUpCodes: ({ body, headers }, context) => takeSetup(body, headers, context),
  goOnWithCodes: ({ body, headers }, context) => takeSaved(body.request, headers, context),
  usePasskey: ({ body, headers }, context) => takePasskey(body, headers, context),
  createPasskey: ({ body, headers }, context) => takePasskeySetup(body, headers, context),
  getPasskeyScript: async () => passkeyScript(),
  choosePassword: ({ body, headers }, context) => takeNewPassword(body, headers, context),
  giveConsent: ({ body, headers }, context) => takeConsent(body, headers, context),

  endSession: ({ query, headers }, context) => endSession(query, headers, false, context),
  endSessionByForm: ({ body, headers }, context) => endSession(body, headers, true, context),
  signOut: ({ body, headers }, context) => confirmSignOut(body.request, headers, context),

  getUserInfo: ({ headers }, context) => getUserInfo(headers, context),
  getUserInfoByPost: ({ headers }, context) => getUserInfo(headers, context),
};
