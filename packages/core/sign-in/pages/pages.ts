/**
 * The pages that people see when they sign in. They work without JavaScript, on any width, with password managers and
 * screen readers.
 */

import type { Way } from "../../applications/registry/sequence-model.ts";
import type { Identifier } from "../../directory/users/identifiers.ts";
import { faults } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import type { Asked as AskedFor } from "./consent-words.ts";
import { alertOf, type Problem, shownBy } from "./factor-pages.ts";
import { type Html, html } from "./html.ts";
import { type PageContext, type PageOptions, page } from "./layout.ts";
import { languages, type Messages } from "./messages.ts";
import { pageScriptPath } from "./page-script.ts";
import { ceremony } from "./passkey-pages.ts";

/** The form for a user name and a password. */
export interface SignInForm extends PageContext {
  readonly application: string;
  /** Path of the form. */
  readonly action: string;
  /** The sealed request. */
  readonly request: string;
  readonly userName?: string | undefined;
  /** In which ways the person can say who it is. */
  readonly ways: readonly Way[];
  /** What the browser is asked for, where a passkey is one of them. */
  readonly passkey?: object;
  /** What may be entered as the name. */
  readonly identifiers: ReadonlySet<Identifier>;
  /** Where people go who have forgotten their password; absent where it cannot be recovered. */
  readonly forgot?: string | undefined;
  /** Where people create an account; absent where they cannot. */
  readonly register?: string | undefined;
  readonly problem?:
    | Problem<
        | ("wrong" | "locked" | "throttled" | "incomplete" | "used" | "late" | "nameMissing")
        | ("passkeyUnknown" | "passkeyLocked" | "passkeyStale")
      >
    | undefined;
}

export function signInPage(form: SignInForm, options?: PageOptions): PageResult {
  const say = languages[form.language];
  const { application, action, request, ways, passkey, forgot, register, problem } = form;
  const hasPassword = ways.includes("password");
  const needsScript = hasPassword || passkey !== undefined;
  const content = html`<h1>${say.signInTo(application)}</h1>
${alertOf(problem && say[problem])}
${ways.some((way) => way !== "passkey") ? namedForm(form) : undefined}
${passkey && passkeyForm(form, passkey)}
${forgot === undefined || !hasPassword ? undefined : html`<p><a href="${forgot}">${say.forgot}</a></p>`}
${register === undefined ? undefined : html`<p><a href="${register}">${say.register}</a></p>`}
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<button type="submit" name="choice" value="cancel" class="second">${say.cancel}</button>
</form>`;
  return page(`${say.signInTitle} – ${application}`, form, content, {
    ...options,
    ...statusOf(problem),
    ...(needsScript && { script: pageScriptPath() }),
  });
}

/** The form that begins with the name: a password follows, or a mail. */
function namedForm({ language, action, request, ways, passkey, userName = "", identifiers }: SignInForm): Html {
  const say = languages[language];
  const hasPassword = ways.includes("password");
  const mails = [
    ...(ways.includes("mail-code") ? [["mail-code", say.mailCodeSend] as const] : []),
    ...(ways.includes("mail-link") ? [["mail-link", say.mailLinkSend] as const] : []),
  ];
  const password = html`<label for="password">${say.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024"${shownBy(say)}>
<button type="submit">${say.signIn}</button>`;
  return html`<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<label for="username">${say[labelOf(identifiers)]}</label>
<input id="username" name="username" type="text" value="${userName}"
 autocomplete="${passkey ? "username webauthn" : "username"}" autocapitalize="none" spellcheck="false" required
 maxlength="255">
${hasPassword ? password : undefined}
${mails.map(
  ([way, text], at) =>
    html`<button type="submit" name="choice" value="${way}" formnovalidate${hasPassword || at > 0 ? html` class="second"` : undefined}>${text}</button>`,
)}
</form>`;
}

/** A passkey says who the person is: the form has no name. */
function passkeyForm(form: SignInForm, options: object): Html {
  const say = languages[form.language];
  const isFirst = form.ways.every((way) => way === "passkey");
  const button = html`<button type="submit" data-passkey${isFirst ? undefined : html` class="second"`}>${say.passkeySignIn}</button>`;
  return ceremony("get", { ...form, options, isOffered: !isFirst }, button);
}

function labelOf(identifiers: SignInForm["identifiers"]) {
  const hasPhone = identifiers.has("phoneNumbers.value");
  if (!identifiers.has("emails.value")) return hasPhone ? "userNameOrPhone" : "userName";
  return hasPhone ? "userNameEmailOrPhone" : "userNameOrEmail";
}

function statusOf(problem: SignInForm["problem"]): PageOptions {
  if (problem !== "throttled") return { status: problem === undefined ? 200 : 400 };
  const { status, retryAfterSeconds } = faults["auth.throttled"];
  return { status, headers: { "retry-after": String(retryAfterSeconds) } };
}

/** The question whether an application may have what it asks for. */
export interface ConsentForm extends PageContext {
  readonly application: string;
  readonly action: string;
  readonly request: string;
  readonly userName: string;
  /** What is asked for, in words. */
  readonly scopes: readonly AskedFor[];
  /** Where the person takes it back. */
  readonly account: string;
}

export function consentPage(form: ConsentForm, options?: PageOptions): PageResult {
  const say = languages[form.language];
  const { application, action, request, userName, scopes, account } = form;
  const items = scopes.map(({ name, description }) =>
    description ? html`<li>${name} <span class="quiet">${description}</span></li>` : html`<li>${name}</li>`,
  );
  const content = html`<h1>${say.consentTo(application)}</h1>
<ul>${items}</ul>
<p class="quiet">${say.consentRemembered}</p>
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<button type="submit" name="answer" value="allow">${say.allow}</button>
<button type="submit" name="answer" value="deny" class="second">${say.deny}</button>
<p class="quiet">${say.signedInAs(userName)}</p>
<button type="submit" name="answer" value="other" class="second">${say.otherUser}</button>
</form>
<p class="quiet"><a href="${account}">${say.consentTakenBack}</a></p>`;
  return page(`${say.consentTitle} – ${application}`, form, content, options);
}

/** The question whether the person wants to sign out. */
export interface SignOutForm extends PageContext {
  readonly action: string;
  readonly request: string;
  readonly userName: string | undefined;
}

export function signOutPage(form: SignOutForm, options?: PageOptions): PageResult {
  const say = languages[form.language];
  const { action, request, userName } = form;
  const content = html`<h1>${say.signOutTitle}</h1>
<p>${say.signOutAdvice}</p>
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<button type="submit">${say.signOut}</button>
</form>
${userName === undefined ? undefined : html`<p class="quiet">${say.signedInAs(userName)}</p>`}`;
  return page(say.signOutTitle, { language: form.language, brand: form.brand }, content, options);
}

/** A page that says that the person is signed out. */
export interface SignedOut extends PageContext {
  /** Pages of applications that the browser opens unseen. */
  readonly frames?: readonly string[];
  /** Where the browser goes then. */
  readonly location?: string | undefined;
}

/** The time for the pages of applications before the browser goes on: a frame that is slower than that is given up. */
const FRAMES_SECONDS = 3;

export function signedOutPage({ frames = [], location, ...context }: SignedOut, options?: PageOptions): PageResult {
  const say = languages[context.language];
  const opened = frames.map(
    (address) => html`<iframe src="${address}" title="" hidden sandbox="allow-scripts allow-same-origin"
 referrerpolicy="no-referrer"></iframe>
`,
  );
  const next =
    location === undefined
      ? html`<p>${say.signedOutAdvice}</p>`
      : html`<p><a href="${location}">${say.continueTo}</a></p>`;
  const content = html`<h1>${say.signedOutTitle}</h1>
${next}
${opened}`;
  return page(say.signedOutTitle, context, content, {
    ...options,
    frames: frameOrigins(frames),
    ...(location !== undefined && { headers: { refresh: `${FRAMES_SECONDS}; url=${location}` } }),
  });
}

/** What is wrong: what the person in the browser can do, and folded up, what those need who made the application. */
export interface ErrorReport extends PageContext {
  readonly status: number;
  /** The name of the sentence for the person. */
  readonly sentence: PersonalSentence;
  /** For the makers of the application; absent where the sentence says all. */
  readonly detail?: string | undefined;
  readonly traceId: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The names of the sentences of a page of an error. */
export type PersonalSentence = keyof Pick<
  Messages,
  | "expired"
  | "changedMeanwhile"
  | "answeredBefore"
  | "sessionEnded"
  | "notSignedIn"
  | "errorByApplication"
  | "errorBusy"
  | "errorHere"
>;

export function errorPage({ status, sentence, detail, traceId, headers, ...context }: ErrorReport): PageResult {
  const say = languages[context.language];
  const details = html`<details>
<summary>${say.errorDetails}</summary>
<p id="detail">${detail}</p>
</details>`;
  const content = html`<h1>${say.errorTitle}</h1>
<p role="alert">${say[sentence]}</p>
${detail === undefined ? undefined : details}
<p class="quiet">${say.traceId(traceId)}</p>`;
  return page(say.errorTitle, context, content, { status, ...(headers && { headers }) });
}

/** For a browser that opens the address of a form, which only a page of a sign-in leads to. */
export function formAddressPage(context: PageContext, options: PageOptions): PageResult {
  const say = languages[context.language];
  const content = html`<h1>${say.errorTitle}</h1>
<p role="alert">${say.formAddress}</p>`;
  return page(say.errorTitle, context, content, options);
}

/** A form that carries an answer to the client: one press, where scripts may not run. */
export function formPostPage(
  address: string,
  parameters: Readonly<Record<string, string>>,
  context: PageContext,
  options: PageOptions,
): PageResult {
  const say = languages[context.language];
  const fields = Object.entries(parameters).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const content = html`<h1>${say.continueTitle}</h1>
<form method="post" action="${address}">
${fields}
<button type="submit">${say.continueTo}</button>
</form>`;
  return page(say.continueTitle, context, content, options);
}

/** The origins of pages, as a policy names them. */
function frameOrigins(frames: readonly string[]): readonly string[] {
  return [...new Set(frames.map((each) => new URL(each).origin))];
}
