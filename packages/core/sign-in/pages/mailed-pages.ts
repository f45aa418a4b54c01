/** The pages of a sign-in by mail: those that wait for a code or a link, and those that a link leads to. */
import type { Way } from "../../applications/registry/sequence-model.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { alertOf, choiceOf, codeField, othersOf, type Proving, statusOf, waysOut } from "./factor-pages.ts";
import { html } from "./html.ts";
import { type PageContext, type PageOptions, page } from "./layout.ts";
import { type MailedMessages, mailedLanguages } from "./mailed-messages.ts";
import { languages } from "./messages.ts";

/** The page that waits for a mail. It says the same whether or not one is sent. */
export interface MailedForm extends Proving {
  readonly way: "mail-code" | "mail-link";
  readonly problem?:
    | keyof Pick<MailedMessages, "mailCodeMissing" | "mailCodeWrong" | "mailCodeSpent" | "linkSpent">
    | undefined;
  /** False where the person has a mail sent by a button first. */
  readonly isSent: boolean;
  /** What would do in its place. */
  readonly others: readonly Way[];
}

export function mailedPage(form: MailedForm, options: PageOptions): PageResult {
  const say = { ...languages[form.language], ...mailedLanguages[form.language] };
  const { application, action, request, userName, way, isSent, problem, others } = form;
  const isCode = way === "mail-code";
  const title = isCode ? say.mailCodeTitle : say.mailLinkTitle;
  const entry = html`<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<p id="advice">${say.mailCodeAdvice}</p>
${codeField(say, problem)}
<button type="submit">${say.codeSend}</button>
</form>`;
  const waiting = html`${isCode ? entry : html`<p>${say.mailLinkAdvice}</p>`}
<p class="quiet">${say.mailMissing}</p>`;
  const first = html`<button type="submit" name="choice" value="again">${isCode ? say.mailCodeSend : say.mailLinkSend}</button>`;
  const content = html`<h1>${title}</h1>
${alertOf(problem && say[problem])}
${isSent ? waiting : html`<p>${isCode ? say.mailCodeFirst : say.mailLinkFirst}</p>`}
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
${isSent ? choiceOf("again", isCode ? say.mailCodeAgain : say.mailLinkAgain) : first}
${othersOf(say, others)}
${waysOut(say, userName)}
</form>`;
  return page(`${title} – ${application}`, form, content, { ...options, status: statusOf(problem) });
}

/** The page of a link in the browser that asked for it. */
export interface OpenedLink extends PageContext {
  readonly application: string;
  readonly action: string;
  readonly request: string;
  readonly code: string;
}

export function openedLinkPage(
  { language, brand, application, action, request, code }: OpenedLink,
  options: PageOptions,
): PageResult {
  const say = { ...languages[language], ...mailedLanguages[language] };
  const content = html`<h1>${say.signInTo(application)}</h1>
<p>${say.linkOpened}</p>
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<input type="hidden" name="code" value="${code}">
<button type="submit">${say.signIn}</button>
</form>`;
  // In another language, the form would show the page that waits.
  return page(`${say.signInTitle} – ${application}`, { language, brand }, content, options);
}

/** The page of a link that does not count here. */
export function unusableLinkPage(
  problem: keyof Pick<MailedMessages, "linkSpent" | "linkElsewhere">,
  context: PageContext,
): PageResult {
  const { errorTitle } = languages[context.language];
  const content = html`<h1>${errorTitle}</h1>
<p role="alert">${mailedLanguages[context.language][problem]}</p>`;
  return page(errorTitle, context, content, { status: 400 });
}
