/** Where clients are told of the end of a session without a browser, and what each is sent, by its protocol. */
import { randomUUID } from "node:crypto";
import { casServices } from "../../applications/protocols/cas.ts";
import { tellingServices } from "../../applications/protocols/saml-imported.ts";
import { isClaimed, readServiceUrl } from "../../applications/protocols/service-urls.ts";
import type { Application } from "../../applications/registry/model.ts";
import { element, text } from "../../kernel/canonical-xml.ts";
import type { Posting } from "../../kernel/public-post.ts";
import {
  type CasVisit,
  LOGOUT_REQUEST_PATH,
  LOGOUT_TOKEN_PATH,
  type ToldClient,
  type WaitingLogout,
} from "../../tokens/logout-model.ts";
import { idTokenAlgorithmOf } from "../openid/id-token.ts";
import type { OrderMessage } from "./order.ts";

/** A client that can be told. */
export interface BackChannel {
  readonly url: string;
  /** What is sent. Throws an `Error` where the service cannot compose it. */
  readonly compose: (logout: WaitingLogout, order: OrderMessage) => Promise<Omit<Posting, "url">>;
}

/** How a client of an application is told; `undefined` where its settings name no address for that. */
export function backChannelOf(application: Application | undefined, client: ToldClient): BackChannel | undefined {
  if (!application) return undefined;
  if (client.cas) return ofCas(application, client.cas);
  return client.saml ? ofSaml(application, client) : ofOpenId(application, client);
}

/** OpenID Connect Back-Channel Logout 1.0 section 2.5. */
function ofOpenId({ inbound: { oidc } }: Application, { clientId }: ToldClient): BackChannel | undefined {
  const url = oidc?.clientId === clientId ? oidc.logout?.backChannelLogoutUrl : undefined;
  if (!url) return undefined;
  return {
    url,
    async compose({ tenant, client, sid = "" }, order) {
      const token = await order(LOGOUT_TOKEN_PATH, {
        tenant: client?.tenant ?? tenant,
        clientId,
        subject: client?.subject ?? "",
        sid,
        algorithm: idTokenAlgorithmOf(oidc),
      });
      return {
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
        body: new URLSearchParams({ logout_token: token }).toString(),
      };
    },
  };
}

/** SAML Profiles 2.0 section 4.4, by SOAP (SAML Bindings 2.0 section 3.2). */
function ofSaml({ id, inbound: { saml } }: Application, { saml: name }: ToldClient): BackChannel | undefined {
  const [service] = saml ? tellingServices(saml) : [];
  if (service?.binding !== "SOAP" || !name) return undefined;
  const url = service.location;
  return {
    url,
    async compose({ tenant, client }, order) {
      const of = { tenant: client?.tenant ?? tenant, applicationId: id, name, destination: url };
      return {
        headers: { "content-type": "text/xml; charset=utf-8", soapaction: SOAP_ACTION },
        body: await order(LOGOUT_REQUEST_PATH, of),
      };
    },
  };
}

const SOAP_ACTION = '"http://www.oasis-open.org/committees/security"';

/** CAS protocol 3.0 section 2.3.3 and appendix C: while the application claims the service of the ticket. */
function ofCas({ inbound }: Application, { ticket, service }: CasVisit): BackChannel | undefined {
  const read = readServiceUrl(service);
  const claiming = "problem" in read ? undefined : casServices(inbound).find(({ claim }) => isClaimed(read, claim));
  if (!claiming) return undefined;
  return {
    url: claiming.logoutUrl ?? service,
    async compose({ client, endedMs }) {
      const logoutRequest = element(
        "samlp:LogoutRequest",
        {
          "xmlns:samlp": "urn:oasis:names:tc:SAML:2.0:protocol",
          "xmlns:saml": "urn:oasis:names:tc:SAML:2.0:assertion",
          ID: `_${randomUUID()}`,
          Version: "2.0",
          IssueInstant: new Date(endedMs).toISOString(),
        },
        element("saml:NameID", {}, text(client?.subject ?? "")),
        element("samlp:SessionIndex", {}, text(ticket)),
      );
      return {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ logoutRequest }).toString(),
      };
    },
  };
}
