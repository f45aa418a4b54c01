/** The handlers of CAS. */
import { securityHeaders } from "../../http/security-headers.ts";
import type { Handlers, PageResult } from "../../kernel/operation/operation.ts";
import { sendTicket } from "./answer.ts";
import type { CasContext, CasStores } from "./context.ts";
import type { casOperations } from "./contract.ts";
import { proxyTicket } from "./proxy.ts";
import { CasRefusal } from "./refusal.ts";
import { type Format, plainOf, proxyTicketOf, refusalOf, successOf, type Written } from "./response.ts";
import { takeLogin, takeLogout } from "./take-request.ts";
import { type Validation, type Version, validateTicket } from "./validate.ts";

export const casHandlers: Handlers<typeof casOperations, CasStores> = {
  signOnByCas: ({ query }, context) => takeLogin(query, context),
  signOutByCas: ({ query }, context) => takeLogout(query, context),
  sendCasTicket: ({ query, headers }, context) => sendTicket(query.answer ?? "", headers, context),

  async validateCasTicket({ query }, context) {
    try {
      const { user } = await validateTicket(query, { takesProxies: false, hasAttributes: false }, context);
      return sent(plainOf(user));
    } catch (error) {
      if (error instanceof CasRefusal) return sent(plainOf(undefined));
      throw error;
    }
  },

  validateServiceTicket: ({ query }, context) =>
    validate(query, { takesProxies: false, hasAttributes: false }, context),
  validateServiceTicketWithAttributes: ({ query }, context) =>
    validate(query, { takesProxies: false, hasAttributes: true }, context),
  validateProxyTicket: ({ query }, context) => validate(query, { takesProxies: true, hasAttributes: false }, context),
  validateProxyTicketWithAttributes: ({ query }, context) =>
    validate(query, { takesProxies: true, hasAttributes: true }, context),

  getProxyTicket: ({ query }, context) =>
    answered(query.format, "proxyFailure", async (format) => proxyTicketOf(await proxyTicket(query, context), format)),
};

type Formatted = { readonly format?: string | undefined };

function validate(query: Validation & Formatted, version: Version, context: CasContext): Promise<PageResult> {
  return answered(query.format, "authenticationFailure", async (format) =>
    successOf(await validateTicket(query, version, context), format),
  );
}

/** Answers in the format that the service asks for, refusals too. */
async function answered(
  asked: string | undefined,
  failure: "authenticationFailure" | "proxyFailure",
  answer: (format: Format) => Promise<Written>,
): Promise<PageResult> {
  const format = asked?.toUpperCase() === "JSON" ? "JSON" : "XML";
  try {
    if (asked !== undefined && asked.toUpperCase() !== format) {
      throw new CasRefusal("INVALID_REQUEST", "format must be XML or JSON.");
    }
    return sent(await answer(format));
  } catch (error) {
    if (error instanceof CasRefusal) return sent(refusalOf(error, format, failure));
    throw error;
  }
}

function sent({ mediaType, text }: Written): PageResult {
  return {
    status: 200,
    headers: { ...securityHeaders, "content-type": `${mediaType}; charset=utf-8`, "cache-control": "no-store" },
    html: text,
  };
}
