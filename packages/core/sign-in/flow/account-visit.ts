/** Leads a person to the pages of the own account, by a sign-in where one is needed (decision 0190). */
import { findFactors } from "../../directory/credentials/factor-store.ts";
import { mustChangePassword, qualifiedName } from "../../directory/users/model.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { languageOf } from "../pages/language.ts";
import { pathOf } from "../pages/paths.ts";
import { ACCOUNT_ID, type AccountVisit, accountApplication, pathOfVisit } from "./account.ts";
import type { Asked } from "./asked.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { tenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { browserText, localesIn } from "./cookies.ts";
import { standingIn } from "./factors.ts";
import type { PageHeaders } from "./forms.ts";
import { currentSession, referenceIn } from "./session.ts";
import { askWho, proceed } from "./steps.ts";
import { stepsOf } from "./ways.ts";

/**
 * Takes a visit. `again`: the person signs in again, which every task needs. Throws `request.invalid` for a tenant that
 * does not exist or is switched off. Two round trips at most.
 */
export async function visitAccount(
  { again, page, task }: AccountVisit & { readonly again?: string | undefined },
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const tenant = context.pathTenant ?? SUPER_TENANT;
  const [owner, current, facts] = await Promise.all([
    context.tenants.find(tenant),
    currentSession(referenceIn(context, tenant), ACCOUNT_ID, context),
    tenantFacts(tenant, [], context),
  ]);
  if (!owner?.active) throw new Fault("request.invalid", "There is no such tenant here, or it is switched off.");
  const isAgain = again !== undefined || task !== undefined;
  const visit: AccountVisit = { ...(page && { page }), ...(task && { task }) };
  const request: AuthorizationRequest = {
    tenant,
    clientId: ACCOUNT_ID,
    applicationId: ACCOUNT_ID,
    to: { redirectUri: `${context.origin}${pathOf(pathOfVisit(visit), tenant)}`, mode: "query" },
    isRedirectSent: true,
    scopes: [],
    resources: [],
    prompts: isAgain ? ["login"] : [],
    ...(current && { loginHint: qualifiedName(current.user) }),
    account: visit,
  };
  const language = languageOf(localesIn(context.cookies), headers["accept-language"]);
  const browser = browserText(context.cookies);
  const own = accountApplication(tenant, language);
  const asked: Asked = {
    tenant,
    language,
    brand: context.tools.settings.brandOf(tenant),
    isAfterForm: false,
    cookies: browser.setting,
    browser: browser.text,
    request,
    ...own,
    steps: stepsOf(own.application, request, context.tools),
  };
  const usable = current && !mustChangePassword(current.user) ? current : undefined;
  const asking = askWho(asked, usable !== undefined, context);
  if (asking) return asking();
  if (!usable) throw new Error("a person without a session was not asked who it is");
  const factors = await findFactors(context.table, tenant, usable.user.id);
  return proceed(asked, standingIn(usable), { factors, consent: undefined, facts }, [], context);
}
