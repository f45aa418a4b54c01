/**
 * Forgotten passwords and user names: the pages, and the operations of WSO2's API, version 2 (decision 0181).
 * Invitations and checks of addresses (decision 0182).
 */
import { operation, PUBLIC } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { recoveryPaths } from "../pages/paths.ts";
import {
  Confirmed,
  ConfirmRequest,
  InitRequest,
  Notified,
  RecoverRequest,
  RecoveryWays,
  ResendCodeRequest,
  ResendRequest,
  ResetDone,
  ResetRequest,
} from "./shapes.ts";

const FORM_BYTES_MAX = 65_536;
const BODY_BYTES_MAX = 16_384;

/** What the pages and the API read of the headers. */
export const RecoveryHeaders = z.object({
  "accept-language": z
    .string()
    .optional()
    .meta({ description: "The languages of the person, of the page and the mail; English and German" }),
  "sec-fetch-site": z.string().optional().meta({ description: "What browsers say about the page that a form is from" }),
});

const shared = {
  service: "account-recovery",
  scope: PUBLIC,
  source: "decision 0181",
  headers: RecoveryHeaders,
} as const;

const page = { ...shared, success: { status: 200, page: true }, failures: [400, 403, 404] } as const;
const form = {
  ...page,
  method: "POST",
  media: "form",
  limits: { bytes: FORM_BYTES_MAX },
  failures: [400, 403, 404, 429],
  changesNothing: true,
} as const;

const call = {
  ...shared,
  method: "POST",
  limits: { bytes: BODY_BYTES_MAX },
  changesNothing: true,
} as const;
const asked = { failures: [403, 404, 429] } as const;
const coded = { failures: [403, 404, 406, 429] } as const;

const parameter = z.string().max(1_024).optional();
const handle = parameter.meta({ description: "The code of the link in the mail" });

export const accountRecoveryOperations = {
  showForgotPassword: operation({
    ...page,
    method: "GET",
    path: recoveryPaths.forgot,
    summary: "Show the page for people who have forgotten their password",
  }),
  forgotPassword: operation({
    ...form,
    path: recoveryPaths.forgot,
    summary: "Take the name of the page for people who have forgotten their password",
    body: z
      .object({ username: parameter.meta({ description: "The user name, or the e-mail address" }) })
      .meta({ id: "ForgotPasswordForm" }),
  }),
  showResetPassword: operation({
    ...page,
    method: "GET",
    path: recoveryPaths.reset,
    summary: "Show the page that the link in the mail leads to",
    query: z.object({ code: handle }),
  }),
  resetForgottenPassword: operation({
    ...form,
    path: recoveryPaths.reset,
    summary: "Take the new password of the page that the link in the mail leads to",
    body: z
      .object({
        code: handle,
        password: parameter.meta({ description: "The new password" }),
        repeated: parameter.meta({ description: "The same again" }),
      })
      .meta({ id: "ResetPasswordForm" }),
  }),
  showVerifyAddress: operation({
    ...page,
    source: "decision 0182",
    method: "GET",
    path: recoveryPaths.verify,
    summary: "Show the page that the link in the mail about an address leads to",
    query: z.object({ code: handle }),
  }),
  verifyAddress: operation({
    ...form,
    source: "decision 0182",
    path: recoveryPaths.verify,
    summary: "Confirm the address of the link in the mail",
    body: z.object({ code: handle }).meta({ id: "VerifyAddressForm" }),
  }),
  showRegister: operation({
    ...page,
    source: "decision 0183",
    method: "GET",
    path: recoveryPaths.register,
    summary: "Show the page on which people ask for an account",
  }),
  register: operation({
    ...form,
    source: "decision 0183",
    path: recoveryPaths.register,
    summary: "Take the address of somebody who asks for an account",
    body: z.object({ address: parameter.meta({ description: "The e-mail address" }) }).meta({ id: "RegisterForm" }),
  }),
  showRegistration: operation({
    ...page,
    source: "decision 0183",
    method: "GET",
    path: recoveryPaths.registered,
    summary: "Show the page on which people create their account",
    query: z.object({ code: handle }),
  }),
  completeRegistration: operation({
    ...form,
    source: "decision 0183",
    path: recoveryPaths.registered,
    summary: "Create the account of somebody who has used the link in the mail",
    body: z
      .object({
        code: handle,
        username: parameter.meta({ description: "The user name" }),
        given: parameter.meta({ description: "The given name" }),
        family: parameter.meta({ description: "The family name" }),
        password: parameter.meta({ description: "The password" }),
        repeated: parameter.meta({ description: "The same again" }),
        terms: parameter.meta({ description: "Present where the terms are accepted" }),
      })
      .meta({ id: "RegistrationForm" }),
  }),
  resendCode: operation({
    ...call,
    source: "decision 0182",
    scope: "internal_user_mgt_update",
    path: "/api/identity/user/v1.0/resend-code",
    summary: "Send an invitation, or the check of an address, again",
    query: z.object({
      dryRun: z
        .literal("false")
        .optional()
        .meta({ description: "`false` alone: mails that are sent cannot be taken back" }),
    }),
    body: ResendCodeRequest,
    success: { status: 201 },
    failures: [400, 403, 404, 429],
  }),

  initPasswordRecovery: operation({
    ...call,
    ...asked,
    path: "/api/users/v2/recovery/password/init",
    summary: "Begin the recovery of a password",
    body: InitRequest,
    success: { status: 200, body: RecoveryWays },
  }),
  recoverPassword: operation({
    ...call,
    ...coded,
    path: "/api/users/v2/recovery/password/recover",
    summary: "Have the mail with the link sent",
    body: RecoverRequest,
    success: { status: 202, body: Notified },
  }),
  resendPasswordRecovery: operation({
    ...call,
    ...coded,
    path: "/api/users/v2/recovery/password/resend",
    summary: "Have the mail with the link sent again",
    body: ResendRequest,
    success: { status: 202, body: Notified },
  }),
  confirmPasswordRecovery: operation({
    ...call,
    ...coded,
    path: "/api/users/v2/recovery/password/confirm",
    summary: "Exchange the code of the link for one that sets the password",
    body: ConfirmRequest,
    success: { status: 200, body: Confirmed },
  }),
  resetPassword: operation({
    ...call,
    failures: [403, 404, 406, 412, 429],
    path: "/api/users/v2/recovery/password/reset",
    summary: "Set the new password",
    body: ResetRequest,
    success: { status: 200, body: ResetDone },
  }),
  initUserNameRecovery: operation({
    ...call,
    ...asked,
    path: "/api/users/v2/recovery/username/init",
    summary: "Begin the recovery of a user name",
    body: InitRequest,
    success: { status: 200, body: RecoveryWays },
  }),
  recoverUserName: operation({
    ...call,
    ...coded,
    path: "/api/users/v2/recovery/username/recover",
    summary: "Have the mail with the user names sent",
    body: RecoverRequest,
    success: { status: 202, body: Notified },
  }),
} as const;
