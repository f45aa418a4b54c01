/**
 * The pages that people see when they sign in. They work without JavaScript, on any width, with password managers and
 * screen readers. Nothing is loaded: the style is in the page, and the policy names its digest.
 */
import { createHash } from "node:crypto";
import { securityHeaders } from "../../http/security-headers.ts";
import type { PageResult } from "../../operation/operation.ts";
import { frameOrigins } from "../front-channel.ts";
import { Html, html } from "./html.ts";
import { type Language, languages, type Messages } from "./messages.ts";

const STYLE = `
:root { color-scheme: light dark; --accent: #0b5cad; --text: #1b1f24; --quiet: #57606a; --page: #f4f5f7; --card: #fff;
  --line: #c9ced6; --bad: #a40e26; }
@media (prefers-color-scheme: dark) { :root { --accent: #6cb0f5; --text: #e8eaed; --quiet: #a9b1bb; --page: #16181c;
  --card: #202329; --line: #454b54; --bad: #ff8b98; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--page);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 25rem; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 1.25rem; font-size: 1.375rem; line-height: 1.3; }
label { display: block; margin: 0 0 .25rem; font-weight: 600; }
input { width: 100%; margin: 0 0 1rem; padding: .625rem .75rem; font: inherit; color: inherit; background: transparent;
  border: 1px solid var(--line); border-radius: .5rem; }
button { width: 100%; margin: .25rem 0; padding: .6875rem; font: inherit; font-weight: 600; border-radius: .5rem;
  border: 1px solid var(--accent); background: var(--accent); color: var(--card); cursor: pointer; }
button.second { background: transparent; color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[role="alert"] { margin: 0 0 1rem; padding: .625rem .75rem; border: 1px solid var(--bad); border-radius: .5rem;
  color: var(--bad); }
ul { padding-left: 1.25rem; }
.quiet { color: var(--quiet); font-size: .875rem; }
`;

const STYLE_DIGEST = createHash("sha256").update(STYLE, "utf8").digest("base64");

/** How a page is answered. */
interface PageOptions {
  readonly status?: number;
  readonly cookies?: readonly string[];
  /** Where a form of the page may lead besides this origin: a callback can send the browser on. */
  readonly formTarget?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Origins of pages that are opened in frames of the page. */
  readonly frames?: readonly string[];
}

/** What every page needs. */
export interface PageContext {
  readonly language: Language;
}

/** Headers of a page: no script, no frame but of `frames`, nothing of another origin, no copy in a cache. */
export function pageHeaders(formTarget?: string, frames: readonly string[] = []): Readonly<Record<string, string>> {
  const forms = formTarget === undefined ? "'self'" : `'self' https: ${formTarget}`;
  return {
    ...securityHeaders,
    "Content-Security-Policy": [
      `default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'; form-action ${forms}`,
      ...(frames.length > 0 ? [`frame-src ${frames.join(" ")}`] : []),
      "base-uri 'none'; frame-ancestors 'none'",
    ].join("; "),
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  };
}

function page(title: string, { language }: PageContext, content: Html, options: PageOptions = {}): PageResult {
  const { status = 200, cookies, formTarget, frames, headers = {} } = options;
  const document = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
  return {
    status,
    headers: { ...pageHeaders(formTarget, frames), "content-type": "text/html; charset=utf-8", ...headers },
    ...(cookies && { cookies }),
    html: document.text,
  };
}

/** The form for a user name and a password. */
export interface SignInForm extends PageContext {
  readonly application: string;
  /** Path of the form. */
  readonly action: string;
  /** The sealed request. */
  readonly request: string;
  readonly userName?: string | undefined;
  readonly problem?: keyof Pick<Messages, "wrong" | "locked" | "incomplete"> | undefined;
}

export function signInPage(form: SignInForm, options?: PageOptions): PageResult {
  const say = languages[form.language];
  const { application, action, request, userName = "", problem } = form;
  const content = html`<h1>${say.signInTo(application)}</h1>
${problem === undefined ? undefined : html`<p role="alert" id="problem">${say[problem]}</p>`}
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<label for="username">${say.userName}</label>
<input id="username" name="username" type="text" value="${userName}" autocomplete="username" autocapitalize="none"
 spellcheck="false" required maxlength="255">
<label for="password">${say.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024">
<button type="submit">${say.signIn}</button>
</form>`;
  return page(`${say.signInTitle} – ${application}`, form, content, {
    ...options,
    status: problem === undefined ? 200 : 400,
  });
}

/** The question whether an application may have what it asks for. */
export interface ConsentForm extends PageContext {
  readonly application: string;
  readonly action: string;
  readonly request: string;
  readonly userName: string;
  /** What is asked for, in words. */
  readonly scopes: readonly { readonly name: string; readonly description?: string | undefined }[];
}

export function consentPage(form: ConsentForm, options?: PageOptions): PageResult {
  const say = languages[form.language];
  const { application, action, request, userName, scopes } = form;
  const items = scopes.map(({ name, description }) =>
    description ? html`<li>${name} <span class="quiet">${description}</span></li>` : html`<li>${name}</li>`,
  );
  const content = html`<h1>${say.consentTo(application)}</h1>
<ul>${items}</ul>
<form method="post" action="${action}">
<input type="hidden" name="request" value="${request}">
<button type="submit" name="answer" value="allow">${say.allow}</button>
<button type="submit" name="answer" value="deny" class="second">${say.deny}</button>
</form>
<p class="quiet">${say.signedInAs(userName)}</p>`;
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
  return page(say.signOutTitle, form, content, options);
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

/** What is wrong, for the person in the browser and for those who made the application. */
export interface ErrorReport extends PageContext {
  readonly status: number;
  readonly detail: string;
  readonly traceId: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function errorPage({ status, detail, traceId, headers, ...context }: ErrorReport): PageResult {
  const say = languages[context.language];
  const content = html`<h1>${say.errorTitle}</h1>
<p>${say.errorCause}</p>
<p role="alert">${detail}</p>
<p>${say.errorAdvice}</p>
<p class="quiet">${say.traceId(traceId)}</p>`;
  return page(say.errorTitle, context, content, { status, ...(headers && { headers }) });
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
