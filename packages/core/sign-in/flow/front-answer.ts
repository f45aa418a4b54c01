/**
 * Answers with tokens through the browser (OpenID Connect Core 1.0 sections 3.2.2.5 and 3.3.2.5; decision 0120). The
 * function of the token endpoint serves this: it alone can sign tokens, and reads again what a sign-in entitles to.
 */
import { unusableBy } from "../../applications/registry/client-model.ts";
import type { Client } from "../../applications/registry/client-store.ts";
import type { Step } from "../../database/table/table.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Handlers, PageResult } from "../../kernel/operation/operation.ts";
import { storingCode } from "../../tokens/code-store.ts";
import { digestOf, newOpaque } from "../../tokens/opaque.ts";
import { isEndedBy } from "../../tokens/revocation-store.ts";
import { accessTokenOf, rightsOf } from "../oauth/code-tokens.ts";
import type { OAuthContext, OAuthStores } from "../oauth/context.ts";
import { tokenResponse } from "../oauth/issue.ts";
import { issueIdToken, subjectClaims } from "../oauth/open-id.ts";
import { askedResources } from "../oauth/targets.ts";
import { languageOf } from "../pages/language.ts";
import { answerError, answerTokens } from "./answers.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { answerOperations } from "./contract-answers.ts";
import { browserText } from "./cookies.ts";
import { type FrontAnswer, findAnswer, usingTicket } from "./front-store.ts";

/** What answers need besides the token endpoint's. */
export interface AnswerStores extends OAuthStores {
  /** The cookies of the request, `name=value` each. */
  readonly cookies: readonly string[];
}

export const answerHandlers: Handlers<typeof answerOperations, AnswerStores> = {
  async sendAnswer({ query, headers }, context): Promise<PageResult> {
    const { ticket = "" } = query;
    const found = await findAnswer(context.table, ticket, context.now);
    const isOfBrowser = found?.browser === digestOf(browserText(context.cookies).text);
    if (!found || !isOfBrowser || found.code.tenant !== (context.pathTenant ?? SUPER_TENANT)) throw unknownTicket();
    const { tenant, redirectUri } = found.code;
    const to = { redirectUri, mode: found.mode, state: found.state };
    const language = languageOf(undefined, headers["accept-language"]);
    const sending = { tenant, language, isAfterForm: false };
    const using = usingTicket(ticket, unknownTicket);
    try {
      const { parameters, steps } = await contentOf(found, context);
      await context.table.write(using, ...steps);
      return answerTokens(parameters, to, sending, context);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      await context.table.write(using);
      return answerError(refusal, to, sending, context);
    }
  },
};

/** What an answer contains, and the steps that store it. */
async function contentOf({ code, types, state }: FrontAnswer, context: OAuthContext) {
  const [client, owner] = await Promise.all([context.clients.find(code.clientId), context.tenants.find(code.tenant)]);
  if (!client || !owner?.active || !mayAnswer(client, code, context))
    throw changed("The application was changed meanwhile.");
  if (types.includes("token") && client.settings.binding !== undefined) {
    throw changed("The access tokens of the application are bound to a key now.");
  }
  const rights = await rightsOf(code, client, askedResources(code.resources, context.origin), context);
  if (!rights) throw new AuthorizationError("access_denied", "The sign-in has ended meanwhile.");
  const codeText = types.includes("code") ? newOpaque("ac_") : undefined;
  const issued = types.includes("token") ? await accessTokenOf(code, client, rights, {}, context) : undefined;
  const idToken = types.includes("id_token")
    ? await frontIdToken(code, rights, { codeText, accessToken: issued?.text, state }, context)
    : undefined;
  const { expires_in, ...token } = issued ? tokenResponse(issued) : { expires_in: undefined };
  const parameters: Readonly<Record<string, string>> = {
    ...(codeText !== undefined && { code: codeText }),
    ...token,
    ...(expires_in !== undefined && { expires_in: String(expires_in) }),
    ...(idToken !== undefined && { id_token: idToken }),
  };
  const steps: readonly Step[] = [
    ...(codeText === undefined ? [] : [storingCode(codeText, code)]),
    ...(issued?.steps ?? []),
  ];
  return { parameters, steps };
}

/** Whether the client is the one of the sign-in, and may be used. */
function mayAnswer(client: Client, code: FrontAnswer["code"], { now }: OAuthContext): boolean {
  const { settings, tenant, applicationId, tokensFromMs, assignedFromMs } = client;
  const fromMs = Math.max(tokensFromMs, assignedFromMs);
  const isSame = tenant === code.tenant && applicationId === code.applicationId;
  return isSame && !unusableBy(settings) && !isEndedBy(fromMs, code, now);
}

async function frontIdToken(
  code: FrontAnswer["code"],
  { openId, status }: NonNullable<Awaited<ReturnType<typeof rightsOf>>>,
  { codeText, accessToken, state }: Readonly<Partial<Record<"codeText" | "accessToken" | "state", string | undefined>>>,
  context: OAuthContext,
): Promise<string> {
  if (!openId) throw new AuthorizationError("invalid_scope", "An ID token needs the scope openid.");
  const about = await subjectClaims(code.tenant, code.user, openId, status, context);
  const issuedWith = { issuedAtSeconds: Math.floor(context.now / 1_000), code: codeText, accessToken, state };
  return issueIdToken({ ...code, ...code.idToken }, openId, about, issuedWith, context);
}

/** A failure that the client is told; `undefined` for any other. */
function refusalOf(error: unknown): AuthorizationError | undefined {
  if (error instanceof AuthorizationError) return error;
  if (!(error instanceof Fault) || error.fault !== "target.invalid") return undefined;
  return new AuthorizationError("invalid_target", error.description);
}

function changed(why: string): AuthorizationError {
  return new AuthorizationError("unauthorized_client", why);
}

function unknownTicket(): Fault {
  return new Fault(
    "request.invalid",
    "This address was used, is too old, or was opened in another browser. Go back to the application and start again.",
  );
}
