/** The page for a person who is signed in and has no access to the application. */
import type { PageResult } from "../../kernel/operation/operation.ts";
import { html } from "./html.ts";
import { type PageContext, type PageOptions, page } from "./layout.ts";
import { languages } from "./messages.ts";

/** What the page says, and its form, which leads back to the application. */
export interface NoAccessForm extends PageContext {
  readonly application: string;
  /** Whose administrators assign people. */
  readonly tenant: string;
  readonly action: string;
  /** The sealed request. */
  readonly request: string;
  readonly userName: string;
}

export function noAccessPage(form: NoAccessForm, options?: PageOptions): PageResult {
  const say = languages[form.language];
  const { application, tenant, action, request, userName } = form;
  const content = html`<h1>${say.noAccessTitle}</h1>
<p role="alert">${say.noAccess(userName, application)}</p>
<p>${say.noAccessAdvice(tenant, application)}</p>
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<button type="submit" name="answer" value="deny">${say.backToApplication}</button>
<button type="submit" name="answer" value="other" class="second">${say.otherUser}</button>
</form>`;
  return page(`${say.noAccessTitle} – ${application}`, form, content, options);
}
