/** Pages of applications that the browser opens at a sign-out (OpenID Connect Front-Channel Logout 1.0). */
import { isPlainHost, isRunnable } from "../../applications/protocols/addresses.ts";
import type { ApplicationStore } from "../../applications/registry/store.ts";
import type { SessionWithClients } from "../sessions/session-store.ts";

/** Pages that are opened: the policy of the page names the origin of each, and headers have at most 10,240 bytes. */
const FRAMES_MAX = 20;
const LENGTH_MAX = 2_048;

/** How the pages learn what has ended. */
interface FrameParts {
  /** The issuer of a tenant: an application knows that of its own. */
  readonly issuerOf: (tenant: string) => string;
  readonly applications: Pick<ApplicationStore, "find">;
}

/** The addresses of the pages for a session that ends, with `iss` and `sid`. One round trip, none without clients. */
export async function framesFor(
  { session, clients }: SessionWithClients,
  { issuerOf, applications }: FrameParts,
): Promise<readonly string[]> {
  const found = await Promise.all(
    clients.map(async ({ clientId, applicationId, tenant = session.tenant }) => ({
      clientId,
      tenant,
      application: await applications.find(tenant, applicationId),
    })),
  );
  const pages = found.flatMap(({ clientId, tenant, application }) => {
    const { oidc } = application?.inbound ?? {};
    // An application can be in a session as a service provider of SAML, too.
    const address = oidc?.clientId === clientId ? oidc.logout?.frontChannelLogoutUrl : undefined;
    return address === undefined || !canOpen(address) ? [] : [frameOf(address, issuerOf(tenant), session.sid)];
  });
  return [...new Set(pages)].slice(0, FRAMES_MAX);
}

function frameOf(address: string, issuer: string, sid: string): string {
  const url = new URL(address);
  url.searchParams.set("iss", issuer);
  url.searchParams.set("sid", sid);
  return url.href;
}

/** An address that came in a file may be anything. */
function canOpen(address: string): boolean {
  if (address.length > LENGTH_MAX || isRunnable(address) || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return (protocol === "https:" || protocol === "http:") && isPlainHost(hostname);
}
