/** The relying party of a request, and whether people can sign in to it now. */

import { canTakeForms } from "../../../applications/protocols/answer-addresses.ts";
import type { PassiveSts } from "../../../applications/protocols/model.ts";
import type { Application } from "../../../applications/registry/model.ts";
import { type AuthorizationRequest, unmetBy } from "../authorization-request.ts";
import type { Asker } from "../protocols/protocol.ts";
import { tokenlessClient } from "../protocols/tokenless-client.ts";
import type { AskerStores } from "../sso/asker-stores.ts";

/** The application of a request with its client; `undefined` where it may not be answered now. One round trip. */
export async function findRelyingParty(
  { tenant, applicationId, to }: Pick<AuthorizationRequest, "tenant" | "applicationId" | "to">,
  { applications, tenants, sendsMail }: AskerStores,
): Promise<Asker | undefined> {
  const [application, owner] = await Promise.all([applications.find(tenant, applicationId), tenants.find(tenant)]);
  if (!owner?.active || !application || passiveStsProblemOf(application, sendsMail) !== undefined) return undefined;
  if (application.inbound.passiveSts?.replyTo !== to.redirectUri) return undefined;
  return { application, client: passiveStsClient(application, tenant) };
}

/** The client that an application is as a relying party. Its id is none that a tenant can register. */
function passiveStsClient({ id, advancedConfigurations }: Application, tenant: string): Asker["client"] {
  const takesGuests = advancedConfigurations.saas === true;
  return tokenlessClient({ clientId: passiveStsClientId(id), tenant, applicationId: id, takesGuests });
}

/** The id of the client. Ids of tenants are of printable characters of ASCII. */
export function passiveStsClientId(applicationId: string): string {
  return `·passivests·${applicationId}`;
}

/**
 * Why people cannot sign in to a relying party now; `undefined` where they can. The service does not do less than the
 * settings ask for.
 */
export function passiveStsProblemOf(application: Application, sendsMail: boolean): string | undefined {
  const { passiveSts } = application.inbound;
  if (!passiveSts || !application.applicationEnabled) return "The application is not enabled.";
  if (!canTakeForms(passiveSts.replyTo)) {
    return "Tokens cannot go to the replyTo of the application: it must be https, or http on the machine of the person.";
  }
  return unmetBy(application, sendsMail)?.message;
}

/** The relying party of an application that was found by its realm. */
export function passiveStsOf({ passiveSts }: Pick<Application, "inbound">["inbound"]): PassiveSts {
  if (!passiveSts) throw new Error("an application without a realm was not refused");
  return passiveSts;
}
