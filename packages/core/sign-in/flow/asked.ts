/** A request that is on its way to an answer, as every page and step has it. */
import { Fault } from "../../kernel/faults.ts";
import type { Consent } from "../sessions/consent-store.ts";
import { accountApplication } from "./account.ts";
import type { Sending } from "./answers.ts";
import { type AuthorizationRequest, problemOf } from "./authorization-request.ts";
import type { CodeRequest, TenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import type { OpenedForm } from "./forms.ts";
import type { Stage } from "./pending.ts";
import { isRegistered } from "./redirects.ts";
import { isStillAllowed } from "./response-types.ts";
import type { Current } from "./session.ts";
import { type Steps, stepsOf } from "./ways.ts";

/** A request with everything that answers to it need. */
export interface Asked extends Sending, CodeRequest {
  readonly browser: string;
  readonly cookies: readonly string[];
  /** What the person must prove. */
  readonly steps: Steps;
  readonly session?: string | undefined;
}

/** What is known of the user of a request. */
export interface Known {
  readonly current: Current;
  readonly consent: Consent | undefined;
  readonly facts: TenantFacts;
}

/** Whether the user of a session is a guest of the application of a request. */
export function isGuestOf({ tenant }: AuthorizationRequest, { session }: Current): boolean {
  return session.tenant !== tenant;
}

/**
 * The request of a form. One round trip. Throws `request.invalid` where the application has changed meanwhile, or its
 * tenant is not active any more.
 */
export function taken(form: OpenedForm<"sign-in" | "consent">, context: SignInContext): Promise<Asked> {
  return takenRequest(form.pending.request, form, context);
}

/** The same of a form that has the request among other things. */
export async function takenRequest(
  request: AuthorizationRequest,
  { pending: { session }, browser, language }: OpenedForm<Stage>,
  context: SignInContext,
): Promise<Asked> {
  const { tenant, applicationId, clientId, to } = request;
  const sending = sendingOf(tenant, { browser, language }, context);
  if (request.account) {
    if (!(await context.tenants.find(tenant))?.active) throw changed();
    const own = accountApplication(tenant, language);
    const steps = stepsOf(own.application, request, context.tools);
    return { ...sending, request, ...own, steps, browser: browser.text, session };
  }
  const [application, client, owner] = await Promise.all([
    context.applications.find(tenant, applicationId),
    context.clients.find(clientId),
    context.tenants.find(tenant),
  ]);
  const registered = application?.inbound.oidc?.callbackURLs ?? [];
  const isSame = owner?.active && client?.tenant === tenant && client.applicationId === applicationId;
  const { recovers } = context.tools;
  const mayBeAnswered = application && !problemOf(application, recovers) && isStillAllowed(request.types, application);
  if (!mayBeAnswered || !isSame || !(await isRegistered(to.redirectUri, registered))) {
    throw changed();
  }
  const steps = stepsOf(application, request, context.tools);
  return { ...sending, request, application, client, steps, browser: browser.text, session };
}

function sendingOf(
  tenant: string,
  { browser, language }: Pick<OpenedForm<Stage>, "browser" | "language">,
  { tools }: SignInContext,
) {
  return { tenant, language, brand: tools.settings.brandOf(tenant), cookies: browser.setting, isAfterForm: true };
}

function changed(): Fault {
  return new Fault("request.invalid", "The application was changed meanwhile. Go back to it and sign in again.");
}
