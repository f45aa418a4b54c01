/** The handlers of account recovery. */
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { LinkEnded } from "../../tokens/mail-link-store.ts";
import type { RecoveryKind } from "../../tokens/mail-model.ts";
import { digestOf } from "../../tokens/opaque.ts";
import { askForMail, countSource } from "../mails/ask.ts";
import { languageOf } from "../pages/language.ts";
import { pathOf } from "../pages/paths.ts";
import { invalidCode, newFlowCode, openCode, sealCode } from "./codes.ts";
import type { RecoveryContext, RecoveryStores } from "./context.ts";
import type { accountRecoveryOperations } from "./contract.ts";
import { showForgot, showReset, showVerify, takeForgot, takeReset, takeVerify } from "./forms.ts";
import { showRegister, showRegistration, takeRegister, takeRegistration } from "./register.ts";
import { resend } from "./resend.ts";
import { exchangeLink, isOfFlow, problemOf, setPassword, usableLink } from "./reset.ts";
import { claimUris } from "./shapes.ts";
import { recoveringTenant } from "./tenant.ts";

const BASE = "/api/users/v2/recovery";
const CHANNEL_ID = "1";
/** The same for every account, and where there is none. */
const MASK = "**********";

/** What each kind of recovery is called in paths and codes. */
const words = {
  "password-link": { path: "password", sent: "PWR-02002", message: "The mail is sent if there is such an account." },
  "user-names": { path: "username", sent: "UNR-02001", message: "The mail is sent if there is such an account." },
} as const;

export const accountRecoveryHandlers: Handlers<typeof accountRecoveryOperations, RecoveryStores> = {
  showForgotPassword: ({ headers }, context) => showForgot(headers, context),
  forgotPassword: ({ body, headers }, context) => takeForgot(body, headers, context),
  showResetPassword: ({ query, headers }, context) => showReset(query.code, headers, context),
  resetForgottenPassword: ({ body, headers }, context) => takeReset(body, headers, context),

  showVerifyAddress: ({ query, headers }, context) => showVerify(query.code, headers, context),
  verifyAddress: ({ body, headers }, context) => takeVerify(body, headers, context),
  showRegister: ({ headers }, context) => showRegister(headers, context),
  register: ({ body, headers }, context) => takeRegister(body, headers, context),
  showRegistration: ({ query, headers }, context) => showRegistration(query.code, headers, context),
  completeRegistration: ({ body, headers }, context) => takeRegistration(body, headers, context),
  async resendCode({ body }, context) {
    await resend(body, context);
    return undefined;
  },

  initPasswordRecovery: ({ body }, context) => init("password-link", body.claims, context),
  initUserNameRecovery: ({ body }, context) => init("user-names", body.claims, context),
  recoverPassword: ({ body, headers }, context) => recover("password-link", body, headers, context),
  recoverUserName: ({ body, headers }, context) => recover("user-names", body, headers, context),
  resendPasswordRecovery: async ({ body, headers }, context) => {
    const kind = "password-link";
    const tenant = await recoveringTenant(context);
    const { seal } = context.tools;
    return send(openCode(seal, "resend", body.resendCode, { kind, tenant, nowMs: context.now }), headers, context);
  },

  async confirmPasswordRecovery({ body }, context) {
    const tenant = await recoveringTenant(context);
    const usable = await usableLink(body.confirmationCode, ["password-link"], tenant, context);
    if (!usable) throw invalidCode();
    const resetCode = await unlessEnded(exchangeLink(usable, context));
    return { resetCode, links: [next("password", "reset", context)] };
  },

  async resetPassword({ body }, context) {
    const { resetCode, flowConfirmationCode, password } = body;
    const tenant = await recoveringTenant(context);
    const usable = await usableLink(resetCode, ["password-reset"], tenant, context);
    if (!usable) throw invalidCode();
    if (flowConfirmationCode !== undefined && !isOfFlow(usable.link, flowConfirmationCode)) throw invalidCode();
    const problem = problemOf(password, usable, context);
    if (problem) throw new Fault("recovery.password", sentences[problem](context));
    await unlessRefused(unlessEnded(setPassword(password, usable, context)));
    return { code: "PWR-02005", message: "The password is changed." };
  },
};

/** The code still counts after each of them: another password can be sent with it. */
const sentences = {
  length: ({ tools: { passwords } }: RecoveryContext) =>
    `The password must have ${passwords.lengthMin} to ${passwords.lengthMax} characters. Send another one with the same code.`,
  characters: () => "The password must not contain control characters. Send another one with the same code.",
  common: () => "The password is one of the most common ones. Send another one with the same code.",
  ownName: () => "The password must not be the user name. Send another one with the same code.",
} as const;

/** The name of a recovery by user name or address; that of user names needs an address. */
function aboutOf(kind: RecoveryKind, [claim]: readonly { readonly uri: string; readonly value: string }[]): string {
  const { userName, email } = claimUris;
  const known: readonly string[] = kind === "user-names" ? [email] : [userName, email];
  if (claim && known.includes(claim.uri)) return claim.value;
  throw new Fault("request.invalid", `body.claims[0].uri: must be ${known.join(" or ")}.`);
}

async function init(
  kind: RecoveryKind,
  claims: readonly { readonly uri: string; readonly value: string }[],
  context: RecoveryContext,
) {
  const tenant = await recoveringTenant(context);
  const about = aboutOf(kind, claims);
  await countSource(context);
  const flowCode = newFlowCode();
  const recoveryCode = sealCode(context.tools.seal, "recover", { kind, tenant, about, flowCode }, context.now);
  return [
    {
      mode: "recoverWithNotifications",
      ...(kind === "password-link" && { flowConfirmationCode: flowCode }),
      channelInfo: { recoveryCode, channels: [{ id: CHANNEL_ID, type: "EMAIL", value: MASK, preferred: true }] },
      links: [next(words[kind].path, "recover", context)],
    },
  ];
}

async function recover(
  kind: RecoveryKind,
  { recoveryCode, channelId }: { readonly recoveryCode: string; readonly channelId: string },
  headers: { readonly "accept-language"?: string | undefined },
  context: RecoveryContext,
) {
  const tenant = await recoveringTenant(context);
  const coded = openCode(context.tools.seal, "recover", recoveryCode, { kind, tenant, nowMs: context.now });
  if (channelId !== CHANNEL_ID) throw new Fault("recovery.code", `channelId must be ${CHANNEL_ID}.`);
  return send(coded, headers, context);
}

/** Queues the mail of a code. */
async function send(
  coded: ReturnType<typeof openCode>,
  headers: { readonly "accept-language"?: string | undefined },
  context: RecoveryContext,
) {
  const { kind, tenant, about, flowCode } = coded;
  const language = languageOf(undefined, headers["accept-language"]);
  const { sent: code, message } = words[kind];
  const isPassword = kind === "password-link";
  await askForMail({ kind, tenant, about, language, ...(isPassword && { flow: digestOf(flowCode) }) }, context);
  const told = { code, message, notificationChannel: "EMAIL" };
  if (!isPassword) return told;
  return {
    ...told,
    flowConfirmationCode: flowCode,
    resendCode: sealCode(context.tools.seal, "resend", { kind, tenant, about, flowCode }, context.now),
    links: [next("password", "confirm", context), { ...next("password", "resend", context), rel: "resend" }],
  };
}

function next(kind: string, step: string, { pathTenant }: RecoveryContext) {
  return { rel: "next", href: pathOf(`${BASE}/${kind}/${step}`, pathTenant ?? SUPER_TENANT), type: "POST" };
}

/** All rules but that of former passwords, which the write alone finds out, were checked before. */
async function unlessRefused<R>(work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Fault) || error.fault !== "request.invalid") throw error;
    throw new Fault("recovery.password", `${error.description} Send another one with the same code.`);
  }
}

/** Of several requests with one code, all but one are told that it was used. */
async function unlessEnded<R>(work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof LinkEnded ? invalidCode() : error;
  }
}
