/**
 * The frame of the pages that people see when they sign in: style, policy and brand. Nothing is loaded but the logo of
 * the tenant, and on pages of passkeys their script: styles are in the page, and the policy names their digests.
 */
import { createHash } from "node:crypto";
import { securityHeaders } from "../../http/security-headers.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { Html, html } from "./html.ts";
import { type Language, languageNames } from "./language.ts";

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
.languages button { width: auto; margin: 1rem 0 0; padding: .25rem .5rem; font-size: .875rem; font-weight: 400;
  border-color: transparent; background: transparent; color: var(--accent); }
header { margin: 0 0 1rem; color: var(--quiet); font-weight: 600; }
header img { display: block; max-width: 100%; max-height: 4rem; }
a { color: var(--accent); }
summary { margin: .75rem 0; color: var(--accent); cursor: pointer; font-weight: 600; }
.code { max-width: 12rem; letter-spacing: .2em; font-size: 1.25rem; }
.qr { margin: 0 0 1rem; text-align: center; }
.qr svg { width: 13rem; height: 13rem; max-width: 100%; border-radius: .5rem; background: #fff; }
code, .codes { font: 1rem/1.8 ui-monospace, monospace; }
main.wide { max-width: 44rem; }
section { margin: 1.5rem 0 0; padding: 1rem 0 0; border-top: 1px solid var(--line); }
h2 { margin: 0 0 .5rem; font-size: 1.125rem; }
h3 { margin: 1rem 0 .25rem; font-size: 1rem; }
dl { margin: 0 0 1rem; }
dt { font-weight: 600; }
dd { margin: 0 0 .5rem; }
input[type="checkbox"] { width: auto; margin: 0 .5rem 0 0; }
[role="status"] { margin: 0 0 1rem; padding: .625rem .75rem; border: 1px solid var(--accent); border-radius: .5rem; }
.codes { padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; list-style: none; }
`;

/** What the pages show of a tenant. */
export interface Brand {
  readonly name?: string | undefined;
  /** The https address of an image. */
  readonly logo?: string | undefined;
  /** The colour of buttons and links, `#rrggbb`: for light pages and for dark ones. */
  readonly accents?: { readonly light: string; readonly dark: string } | undefined;
}

/** How a page is answered. */
export interface PageOptions {
  readonly status?: number;
  readonly cookies?: readonly string[];
  /** Where a form of the page may lead besides this origin: a callback can send the browser on. */
  readonly formTarget?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Origins of pages that are opened in frames of the page. */
  readonly frames?: readonly string[];
  /** The path of a script of this service that the page runs. */
  readonly script?: string;
  /** True for a page with more than a form. */
  readonly isWide?: boolean;
}

/** What every page needs. */
export interface PageContext {
  readonly language: Language;
  /** What the tenant shows of itself. */
  readonly brand?: Brand | undefined;
  /** The path and the sealed request of its form, which shows it in another language, too; absent where none does. */
  readonly action?: string | undefined;
  readonly request?: string | undefined;
}

/** Sends the browser to another address of this service: after a form by GET (RFC 9110 section 15.4.4). */
export function leadTo(
  path: string,
  { isAfterForm, cookies = [] }: { readonly isAfterForm: boolean; readonly cookies?: readonly string[] },
): PageResult {
  return { status: isAfterForm ? 303 : 302, headers: { ...pageHeaders(), location: path }, cookies };
}

/**
 * Headers of a page: no script unless `hasScript`, and then none but files of this service; no frame but of `frames`,
 * nothing of another origin but the logo, no copy in a cache.
 */
export function pageHeaders(
  formTarget?: string,
  {
    brand = {},
    frames = [],
    hasScript = false,
  }: { readonly brand?: Brand; readonly frames?: readonly string[]; readonly hasScript?: boolean } = {},
): Readonly<Record<string, string>> {
  const forms = formTarget === undefined ? "'self'" : `'self' https: ${formTarget}`;
  const styles = stylesOf(brand).map((style) => `'sha256-${digestOf(style)}'`);
  return {
    ...securityHeaders,
    "Content-Security-Policy": [
      `default-src 'none'; style-src ${styles.join(" ")}`,
      ...(hasScript ? ["script-src 'self'"] : []),
      ...(brand.logo === undefined ? [] : [`img-src ${sourceOf(brand.logo)}`]),
      `form-action ${forms}`,
      ...(frames.length > 0 ? [`frame-src ${frames.join(" ")}`] : []),
      "base-uri 'none'; frame-ancestors 'none'",
    ].join("; "),
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  };
}

function stylesOf({ accents }: Brand): readonly string[] {
  if (!accents) return [STYLE];
  const { light, dark } = accents;
  return [STYLE, `:root { --accent: ${light}; } @media (prefers-color-scheme: dark) { :root { --accent: ${dark}; } }`];
}

/** The very address of an image. Sources of a policy have no query, and end at `;` and `,`. */
function sourceOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname.replaceAll(";", "%3B").replaceAll(",", "%2C")}`;
}

const digests = new Map<string, string>();

/** Styles are few: one, and one for each tenant with a colour. */
function digestOf(style: string): string {
  const known = digests.get(style) ?? createHash("sha256").update(style, "utf8").digest("base64");
  digests.set(style, known);
  return known;
}

/** A page with a title and its content. */
export function page(title: string, context: PageContext, content: Html, options: PageOptions = {}): PageResult {
  const { language, brand = {} } = context;
  const { status = 200, cookies, formTarget, frames = [], script, isWide = false, headers = {} } = options;
  const policy = pageHeaders(formTarget, { brand, frames, hasScript: script !== undefined });
  const document = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${stylesOf(brand).map((style) => html`<style>${new Html(style)}</style>`)}
${script === undefined ? undefined : html`<script src="${script}" defer></script>`}
</head>
<body>
${isWide ? html`<main class="wide">` : html`<main>`}
${headerOf(brand)}
${content}
${languagesOf(context)}
</main>
</body>
</html>
`;
  return {
    status,
    headers: { ...policy, "content-type": "text/html; charset=utf-8", ...headers },
    ...(cookies && { cookies }),
    html: document.text,
  };
}

function languagesOf({ language, action, request }: PageContext): Html | undefined {
  if (action === undefined || request === undefined) return undefined;
  const others = (Object.keys(languageNames) as Language[]).filter((each) => each !== language);
  const buttons = others.map(
    (each) =>
      html`<button type="submit" name="language" value="${each}" lang="${each}">${languageNames[each]}</button>`,
  );
  return html`<form method="post" action="${action}" class="languages">
<input type="hidden" name="request" value="${request}">
${buttons}
</form>`;
}

function headerOf({ name, logo }: Brand): Html | undefined {
  if (logo !== undefined) return html`<header><img src="${logo}" alt="${name ?? ""}"></header>`;
  return name === undefined ? undefined : html`<header>${name}</header>`;
}
