/** What the pages of the own account have in common. */
import type { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { ACCOUNT_PATH } from "../flow/account.ts";
import { type Html, html } from "../pages/html.ts";
import { languageOf } from "../pages/language.ts";
import { type PageContext, type PageOptions, page } from "../pages/layout.ts";
import { noSuchPage } from "../pages/no-such-page.ts";
import type { Visitor } from "./visitor.ts";
import { type Words, words } from "./words.ts";

/** A page below the account, with a way back to it. */
export function innerPage(title: string, visitor: Visitor, content: Html, options: PageOptions = {}): PageResult {
  const say = words[visitor.language];
  const whole = html`<h1>${title}</h1>
${content}
<p><a href="${visitor.path(ACCOUNT_PATH)}">${say.back}</a></p>`;
  return page(`${title} – ${say.title}`, visitor, whole, options);
}

/** What is wrong, on a page of its own. */
export function problemPage(
  problem: "stale" | "gone" | "deletionOff" | "deletionAdministrator" | "deletionElsewhere" | "profileElsewhere",
  visitor: Visitor,
  status = 400,
): PageResult {
  const say = words[visitor.language];
  return innerPage(say.problemTitle, visitor, html`<p role="alert">${say[problem]}</p>`, { status });
}

/** A form of one button. `fields`: its hidden fields. */
export function buttonForm(
  action: string,
  fields: Readonly<Record<string, string>>,
  text: string,
  look?: "second",
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const button = look
    ? html`<button type="submit" class="second">${text}</button>`
    : html`<button type="submit">${text}</button>`;
  return html`<form method="post" action="${action}">
${hidden}
${button}
</form>`;
}

/** A failure as a page: it says what to do, and nothing of how the service works. */
export async function faultPage(
  { row, headers: ofFault }: Fault,
  { traceId, headers }: { readonly traceId: string; readonly headers: Readonly<Record<string, string | undefined>> },
): Promise<PageResult> {
  const { status, retryAfterSeconds } = row;
  const context: PageContext = { language: languageOf(undefined, headers["accept-language"]) };
  if (status === 404) return noSuchPage(context.language);
  const say = words[context.language];
  const content = html`<h1>${say.problemTitle}</h1>
<p role="alert">${sentenceOf(say, status)}</p>
<p class="quiet">${say.reference(traceId)}</p>`;
  const retry: Readonly<Record<string, string>> = retryAfterSeconds ? { "retry-after": String(retryAfterSeconds) } : {};
  return page(say.problemTitle, context, content, { status, headers: { ...retry, ...ofFault } });
}

function sentenceOf(say: Words, status: number): string {
  if (status < 500) return say.invalid;
  return status === 503 ? say.busy : say.failed;
}
