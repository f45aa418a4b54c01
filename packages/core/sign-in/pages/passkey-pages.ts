/** The pages of passkeys: using one, and creating one. Browsers use passkeys for scripts alone: these pages run one. */
import type { Way } from "../../applications/registry/sequence-model.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { alertOf, choiceOf, othersOf, type Problem, type Proving, statusOf, waysOut } from "./factor-pages.ts";
import { type Html, html } from "./html.ts";
import { type PageOptions, page } from "./layout.ts";
import { languages, type Messages } from "./messages.ts";
import { pageScriptPath } from "./page-script.ts";

/** The form for a passkey. */
export interface PasskeyForm extends Proving {
  /** What the browser is asked for. */
  readonly options: object;
  readonly problem?:
    | Problem<
        "passkeyMissing" | "passkeyWrong" | "passkeyStale" | "passkeyLocked" | "passkeyNotCreated" | "passkeyKnown"
      >
    | undefined;
  /** What would do in its place. */
  readonly others: readonly Way[];
  /** True where the person can add another passkey, or codes, after this one. */
  readonly mayAdd: boolean;
  readonly mayAddCodes: boolean;
}

/** The form for a new passkey. */
export interface PasskeySetupForm extends Omit<PasskeyForm, "mayAdd" | "mayAddCodes" | "others"> {
  /** True where codes would do in its place. */
  readonly mayUseCode: boolean;
  /** True where nothing is missing: the person wanted one more. */
  readonly maySkip: boolean;
}

export function passkeyPage(form: PasskeyForm, options: PageOptions): PageResult {
  const say = languages[form.language];
  const { action, request, userName, problem, others, mayAdd, mayAddCodes } = form;
  const adding = (value: string, text: string) =>
    html`<button type="submit" name="choice" value="${value}" class="second" data-passkey>${text}</button>`;
  const content = html`<h1>${say.passkeyTitle}</h1>
${alertOf(problem && say[problem])}
${ceremony(
  "get",
  form,
  html`<p id="advice">${say.passkeyAdvice}</p>
<button type="submit" data-passkey aria-describedby="advice">${say.passkeyUse}</button>
${mayAdd ? adding("add", say.passkeyAdd) : undefined}
${mayAddCodes ? adding("add-codes", say.passkeyAddCodes) : undefined}`,
)}
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
${othersOf(say, others)}
${waysOut(say, userName)}
</form>`;
  return scripted(say.passkeyTitle, form, content, { ...options, status: statusOf(problem) });
}

export function passkeySetupPage(form: PasskeySetupForm, options: PageOptions): PageResult {
  const say = languages[form.language];
  const { application, action, request, userName, problem, mayUseCode, maySkip } = form;
  const content = html`<h1>${say.passkeySetupTitle}</h1>
${alertOf(problem && say[problem])}
<p>${maySkip ? say.passkeyMore : say.passkeySetupWhy(application)}</p>
${ceremony(
  "create",
  form,
  html`<p id="advice">${say.passkeyAdvice}</p>
<button type="submit" data-passkey aria-describedby="advice">${say.passkeyCreate}</button>`,
)}
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
${maySkip ? choiceOf("skip", say.passkeySkip) : undefined}
${mayUseCode ? choiceOf("code", say.passkeySetupByCode) : undefined}
${waysOut(say, userName)}
</form>`;
  return scripted(say.passkeySetupTitle, form, content, { ...options, status: statusOf(problem) });
}

/**
 * The form that the script fills in, with what it asks the browser for and what it says when that fails. `isOffered`:
 * the browser offers passkeys in the field of the user name, too.
 */
export function ceremony(
  kind: "get" | "create",
  { language, action, request, options, isOffered = false }: Asking & { readonly isOffered?: boolean },
  buttons: Html,
): Html {
  const say = languages[language];
  return html`<noscript><p>${say.passkeyNeedsScript}</p></noscript>
<form method="post" action="${action}" data-passkey="${kind}" data-options="${JSON.stringify(options)}"${isOffered ? html` data-offered` : undefined}
 data-unsupported="${say.passkeyUnsupported}" data-no-answer="${say.passkeyNoAnswer}" data-here="${say.passkeyHere}"
 data-address="${say.passkeyAddress}">
<input type="hidden" name="request" value="${request}">
<input type="hidden" name="credential" value="">
${buttons}
<p role="alert" data-passkey-problem hidden></p>
</form>`;
}

type Asking = Pick<PasskeyForm, "language" | "action" | "request" | "options">;

function scripted(title: Messages["passkeyTitle"], form: Proving, content: Html, options: PageOptions): PageResult {
  return page(`${title} – ${form.application}`, form, content, { ...options, script: pageScriptPath() });
}
