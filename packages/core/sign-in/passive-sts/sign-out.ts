/** Requests to sign out (WS-Federation 1.2 section 13.2.4): the person is asked, and the session ends as any other. */

import { canBeLedTo } from "../../applications/protocols/answer-addresses.ts";
import type { PassiveSts } from "../../applications/protocols/model.ts";
import type { Application } from "../../applications/registry/model.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { passiveStsClientId } from "../flow/passive-sts/relying-party.ts";
import { otherReferences, referenceIn } from "../flow/session.ts";
import { type SamlContext, tenantOf } from "../saml/context.ts";
import { readOwnSession } from "../sessions/session-store.ts";
import { leadToSignOut } from "../sso/lead-on.ts";
import { type PassiveStsParameters, refuse } from "./parameters.ts";

/**
 * Sends the browser to the page that asks, and from there to an address of the application. Two round trips where the
 * request names an application or an address. Throws `request.invalid` for an address that is not the application's.
 */
export async function takeSignOut(
  { wtrealm, wreply }: PassiveStsParameters,
  isAfterForm: boolean,
  relyingPartyOf: (realm: string, context: SamlContext) => Promise<Application>,
  context: SamlContext,
): Promise<PageResult> {
  const redirectUri =
    wtrealm === undefined
      ? await addressInSession(wreply, context)
      : addressOf(await relyingPartyOf(wtrealm, context), wreply);
  return leadToSignOut(redirectUri, { isAfterForm, carried: "wreply" }, context);
}

/** The address of an application: the one of the request, or the one that it has for this. */
function addressOf({ applicationEnabled, inbound }: Application, wreply: string | undefined): string | undefined {
  const { passiveSts } = inbound;
  const addresses = passiveSts && applicationEnabled ? addressesOf(passiveSts) : [];
  if (wreply === undefined) return addresses[0];
  if (addresses.includes(wreply)) return wreply;
  throw refuse(
    "wreply is not the replyToLogout or replyTo of the application: it must be the same, character by character.",
  );
}

function addressesOf({ replyTo, replyToLogout }: PassiveSts): readonly string[] {
  return [...(replyToLogout ? [replyToLogout] : []), replyTo].filter(canBeLedTo);
}

/**
 * An address that no application was named for, if it is one of an application that the person is signed in to here:
 * libraries name the address alone. For any other one the browser stays at the service.
 */
async function addressInSession(wreply: string | undefined, context: SamlContext): Promise<string | undefined> {
  if (wreply === undefined) return undefined;
  const tenant = tenantOf(context);
  const own = referenceIn(context, tenant);
  const references = [...(own ? [own] : []), ...otherReferences(context, tenant)];
  const sessions = await Promise.all(references.map((each) => readOwnSession(context.table, each)));
  const ids = sessions.flatMap((found) =>
    (found?.clients ?? []).flatMap(({ clientId, applicationId, tenant: of = found?.session.tenant }) =>
      of === tenant && clientId === passiveStsClientId(applicationId) ? [applicationId] : [],
    ),
  );
  const applications = await Promise.all(ids.map((id) => context.applications.find(tenant, id)));
  const isRegistered = applications.some(
    (each) => each?.inbound.passiveSts && addressesOf(each.inbound.passiveSts).includes(wreply),
  );
  return isRegistered ? wreply : undefined;
}
