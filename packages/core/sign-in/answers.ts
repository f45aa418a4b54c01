/** The answers that go to the client through the browser (RFC 6749 section 4.1.2, RFC 9207). */
import type { PageResult } from "../operation/operation.ts";
import { issuerAt } from "../tokens/jwt.ts";
import type { AuthorizationError, ReturnAddress } from "./authorization-request.ts";
import type { SignInContext } from "./context.ts";
import { pageHeaders } from "./pages/layout.ts";
import type { Language } from "./pages/messages.ts";
import { formPostPage } from "./pages/pages.ts";

/** How an answer is sent. */
export interface Sending {
  readonly tenant: string;
  readonly language: Language;
  /** After a form the browser must use GET (RFC 9110 section 15.4.4). */
  readonly isAfterForm: boolean;
  readonly cookies?: readonly string[];
}

/** Sends a code. */
export function answerCode(code: string, to: ReturnAddress, sending: Sending, context: SignInContext): PageResult {
  return answer({ code }, to, sending, context);
}

/** Sends an error. */
export function answerError(
  { code, message }: AuthorizationError,
  to: ReturnAddress,
  sending: Sending,
  context: SignInContext,
): PageResult {
  // The characters that a description can have (RFC 6749 section 4.1.2.1).
  const described = message.replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, "'");
  return answer({ error: code, error_description: described }, to, sending, context);
}

function answer(
  parameters: Readonly<Record<string, string>>,
  { redirectUri, mode, state }: ReturnAddress,
  { tenant, language, isAfterForm, cookies = [] }: Sending,
  { origin, tools }: SignInContext,
): PageResult {
  const all = { ...parameters, ...(state !== undefined && { state }), iss: issuerAt(origin).issuerOf(tenant) };
  if (mode === "form_post") {
    return formPostPage(
      redirectUri,
      all,
      { language, brand: tools.settings.brandOf(tenant) },
      { cookies, formTarget: formTargetOf(redirectUri) },
    );
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
