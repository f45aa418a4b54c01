/**
 * What the browser does for other clients at a sign-out: it opens pages of OpenID Connect clients (OpenID Connect
 * Front-Channel Logout 1.0) and of relying parties of WS-Federation (version 1.2, section 13.2.4), and visits service
 * providers of SAML (SAML Profiles 2.0 section 4.4).
 */
import { isPlainHost, isRunnable } from "../../applications/protocols/addresses.ts";
import type { SamlServiceProvider } from "../../applications/protocols/model.ts";
import { type LogoutService, tellingServices } from "../../applications/protocols/saml-imported.ts";
import type { ApplicationStore } from "../../applications/registry/store.ts";
import type { Frame, Visit } from "../logout/chain-store.ts";
import type { SessionWithClients } from "../sessions/session-store.ts";
import { passiveStsClientId } from "./passive-sts/relying-party.ts";

/** Pages that are opened: the policy of the page names the origin of each, and headers have at most 10,240 bytes. */
const FRAMES_MAX = 20;
const LENGTH_MAX = 2_048;

/** How the pages learn what has ended. */
interface FrameParts {
  /** The issuer of a tenant: an application knows that of its own. */
  readonly issuerOf: (tenant: string) => string;
  readonly applications: Pick<ApplicationStore, "find">;
}

/** What the browser has to do. */
export interface FrontChannels {
  /** Pages that it opens unseen. */
  readonly frames: readonly Frame[];
  /** Service providers that it visits. */
  readonly visits: readonly Visit[];
  /** True where the settings of a service provider name no way to tell it. */
  readonly isPartial: boolean;
}

/** What the browser does for a session that ends. One round trip, none without clients. */
export async function frontChannelsOf(
  { session, clients }: SessionWithClients,
  { issuerOf, applications }: FrameParts,
): Promise<FrontChannels> {
  // A client of CAS has several rows in a session.
  const reads = new Map<string, ReturnType<ApplicationStore["find"]>>();
  const read = (tenant: string, id: string) => {
    const known = reads.get(`${tenant}#${id}`) ?? applications.find(tenant, id);
    reads.set(`${tenant}#${id}`, known);
    return known;
  };
  const found = await Promise.all(
    clients.map(async ({ endsTokens: _, tenant = session.tenant, ...client }) => ({
      client: { ...client, tenant, sid: session.sid },
      inbound: (await read(tenant, client.applicationId))?.inbound,
    })),
  );
  const pages = found.flatMap(({ client: { clientId, applicationId, tenant }, inbound }) => {
    const { oidc, passiveSts } = inbound ?? {};
    if (passiveSts && clientId === passiveStsClientId(applicationId)) {
      return canOpen(passiveSts.replyTo) ? [withParameters(passiveSts.replyTo, { wa: "wsignoutcleanup1.0" })] : [];
    }
    // An application can be in a session by several protocols.
    const address = oidc?.clientId === clientId ? oidc.logout?.frontChannelLogoutUrl : undefined;
    if (address === undefined || !canOpen(address)) return [];
    return [withParameters(address, { iss: issuerOf(tenant), sid: session.sid })];
  });
  const providers = found.flatMap(({ client, inbound }) =>
    client.saml && inbound?.saml ? [{ client, saml: inbound.saml }] : [],
  );
  return {
    frames: [...new Set(pages)].slice(0, FRAMES_MAX).map((address) => ({ sid: session.sid, address })),
    visits: providers.flatMap(({ client, saml }) => (visitedService(saml) ? [client] : [])),
    isPartial: providers.some(({ saml }) => tellingServices(saml).length === 0),
  };
}

/** The service that a browser is sent to with a logout request; `undefined` for a provider that is told by SOAP. */
export function visitedService(saml: SamlServiceProvider): LogoutService | undefined {
  const [service] = tellingServices(saml);
  return service && service.binding !== "SOAP" ? service : undefined;
}

function withParameters(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** An address that came in a file may be anything. */
function canOpen(address: string): boolean {
  if (address.length > LENGTH_MAX || isRunnable(address) || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return (protocol === "https:" || protocol === "http:") && isPlainHost(hostname);
}
