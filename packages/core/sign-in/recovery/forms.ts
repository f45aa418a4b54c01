/** The pages of account recovery and their forms. They need no cookie: what a form says is in its handle. */

import { qualifiedName } from "../../directory/users/model.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { LinkEnded, type LinkPurpose } from "../../tokens/mail-link-store.ts";
import { askForMail } from "../mails/ask.ts";
import { addressOf } from "../mails/belongs.ts";
import { languageOf } from "../pages/language.ts";
import { pathOf, recoveryPaths } from "../pages/paths.ts";
import {
  askedForMailPage,
  confirmAddressPage,
  donePage,
  forgotPasswordPage,
  linkEndedPage,
  type RecoveryPage,
  resetPasswordPage,
} from "../pages/recovery-pages.ts";
import type { RecoveryContext } from "./context.ts";
import { confirmAddress, problemOf, setPassword, type Usable, usableLink } from "./reset.ts";
import { recoveringTenant } from "./tenant.ts";

/** The links that choose a password. */
const resetting = ["password-link", "invitation"] as const;

/** What the pages read of the headers. */
export interface RecoveryHeaders {
  readonly "accept-language"?: string | undefined;
  readonly "sec-fetch-site"?: string | undefined;
}

export async function showForgot(headers: RecoveryHeaders, context: RecoveryContext): Promise<PageResult> {
  await recoveringTenant(context);
  return forgotPasswordPage(pageOf(headers, context));
}

/** Queues the mail, and says so in words that are true for every name. */
export async function takeForgot(
  { username }: { readonly username?: string | undefined },
  headers: RecoveryHeaders,
  context: RecoveryContext,
): Promise<PageResult> {
  refuseForeign(headers);
  const tenant = await recoveringTenant(context);
  const shown = pageOf(headers, context);
  const about = (username ?? "").trim();
  if (about === "") return forgotPasswordPage({ ...shown, problem: "forgotMissing" });
  await askForMail({ kind: "password-link", tenant, about, language: shown.language }, context);
  return askedForMailPage(shown);
}

/** The page of a link. To open it changes nothing: programs that look at mails open links too. */
export async function showReset(
  code: string | undefined,
  headers: RecoveryHeaders,
  context: RecoveryContext,
): Promise<PageResult> {
  const { shown, usable } = await opened(code, resetting, headers, context);
  return usable && code !== undefined ? form(code, usable, shown, context) : linkEndedPage(shown);
}

export async function takeReset(
  body: {
    readonly code?: string | undefined;
    readonly password?: string | undefined;
    readonly repeated?: string | undefined;
  },
  headers: RecoveryHeaders,
  context: RecoveryContext,
): Promise<PageResult> {
  refuseForeign(headers);
  const { code, password = "", repeated = "" } = body;
  const { shown, usable } = await opened(code, resetting, headers, context);
  if (!usable || code === undefined) return linkEndedPage(shown);
  if (password === "") return form(code, usable, shown, context, "passwordMissing");
  if (password !== repeated) return form(code, usable, shown, context, "passwordsDiffer");
  const problem = problemOf(password, usable, context);
  if (problem) return form(code, usable, shown, context, problem);
  try {
    await setPassword(password, usable, context);
  } catch (error) {
    if (error instanceof LinkEnded) return linkEndedPage(shown);
    // It is a former one of the user, which the write found out (decision 0185).
    const isFormer = error instanceof Fault && error.fault === "request.invalid";
    if (isFormer) return form(code, usable, shown, context, "passwordFormer");
    throw error;
  }
  return donePage(shown, usable.user.hasPassword ? "changed" : "ready");
}

/** The page of a link that checks an address. To open it confirms nothing, as with `showReset`. */
export async function showVerify(
  code: string | undefined,
  headers: RecoveryHeaders,
  context: RecoveryContext,
): Promise<PageResult> {
  const { shown, usable } = await opened(code, ["address-check"], headers, context);
  if (!usable || code === undefined) return linkEndedPage(shown, "checkEndedAdvice");
  const address = addressOf(usable.link, usable.user.profile) ?? "";
  return confirmAddressPage({ ...shown, code, address, userName: qualifiedName(usable.user) });
}

export async function takeVerify(
  { code }: { readonly code?: string | undefined },
  headers: RecoveryHeaders,
  context: RecoveryContext,
): Promise<PageResult> {
  refuseForeign(headers);
  const { shown, usable } = await opened(code, ["address-check"], headers, context);
  if (!usable) return linkEndedPage(shown, "checkEndedAdvice");
  try {
    await confirmAddress(usable, context);
  } catch (error) {
    if (error instanceof LinkEnded) return linkEndedPage(shown, "checkEndedAdvice");
    throw error;
  }
  return donePage(shown, "confirmed");
}

/** The page of a request with the code of a link, and the link if it counts. */
async function opened(
  code: string | undefined,
  purposes: readonly LinkPurpose[],
  headers: RecoveryHeaders,
  context: RecoveryContext,
) {
  const tenant = await recoveringTenant(context);
  return { shown: pageOf(headers, context), usable: await usableLink(code, purposes, tenant, context) };
}

function form(
  code: string,
  { user }: Usable,
  shown: RecoveryPage,
  { tools }: RecoveryContext,
  problem?: Parameters<typeof resetPasswordPage>[0]["problem"],
): PageResult {
  const isFirst = !user.hasPassword;
  return resetPasswordPage({
    ...shown,
    code,
    userName: qualifiedName(user),
    isFirst,
    limits: tools.passwords,
    problem,
  });
}

export function pageOf(headers: RecoveryHeaders, { tools, pathTenant }: RecoveryContext): RecoveryPage {
  const tenant = pathTenant ?? SUPER_TENANT;
  return {
    language: languageOf(undefined, headers["accept-language"]),
    brand: tools.brandOf(tenant),
    forgotPath: pathOf(recoveryPaths.forgot, tenant),
    resetPath: pathOf(recoveryPaths.reset, tenant),
    verifyPath: pathOf(recoveryPaths.verify, tenant),
    registerPath: pathOf(recoveryPaths.register, tenant),
    registeredPath: pathOf(recoveryPaths.registered, tenant),
  };
}

/** A page of another site must not send the forms: that would have mails sent in the name of its visitor. */
export function refuseForeign({ "sec-fetch-site": site }: RecoveryHeaders): void {
  if (site === undefined || site === "same-origin" || site === "none") return;
  throw new Fault("request.invalid", "The form was sent by a page of another site. Open the page here, then send it.");
}
