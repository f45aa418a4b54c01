/** The pages after a right password: one-time codes, recovery codes, and a new password. */
import type { Way } from "../../applications/registry/sequence-model.ts";
import type { PasswordLimits } from "../../directory/credentials/password-limits.ts";
import type { PasswordProblem } from "../../directory/credentials/password-rules.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { Html, html } from "./html.ts";
import { type PageContext, type PageOptions, page } from "./layout.ts";
import { languages, type Messages } from "./messages.ts";
import { pageScriptPath } from "./page-script.ts";

/** What these pages have in common. */
export interface Proving extends PageContext {
  readonly application: string;
  readonly userName: string;
  /** Path of the form. */
  readonly action: string;
  /** The sealed request. */
  readonly request: string;
}

/** The names of sentences that say what is wrong. */
export type Problem<Names extends keyof Messages> = keyof Pick<Messages, Names>;

/** The form for a one-time code. */
export interface CodeForm extends Proving {
  readonly problem?: Problem<"codeWrong" | "codeLocked" | "codeMissing" | "setupWrong"> | undefined;
  /** What would do in place of the code. */
  readonly others: readonly Way[];
  /** True where the person can add one after the code. */
  readonly mayAddPasskey: boolean;
}

/** The form for the first code of an app. */
export interface SetupForm extends Proving, Pick<CodeForm, "problem"> {
  /** True where a passkey would do in place of codes. */
  readonly mayUsePasskey: boolean;
  /** In Base32. */
  readonly secret: string;
  /** The address in the QR code, which an app on this device takes over. */
  readonly address: string;
  /** The QR code. */
  readonly svg: string;
}

/** The codes that count once each when the app is lost. */
export interface RecoveryCodes extends Proving {
  readonly codes: readonly string[];
}

/** The form for a new password. */
export interface NewPasswordForm extends Proving {
  /** True where the user store takes no password from here. */
  readonly isElsewhere: boolean;
  /** Where the own account is, for a person who wishes to change the password; absent for one who must. */
  readonly account?: string | undefined;
  readonly limits: PasswordLimits;
  /** The rule that the present password breaks, which the person may keep. */
  readonly weakness?: PasswordProblem | undefined;
  readonly problem?: NewPasswordProblem | undefined;
}

/** What is wrong with a new password. */
export type NewPasswordProblem =
  | PasswordProblem
  | Problem<"passwordMissing" | "passwordsDiffer" | "passwordSame" | "passwordFormer" | "passwordRefused">;

/** The sentences of the rules for new passwords. */
const ruleNames = {
  length: "passwordLength",
  characters: "passwordCharacters",
  common: "passwordCommon",
  ownName: "passwordOwnName",
} as const;

const GROUP = /.{1,4}/g;

export function codePage(form: CodeForm, options: PageOptions): PageResult {
  const say = languages[form.language];
  const { application, action, request, userName, problem, others, mayAddPasskey } = form;
  const content = html`<h1>${say.codeTitle}</h1>
${alertOf(problem && say[problem])}
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<p id="advice">${say.codeAdvice}</p>
${codeField(say, problem)}
<button type="submit">${say.codeSend}</button>
<button type="submit" name="choice" value="replace" class="second">${say.codeReplace}</button>
${mayAddPasskey ? choiceOf("add-passkey", say.codeAddPasskey) : undefined}
</form>
<details>
<summary>${say.recoveryUse}</summary>
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<label for="recovery">${say.recoveryCode}</label>
<input id="recovery" name="recovery" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" required
 maxlength="40">
<button type="submit">${say.recoverySend}</button>
<button type="submit" name="choice" value="replace" class="second">${say.recoveryReplace}</button>
</form>
</details>
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
${othersOf(say, others)}
${waysOut(say, userName)}
</form>`;
  return page(`${say.codeTitle} – ${application}`, form, content, { ...options, status: statusOf(problem) });
}

export function setupPage(form: SetupForm, options: PageOptions): PageResult {
  const say = languages[form.language];
  const { application, action, request, userName, secret, address, svg, problem, mayUsePasskey } = form;
  const content = html`<h1>${say.setupTitle}</h1>
${alertOf(problem && say[problem])}
<p>${say.setupWhy(application)}</p>
<ol>
<li>${say.setupApp}</li>
<li>${say.setupScan}</li>
</ol>
<div class="qr" role="img" aria-label="${say.setupCode}">${new Html(svg)}</div>
<p>${say.setupByHand} <code>${(secret.match(GROUP) ?? []).join(" ")}</code></p>
<p><a href="${address}">${say.setupHere}</a></p>
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<p id="advice">${say.setupAdvice}</p>
${codeField(say, problem)}
<button type="submit">${say.setupSend}</button>
</form>
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
${mayUsePasskey ? choiceOf("passkey", say.setupByPasskey) : undefined}
${waysOut(say, userName)}
</form>`;
  return page(`${say.setupTitle} – ${application}`, form, content, { ...options, status: statusOf(problem) });
}

export function recoveryCodesPage(form: RecoveryCodes, options: PageOptions): PageResult {
  const say = languages[form.language];
  const { application, action, request, codes } = form;
  const content = html`<h1>${say.recoveryTitle}</h1>
<p>${say.recoveryAdvice}</p>
<ul class="codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<button type="submit">${say.recoverySaved}</button>
</form>`;
  // They are shown once: not again in another language.
  const { language, brand } = form;
  return page(`${say.recoveryTitle} – ${application}`, { language, brand }, content, options);
}

export function newPasswordPage(form: NewPasswordForm, options: PageOptions): PageResult {
  const say = languages[form.language];
  const { application, action, request, userName, isElsewhere, account, limits, weakness, problem } = form;
  const title = `${say.newPasswordTitle} – ${application}`;
  const back = account === undefined ? undefined : html`<p><a href="${account}">${say.accountBack}</a></p>`;
  if (isElsewhere) {
    const content = html`<h1>${say.newPasswordTitle}</h1>
<p role="alert">${account === undefined ? say.passwordElsewhere : say.passwordElsewhereOwn}</p>
${back}
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
${waysOut(say, userName)}
</form>`;
    return page(title, form, content, { ...options, status: 400 });
  }
  const content = html`<h1>${say.newPasswordTitle}</h1>
${alertOf(problem && sentenceOf(say, problem, limits))}
${reasonOf(say, form)}
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<input type="text" name="username" value="${userName}" autocomplete="username" hidden>
${newPasswordFields(say, problem, limits)}
<button type="submit">${say.newPasswordSend}</button>
</form>
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
${weakness && choiceOf("later", say.newPasswordLater)}
${waysOut(say, userName)}
</form>
${back}`;
  return page(title, form, content, { ...options, status: statusOf(problem), script: pageScriptPath() });
}

/** The fields for a new password, twice, with the rules for it. */
export function newPasswordFields(
  say: Messages,
  problem: string | undefined,
  { lengthMin, lengthMax }: PasswordLimits,
): Html {
  const described = problem === undefined ? "rules" : "problem rules";
  const field = (name: string, label: string) => html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="new-password" required maxlength="1024"
 aria-describedby="${described}"${shownBy(say)}>`;
  return html`${field("password", say.newPassword)}
${field("repeated", say.newPasswordAgain)}
<p class="quiet" id="rules">${say.newPasswordAdvice(lengthMin, lengthMax)}</p>`;
}

/** What the script reads that puts a button to show it after the field of a password. */
export function shownBy(say: Messages): Html {
  return html` data-show="${say.passwordShow}" data-hide="${say.passwordHide}"`;
}

/** Why another password is asked for: a rule that the present one breaks is said first. */
function reasonOf(say: Messages, { account, weakness, problem, limits }: NewPasswordForm): Html {
  if (account !== undefined) return html`<p>${say.newPasswordOwn}</p>`;
  if (!weakness) return html`<p>${say.newPasswordWhy}</p>`;
  const rule = problem === undefined ? html`<p role="alert">${sentenceOf(say, weakness, limits)}</p>` : undefined;
  return html`${rule}
<p>${say.newPasswordWeak}</p>`;
}

/** What is wrong with a new password, in words. */
export function sentenceOf(
  say: Messages,
  problem: NewPasswordProblem,
  { lengthMin, lengthMax }: PasswordLimits,
): string {
  const name = isRule(problem) ? ruleNames[problem] : problem;
  return name === "passwordLength" ? say.passwordLength(lengthMin, lengthMax) : say[name];
}

function isRule(problem: NewPasswordProblem): problem is PasswordProblem {
  return Object.hasOwn(ruleNames, problem);
}

export function codeField(say: Messages, problem: string | undefined): Html {
  return html`<label for="code">${say.code}</label>
<input id="code" name="code" class="code" type="text" inputmode="numeric" autocomplete="one-time-code" required
 maxlength="12" aria-describedby="${problem === undefined ? "advice" : "problem advice"}">`;
}

/** The buttons of what would do in place of what a page asks for. */
export function othersOf(say: Messages, others: readonly Way[]): readonly Html[] {
  return others.map((way) => choiceOf(way, say[insteadOf[way]]));
}

const insteadOf = {
  password: "insteadPassword",
  code: "insteadCode",
  passkey: "insteadPasskey",
  "mail-code": "insteadMailCode",
  "mail-link": "insteadMailLink",
} as const satisfies Readonly<Record<Way, keyof Messages>>;

/** A button that sends a choice in place of what the form asks for. */
export function choiceOf(value: string, text: string): Html {
  return html`<button type="submit" name="choice" value="${value}" class="second">${text}</button>`;
}

/** Who is signing in, and the buttons of who is somebody else, or gives the sign-in up. */
export function waysOut(say: Messages, userName: string): Html {
  return html`<p class="quiet">${say.signingInAs(userName)}</p>
${choiceOf("other", say.otherUser)}
${choiceOf("cancel", say.cancel)}`;
}

export function alertOf(problem: string | undefined): Html | undefined {
  return problem === undefined ? undefined : html`<p role="alert" id="problem">${problem}</p>`;
}

export function statusOf(problem: string | undefined): number {
  return problem === undefined ? 200 : 400;
}
