/** The shapes of account recovery, as in WSO2's API, version 2. */
import { withoutNulls } from "../../kernel/management-api.ts";
import * as z from "../../kernel/zod.ts";

/** The claims by which people name their account. */
export const claimUris = {
  userName: "http://wso2.org/claims/username",
  email: "http://wso2.org/claims/emailaddress",
} as const;

const TEXT_MAX = 2_000;
const code = z.string().min(1).max(TEXT_MAX);

/** What a recovery begins with. */
export const InitRequest = z
  .object({
    claims: z
      .array(
        z
          .object({
            uri: z.string().min(1).max(255).meta({ description: "The URI of a local claim" }),
            value: z.string().min(1).max(255).meta({ description: "Its value" }),
          })
          .meta({ id: "RecoveryClaim" }),
      )
      .length(1)
      .meta({ description: "One claim that names the account" }),
  })
  .meta({ id: "RecoveryInitRequest" });

/** The choice of the way by which the person is told. */
export const RecoverRequest = z
  .object({
    recoveryCode: code.meta({ description: "The code of the answer before" }),
    channelId: z.string().min(1).max(20).meta({ description: "The id of the channel of the answer before: 1" }),
  })
  .meta({ id: "RecoveryRecoverRequest" });

export const ResendRequest = z
  .object({ resendCode: code.meta({ description: "The code of the answer before" }) })
  .meta({ id: "RecoveryResendRequest" });

/** What an administrator has sent again. */
export const ResendCodeRequest = z.preprocess(
  withoutNulls,
  z
    .object({
      user: z
        .object({
          username: z.string().min(1).max(255).meta({ description: "The user name, without its user store" }),
          realm: z.string().max(50).optional().meta({ description: "The user store. Default: `PRIMARY`" }),
          "tenant-domain": z
            .string()
            .max(255)
            .optional()
            .meta({ description: "The tenant, which must be that of the caller" }),
        })
        .meta({ id: "ResendCodeUser" }),
      properties: z
        .array(
          z
            .object({
              key: z
                .string()
                .max(255)
                .meta({ description: "`RecoveryScenario` or `ResumeMails`; other keys have no effect" }),
              value: z.string().max(1_024).meta({ description: "The value" }),
            })
            .meta({ id: "ResendCodeProperty" }),
        )
        .max(20)
        .meta({
          description:
            "With `RecoveryScenario`: `ASK_PASSWORD` for an invitation, `EMAIL_VERIFICATION` or `EMAIL_VERIFICATION_ON_UPDATE` for the check of addresses. With `ResumeMails` and `true`, mails go to an address again from which one came back",
        }),
    })
    .meta({ id: "ResendCodeRequest" }),
);

export const ConfirmRequest = z
  .object({ confirmationCode: code.meta({ description: "The code of the link in the mail" }) })
  .meta({ id: "RecoveryConfirmRequest" });

export const ResetRequest = z.preprocess(
  withoutNulls,
  z
    .object({
      resetCode: code.meta({ description: "The code of the answer before" }),
      flowConfirmationCode: code
        .optional()
        .meta({ description: "The code that the recovery began with: then it must be that of this very recovery" }),
      password: z.string().min(1).max(1_024).meta({ description: "The new password" }),
    })
    .meta({ id: "RecoveryResetRequest" }),
);

const links = z
  .array(
    z
      .object({
        rel: z.string().meta({ description: "What the call is for" }),
        href: z.string().meta({ description: "The path of the call" }),
        type: z.string().meta({ description: "The method of the call" }),
      })
      .meta({ id: "RecoveryCall" }),
  )
  .meta({ description: "The calls that come next" });

const channels = z
  .array(
    z
      .object({
        id: z.string().meta({ description: "The id of the channel" }),
        type: z.string().meta({ description: "EMAIL" }),
        value: z.string().meta({ description: "Asterisks: the same for every account, and where there is none" }),
        preferred: z.boolean().meta({ description: "True" }),
      })
      .meta({ id: "RecoveryChannel" }),
  )
  .meta({ description: "The ways by which the person can be told" });

const flowConfirmationCode = z.string().meta({ description: "The code of this recovery" });
const message = z.string().meta({ description: "What happened, in words" });
const resultCode = z.string().meta({ description: "What happened, as a code" });

/** How a recovery can go on. */
export const RecoveryWays = z.array(
  z
    .object({
      mode: z.string().meta({ description: "recoverWithNotifications" }),
      flowConfirmationCode: flowConfirmationCode.optional(),
      channelInfo: z
        .object({ recoveryCode: z.string().meta({ description: "The code of the next call" }), channels })
        .meta({ id: "RecoveryChannels", description: "The ways by which the person can be told" }),
      links,
    })
    .meta({ id: "RecoveryWay" }),
);

/** A mail is on its way, if there is an account that gets one. */
export const Notified = z
  .object({
    code: resultCode,
    message,
    flowConfirmationCode: flowConfirmationCode.optional(),
    notificationChannel: z.string().meta({ description: "EMAIL" }),
    resendCode: z.string().optional().meta({ description: "The code that has the mail sent again" }),
    links: links.optional(),
  })
  .meta({ id: "RecoveryNotified" });

export const Confirmed = z
  .object({ resetCode: z.string().meta({ description: "The code that sets the password, once" }), links })
  .meta({
    id: "RecoveryConfirmed",
    examples: [
      {
        resetCode: "<the code for the next call>",
        links: [{ rel: "next", href: "/api/users/v2/recovery/password/reset", type: "POST" }],
      },
    ],
  });

export const ResetDone = z.object({ code: resultCode, message }).meta({
  id: "RecoveryDone",
  examples: [{ code: "PWR-02005", message: "The password is changed." }],
});
