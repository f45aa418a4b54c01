/** The pages on which people register. They work without JavaScript. */
import type { PasswordLimits } from "../../directory/credentials/password-limits.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { alertOf, type NewPasswordProblem, newPasswordFields, sentenceOf, statusOf } from "./factor-pages.ts";
import { html } from "./html.ts";
import { page } from "./layout.ts";
import { languages } from "./messages.ts";
import { pageScriptPath } from "./page-script.ts";
import { type RecoveryMessages, recoveryMessages } from "./recovery-messages.ts";
import type { RecoveryPage } from "./recovery-pages.ts";

/** The form for an address. */
export interface RegisterForm extends RecoveryPage {
  /** What was entered before. */
  readonly address?: string;
  readonly problem?: keyof Pick<RecoveryMessages, "registerAddress" | "registerDomain"> | undefined;
}

type OwnProblem = keyof Pick<
  RecoveryMessages,
  "registerNameMissing" | "registerNameTaken" | "registerNameRefused" | "registerTerms"
>;

/** The form that creates the account. */
export interface RegistrationForm extends RecoveryPage {
  /** The handle of the link. */
  readonly code: string;
  readonly address: string;
  readonly userName: string;
  readonly given?: string | undefined;
  readonly family?: string | undefined;
  readonly termsUrl: string | undefined;
  readonly limits: PasswordLimits;
  readonly problem?: OwnProblem | NewPasswordProblem | undefined;
}

export function registerPage(form: RegisterForm): PageResult {
  const say = recoveryMessages[form.language];
  const { registerPath, address = "", problem } = form;
  const content = html`<h1>${say.registerTitle}</h1>
${alertOf(problem && say[problem])}
<p id="advice">${say.registerAdvice}</p>
<form method="post" action="${registerPath}">
<label for="address">${say.registerLabel}</label>
<input id="address" name="address" type="email" value="${address}" autocomplete="email" required maxlength="254"
 aria-describedby="${problem === undefined ? "advice" : "problem advice"}">
<button type="submit">${say.registerSend}</button>
</form>`;
  return page(say.registerTitle, form, content, { status: statusOf(problem) });
}

/** The same for every address. */
export function askedToRegisterPage(shown: RecoveryPage): PageResult {
  const say = recoveryMessages[shown.language];
  const content = html`<h1>${say.askedTitle}</h1>
<p>${say.registerAsked}</p>
<p><a href="${shown.registerPath}">${say.registerAgain}</a></p>`;
  return page(say.askedTitle, shown, content);
}

export function registrationPage(form: RegistrationForm): PageResult {
  const say = { ...languages[form.language], ...recoveryMessages[form.language] };
  const { registeredPath, code, address, userName, given = "", family = "", termsUrl, limits, problem } = form;
  const optional = (
    name: string,
    value: string,
    label: string,
    kind: string,
  ) => html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="text" value="${value}" autocomplete="${kind}" maxlength="100">`;
  const terms =
    termsUrl === undefined
      ? undefined
      : html`<p><label><input type="checkbox" name="terms" value="yes" required> ${say.registerAccept}</label>
<a href="${termsUrl}">${say.registerRead}</a></p>`;
  const content = html`<h1>${say.registerTitle}</h1>
${alertOf(problem && problemText(form, problem))}
<p>${say.registerFor(address)}</p>
<form method="post" action="${registeredPath}">
<input type="hidden" name="code" value="${code}">
<label for="username">${say.registerName}</label>
<input id="username" name="username" type="text" value="${userName}" autocomplete="username" autocapitalize="none"
 spellcheck="false" required maxlength="255"${problem === undefined ? undefined : html` aria-describedby="problem"`}>
${optional("given", given, say.registerGiven, "given-name")}
${optional("family", family, say.registerFamily, "family-name")}
${newPasswordFields(say, problem, limits)}
${terms}
<button type="submit">${say.registerCreate}</button>
</form>`;
  return page(say.registerTitle, form, content, { status: statusOf(problem), script: pageScriptPath() });
}

function problemText({ language, limits }: RegistrationForm, problem: OwnProblem | NewPasswordProblem): string {
  const own = recoveryMessages[language];
  return isOwn(problem) ? own[problem] : sentenceOf(languages[language], problem, limits);
}

function isOwn(problem: OwnProblem | NewPasswordProblem): problem is OwnProblem {
  return problem.startsWith("register");
}
