/**
 * What the demo does as a service provider of SAML 2.0, by the library `node-saml`: sign-in by redirect and form, and
 * single logout. Its application has no certificate: its requests are not signed.
 */
import { type BodyOf, client } from "../../client/client.ts";
import type { Profile, SAML, Validated } from "./node-saml.js";
import { atLocalhost, type DemoService } from "./relying-party.ts";

const NAME = "Sign-in demo with SAML";
const ISSUER = "urn:example:sign-in-demo";
const LOCAL = "http://wso2.org/claims/";
const CLAIMS = ["givenname", "lastname", "emailaddress", "groups"];

/** The paths of the demo that the service sends browsers to. */
export const samlPaths = { consumer: "/saml/consumer", logout: "/saml/logout" } as const;

/** A service provider at an address. */
export interface ServiceProvider {
  /** Whether its application exists at the service, with the addresses of this demo. */
  isRegistered(): Promise<boolean>;
  /** Creates the application, or gives it these addresses. */
  register(): Promise<void>;
  /** Where to send the browser to sign in. `relayState` comes back with the answer. */
  start(relayState: string): Promise<URL>;
  /** The person of an answer. Throws where it does not count. */
  finish(fields: Readonly<Record<string, string>>): Promise<Profile>;
  /** Where to send the browser to sign out. */
  signOut(person: Profile): Promise<URL>;
  /** Takes a message of logout by redirect. Returns where the browser goes: back to the service that asks. */
  takeLogout(query: string): Promise<URL | undefined>;
}

/** The service provider of a demo at an origin. Sends nothing yet. */
export function newServiceProvider(service: DemoService, origin: string): ServiceProvider {
  const api = client({ url: service.url, credentials: service.administrator });
  const settings = settingsAt(origin);
  let library: Promise<SAML> | undefined;

  const applicationId = async (): Promise<string | undefined> =>
    (await api.applications.list({ filter: `name eq "${NAME}"` }).all())[0]?.id;

  const opened = (): Promise<SAML> => {
    library ??= openLibrary(service, origin);
    return library;
  };

  return {
    async isRegistered() {
      const id = await applicationId();
      if (id === undefined) return false;
      const { body } = await api.request("GET /api/server/v1/applications/{applicationId}/inbound-protocols/saml", {
        params: { applicationId: id },
      });
      return body.assertionConsumerUrls.includes(`${origin}${samlPaths.consumer}`);
    },

    async register() {
      const id = await applicationId();
      if (id === undefined) await api.applications.create(applicationWith(settings));
      else {
        await api.request("PUT /api/server/v1/applications/{applicationId}/inbound-protocols/saml", {
          params: { applicationId: id },
          body: { manualConfiguration: settings },
        });
      }
    },

    async start(relayState) {
      return atLocalhost(new URL(await (await opened()).getAuthorizeUrlAsync(relayState, undefined, {})));
    },

    async finish(fields) {
      return personIn(await (await opened()).validatePostResponseAsync(fields));
    },

    async signOut(person) {
      return atLocalhost(new URL(await (await opened()).getLogoutUrlAsync(person, "", {})));
    },

    async takeLogout(query) {
      const saml = await opened();
      const fields = Object.fromEntries(new URLSearchParams(query));
      // The library verifies a signature that is there, and takes a message without one.
      if (fields.Signature === undefined) throw new Error("The logout message has no signature.");
      const validated = await saml.validateRedirectAsync(fields, query);
      if (fields.SAMLRequest === undefined) return undefined;
      return atLocalhost(new URL(await saml.getLogoutResponseUrlAsync(personIn(validated), "", {}, true)));
    },
  };
}

async function openLibrary({ url }: DemoService, origin: string): Promise<SAML> {
  const library = await import("./node-saml.js");
  return new library.SAML({
    entryPoint: `${url}/samlsso`,
    logoutUrl: `${url}/samlsso`,
    issuer: ISSUER,
    callbackUrl: `${origin}${samlPaths.consumer}`,
    // Read each time: the service may have been restarted with other data.
    idpCert: (done: (error: Error | null, certificates?: readonly string[]) => void) => {
      certificatesOf(url).then((found) => done(null, found), done);
    },
    idpIssuer: url,
    audience: ISSUER,
    identifierFormat: null,
    validateInResponseTo: "always",
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: true,
  });
}

/** The certificates in the metadata of the identity provider. */
async function certificatesOf(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/identity/metadata/saml2`);
  const found = [...(await response.text()).matchAll(/X509Certificate>([^<]+)</g)].map(([, text = ""]) => text);
  if (found.length === 0) throw new Error(`The service answered ${response.status} instead of its SAML metadata.`);
  return found;
}

function personIn({ profile }: Validated): Profile {
  if (!profile) throw new Error("The message of the service names no person.");
  return profile;
}

type NewApplication = BodyOf<"POST /api/server/v1/applications">;

function settingsAt(origin: string) {
  const logout = `${origin}${samlPaths.logout}`;
  return {
    issuer: ISSUER,
    assertionConsumerUrls: [`${origin}${samlPaths.consumer}`],
    attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true },
    responseSigning: { enabled: true },
    singleLogoutProfile: {
      logoutMethod: "FRONTCHANNEL_HTTP_REDIRECT",
      logoutRequestUrl: logout,
      logoutResponseUrl: logout,
    },
  } as const;
}

function applicationWith(settings: ReturnType<typeof settingsAt>): NewApplication {
  return {
    name: NAME,
    description: "Signs people in on this machine and shows what SAML says of them. npm start serves it.",
    inboundProtocolConfiguration: {
      saml: { manualConfiguration: { ...settings, assertionConsumerUrls: [...settings.assertionConsumerUrls] } },
    },
    claimConfiguration: {
      dialect: "LOCAL",
      requestedClaims: CLAIMS.map((name) => ({ claim: { uri: `${LOCAL}${name}` }, mandatory: false })),
    },
  };
}
