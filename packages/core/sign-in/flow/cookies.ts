/**
 * The cookies of sign-in. Their names begin with `__Host-`: a browser takes them over TLS from this host alone, so that
 * a neighbouring host cannot set one in its place (RFC 6265bis section 4.1.3.2).
 */
import { createHash, randomBytes } from "node:crypto";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import type { Language } from "../pages/language.ts";

const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";
const RANDOM_BYTES = 32;
const SESSION = "__Host-session";
const BROWSER = "__Host-sign-in";
const BROWSER_FORM = /^[A-Za-z0-9_-]{43}$/;
const BROWSER_SECONDS = 24 * 60 * 60;
const DEVICES = "__Host-devices";
const LANGUAGE = "__Host-language";
const LANGUAGE_SECONDS = 365 * 24 * 60 * 60;

/** The name of the cookie of a session in a tenant. Tenants have sessions of their own in one browser. */
export function sessionCookieName(tenant: string): string {
  if (tenant === SUPER_TENANT) return SESSION;
  return `${SESSION}-${createHash("sha256").update(tenant, "utf8").digest("hex").slice(0, 16)}`;
}

/** The names of the cookies of a request that may be those of sessions, each once, in their order. */
export function sessionCookieNames(cookies: readonly string[]): readonly string[] {
  const names = cookies.map((cookie) => cookie.slice(0, Math.max(0, cookie.indexOf("="))));
  return [...new Set(names)].filter((name) => name === SESSION || name.startsWith(`${SESSION}-`));
}

/** The value of a cookie of a request. A name that is sent twice has none: one of the two was put there. */
export function cookieIn(cookies: readonly string[], name: string): string | undefined {
  const values = cookies.flatMap((cookie) => (cookie.startsWith(`${name}=`) ? [cookie.slice(name.length + 1)] : []));
  return values.length === 1 ? values[0] : undefined;
}

/** Sets the cookie of a session. It ends with the browser; the session ends by itself. */
export function settingSession(tenant: string, value: string): string {
  return `${sessionCookieName(tenant)}=${value}; ${ATTRIBUTES}`;
}

/** Removes the cookie that ties forms to a browser: the pages that are open in it do not count any more. */
export function removingBrowserText(): string {
  return `${BROWSER}=; ${ATTRIBUTES}; Max-Age=0`;
}

/** Removes the cookie of a session. */
export function removingSessionCookie(tenant: string): string {
  return `${sessionCookieName(tenant)}=; ${ATTRIBUTES}; Max-Age=0`;
}

/** The languages of the pages, the preferred one first: what the person has chosen here, then what the client says. */
export function localesIn(cookies: readonly string[], uiLocales?: string): string | undefined {
  const chosen = cookieIn(cookies, LANGUAGE);
  return chosen === undefined ? uiLocales : `${chosen.slice(0, 2)} ${uiLocales ?? ""}`;
}

/** Remembers the language that the person has chosen. */
export function settingLanguage(language: Language): string {
  return `${LANGUAGE}=${language}; ${ATTRIBUTES}; Max-Age=${LANGUAGE_SECONDS}`;
}

/** The sealed text that says who has signed in in this browser. */
export function knownDevicesIn(cookies: readonly string[]): string | undefined {
  return cookieIn(cookies, DEVICES);
}

/** Remembers who has signed in in this browser, for some seconds. */
export function settingKnownDevices(sealed: string, seconds: number): string {
  return `${DEVICES}=${sealed}; ${ATTRIBUTES}; Max-Age=${seconds}`;
}

/** The text that ties forms to this browser, and the cookie to set where it has none yet. */
export function browserText(cookies: readonly string[]): {
  readonly text: string;
  readonly setting: readonly string[];
} {
  const known = cookieIn(cookies, BROWSER);
  if (known !== undefined && BROWSER_FORM.test(known)) return { text: known, setting: [] };
  const text = randomBytes(RANDOM_BYTES).toString("base64url");
  return { text, setting: [`${BROWSER}=${text}; ${ATTRIBUTES}; Max-Age=${BROWSER_SECONDS}`] };
}
