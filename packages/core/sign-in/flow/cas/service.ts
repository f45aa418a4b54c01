/** The application of a service of CAS, and whether people can sign in to it now. */
import { casOf } from "../../../applications/protocols/cas.ts";
import { isClaimed, readServiceUrl } from "../../../applications/protocols/service-urls.ts";
import type { Application } from "../../../applications/registry/model.ts";
import { type AuthorizationRequest, unmetBy } from "../authorization-request.ts";
import type { Asker } from "../protocols/protocol.ts";
import { tokenlessClient } from "../protocols/tokenless-client.ts";
import type { AskerStores } from "../sso/asker-stores.ts";

/** The application of a request with its client; `undefined` where it may not be answered now. One round trip. */
export async function findService(
  { tenant, applicationId, to, cas }: Pick<AuthorizationRequest, "tenant" | "applicationId" | "to" | "cas">,
  { applications, tenants, sendsMail }: AskerStores,
): Promise<Asker | undefined> {
  const [application, owner] = await Promise.all([applications.find(tenant, applicationId), tenants.find(tenant)]);
  const service = cas && application && casOf(application.inbound, cas.kind);
  // The person was asked for the claims of that time.
  if (!owner?.active || !service || service.attributeRelease !== cas.release) return undefined;
  const read = readServiceUrl(to.redirectUri);
  if ("problem" in read || !isClaimed(read, service.claim)) return undefined;
  if (casProblemOf(application, sendsMail) !== undefined) return undefined;
  return { application, client: casClient(application, tenant) };
}

/** The client that an application is as a service. Its id is none that a tenant can register. */
export function casClient({ id, advancedConfigurations }: Application, tenant: string): Asker["client"] {
  const takesGuests = advancedConfigurations.saas === true;
  return tokenlessClient({ clientId: casClientId(id), tenant, applicationId: id, takesGuests });
}

/** The id of the client. Ids of tenants are of printable characters of ASCII. */
export function casClientId(applicationId: string): string {
  return `·cas·${applicationId}`;
}

/** Why people cannot sign in to a service now; `undefined` where they can. */
export function casProblemOf(application: Application, sendsMail: boolean): string | undefined {
  if (!application.applicationEnabled) return "The application is not enabled.";
  return unmetBy(application, sendsMail)?.message;
}
