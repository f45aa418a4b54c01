/** The pages of account recovery. They work without JavaScript. */
import type { PasswordLimits } from "../../directory/credentials/password-limits.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { alertOf, type NewPasswordProblem, newPasswordFields, sentenceOf, statusOf } from "./factor-pages.ts";
import { html } from "./html.ts";
import { type PageContext, page } from "./layout.ts";
import { languages } from "./messages.ts";
import { pageScriptPath } from "./page-script.ts";
import { type RecoveryMessages, recoveryMessages } from "./recovery-messages.ts";

/** What these pages have in common. */
export interface RecoveryPage extends PageContext {
  /** Paths of the forms. */
  readonly forgotPath: string;
  readonly resetPath: string;
  readonly verifyPath: string;
  readonly registerPath: string;
  readonly registeredPath: string;
}

/** The form for a name. */
export interface ForgotPasswordForm extends RecoveryPage {
  readonly problem?: keyof Pick<RecoveryMessages, "forgotMissing"> | undefined;
}

/** The form for a new password. */
export interface ResetPasswordForm extends RecoveryPage {
  /** The handle of the link. */
  readonly code: string;
  readonly userName: string;
  /** Whether the user has had no password before. */
  readonly isFirst: boolean;
  readonly limits: PasswordLimits;
  readonly problem?: NewPasswordProblem | undefined;
}

export function forgotPasswordPage(form: ForgotPasswordForm): PageResult {
  const say = recoveryMessages[form.language];
  const { forgotPath, problem } = form;
  const content = html`<h1>${say.forgotTitle}</h1>
${alertOf(problem && say[problem])}
<p id="advice">${say.forgotAdvice}</p>
<form method="post" action="${forgotPath}">
<label for="username">${say.forgotName}</label>
<input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" spellcheck="false"
 required maxlength="255" aria-describedby="${problem === undefined ? "advice" : "problem advice"}">
<button type="submit">${say.forgotSend}</button>
</form>`;
  return page(say.forgotTitle, form, content, { status: statusOf(problem) });
}

/** The same for every name. */
export function askedForMailPage(shown: RecoveryPage): PageResult {
  const say = recoveryMessages[shown.language];
  const content = html`<h1>${say.askedTitle}</h1>
<p>${say.askedAdvice}</p>
<p>${say.askedNothing}</p>
<p><a href="${shown.forgotPath}">${say.askedAgain}</a></p>`;
  return page(say.askedTitle, shown, content);
}

export function resetPasswordPage(form: ResetPasswordForm): PageResult {
  const say = { ...languages[form.language], ...recoveryMessages[form.language] };
  const { resetPath, code, userName, isFirst, limits, problem } = form;
  const title = isFirst ? say.firstTitle : say.resetTitle;
  const content = html`<h1>${title}</h1>
${alertOf(problem && sentenceOf(languages[form.language], problem, limits))}
<p>${isFirst ? say.firstFor(userName) : say.resetFor(userName)}</p>
<form method="post" action="${resetPath}">
<input type="hidden" name="code" value="${code}">
<input type="text" name="username" value="${userName}" autocomplete="username" hidden>
${newPasswordFields(say, problem, limits)}
<button type="submit">${say.newPasswordSend}</button>
</form>`;
  return page(title, form, content, { status: statusOf(problem), script: pageScriptPath() });
}

/** For a link that does not count. `advice`: what the person does then; by default another mail can be asked for. */
export function linkEndedPage(
  shown: RecoveryPage,
  advice: keyof Pick<RecoveryMessages, "endedAdvice" | "checkEndedAdvice"> = "endedAdvice",
): PageResult {
  const say = recoveryMessages[shown.language];
  const again = html`
<p><a href="${shown.forgotPath}">${say.endedAgain}</a></p>`;
  const content = html`<h1>${say.endedTitle}</h1>
<p role="alert">${say[advice]}</p>${advice === "endedAdvice" ? again : html``}`;
  return page(say.endedTitle, shown, content, { status: 400 });
}

/** After a new password, a first password, or the confirmation of an address. */
export function donePage(shown: RecoveryPage, what: "changed" | "ready" | "confirmed"): PageResult {
  const say = recoveryMessages[shown.language];
  const title = say[`${what}Title`];
  const content = html`<h1>${title}</h1>
<p>${say[`${what}Advice`]}</p>`;
  return page(title, shown, content);
}

/** Asks to confirm an address. */
export function confirmAddressPage(
  form: RecoveryPage & { readonly code: string; readonly address: string; readonly userName: string },
): PageResult {
  const say = recoveryMessages[form.language];
  const content = html`<h1>${say.confirmTitle}</h1>
<p>${say.confirmFor(form.address, form.userName)}</p>
<form method="post" action="${form.verifyPath}">
<input type="hidden" name="code" value="${form.code}">
<button type="submit">${say.confirmSend}</button>
</form>`;
  return page(say.confirmTitle, form, content);
}
