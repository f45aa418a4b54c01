/** The answers that go to the client through the browser (RFC 6749 section 4.1.2, RFC 9207). */
import type { PageResult } from "../../kernel/operation/operation.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import type { Language } from "../pages/language.ts";
import type { Brand } from "../pages/layout.ts";
import { pageHeaders } from "../pages/layout.ts";
import { formPostPage } from "../pages/pages.ts";
import type { AuthorizationError } from "./authorization-error.ts";
import type { ReturnAddress } from "./authorization-request.ts";

/** How an answer is sent. */
export interface Sending {
  readonly tenant: string;
  readonly language: Language;
  /** How the pages of the tenant look. */
  readonly brand?: Brand;
  /** After a form the browser must use GET (RFC 9110 section 15.4.4). */
  readonly isAfterForm: boolean;
  readonly cookies?: readonly string[];
}

/** Where the service is. */
interface Service {
  readonly origin: string;
}

/** Sends a code. */
export function answerCode(code: string, to: ReturnAddress, sending: Sending, service: Service): PageResult {
  return answer({ code }, to, sending, service);
}

/** Sends an answer with tokens. */
export function answerTokens(
  parameters: Readonly<Record<string, string>>,
  to: ReturnAddress,
  sending: Sending,
  service: Service,
): PageResult {
  if (to.mode === "query") throw new Error("tokens are not sent in a query");
  return answer(parameters, to, sending, service);
}

/** Sends an error. */
export function answerError(
  { code, message }: AuthorizationError,
  to: ReturnAddress,
  sending: Sending,
  service: Service,
): PageResult {
  // The characters that a description can have (RFC 6749 section 4.1.2.1).
  const described = message.replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, "'");
  return answer({ error: code, error_description: described }, to, sending, service);
}

function answer(
  parameters: Readonly<Record<string, string>>,
  { redirectUri, mode, state }: ReturnAddress,
  { tenant, language, brand = {}, isAfterForm, cookies = [] }: Sending,
  { origin }: Service,
): PageResult {
  const all = { ...parameters, ...(state !== undefined && { state }), iss: issuerAt(origin).issuerOf(tenant) };
  if (mode === "form_post") {
    return formPostPage(redirectUri, all, { language, brand }, { cookies, formTarget: formTargetOf(redirectUri) });
  }
  const text = new URLSearchParams(all).toString();
  const joined = mode === "fragment" ? "#" : redirectUri.includes("?") ? "&" : "?";
  return {
    status: isAfterForm ? 303 : 302,
    headers: { ...pageHeaders(), location: `${redirectUri}${joined}${text}` },
    cookies,
  };
}

/** What a policy calls the place of a callback: its scheme, with the host where that is not TLS. */
export function formTargetOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === "http:" ? `${protocol}//${host}` : protocol;
}
