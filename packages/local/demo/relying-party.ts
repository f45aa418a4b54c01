/**
 * What the demo does as a relying party, by the certified library `openid-client`: discovery, the authorization code
 * flow with PKCE, UserInfo, refresh, sign-out. Its application is a public client that is found by its name.
 */
import type { Configuration } from "openid-client";
import { client } from "../../client/client.ts";
import type { SignedIn } from "./pages.ts";

/** The name of the application at the service. */
export const APPLICATION = "Sign-in demo";
const SCOPE = "openid profile email groups roles";
/** A service matches loopback addresses with any port (RFC 8252 section 7.3). */
const CALLBACK_PATH = "/callback";
const SIGNED_OUT_PATH = "/";
const registered = [`http://127.0.0.1${CALLBACK_PATH}`, `http://127.0.0.1${SIGNED_OUT_PATH}`];

/** A service on this machine, and its administrator, who registers the application. */
export interface DemoService {
  readonly url: string;
  readonly administrator: { readonly username: string; readonly password: string };
}

/** A sign-in that has begun. */
export interface Started {
  readonly address: URL;
  readonly checks: {
    readonly pkceCodeVerifier: string;
    readonly expectedState: string;
    readonly expectedNonce: string;
  };
}

/** A relying party. */
export interface RelyingParty {
  /** Whether its application exists at the service. */
  isRegistered(): Promise<boolean>;
  /** Creates the application, if it does not exist. */
  register(): Promise<void>;
  /** Where to send the browser. `origin`: that of the demo. */
  start(origin: string, prompt: string | undefined): Promise<Started>;
  /** Redeems the answer of the service. Throws where it is an error, or does not fit to what was started. */
  finish(address: URL, checks: Started["checks"]): Promise<SignedIn>;
  refresh(person: SignedIn): Promise<SignedIn>;
  /** Where to send the browser to sign out. */
  signOut(origin: string, person: SignedIn): Promise<URL>;
}

/** A relying party of a service. Sends nothing yet. */
export function newRelyingParty(service: DemoService): RelyingParty {
  const api = client({ url: service.url, credentials: service.administrator });

  const clientId = async (): Promise<string | undefined> => {
    const [found] = await api.applications.list({ filter: `name eq "${APPLICATION}"` }).all();
    if (!found?.id) return undefined;
    const { body } = await api.request("GET /api/server/v1/applications/{applicationId}/inbound-protocols/oidc", {
      params: { applicationId: found.id },
    });
    return body.clientId;
  };

  /** Read each time: the application may have been deleted, or the service restarted with other data. */
  const configuration = async (): Promise<Configuration> => {
    const id = await clientId();
    if (id === undefined) throw new Error(`There is no application "${APPLICATION}". Go back to the start.`);
    const { allowInsecureRequests, discovery, None } = await import("openid-client");
    return discovery(new URL(`${service.url}/oauth2/token`), id, undefined, None(), {
      // The service is on this machine.
      execute: [allowInsecureRequests],
    });
  };

  return {
    isRegistered: async () => (await clientId()) !== undefined,

    async register() {
      if ((await clientId()) !== undefined) return;
      await api.applications.create({
        name: APPLICATION,
        description: "Signs people in on this machine and shows the tokens. npm start serves it.",
        inboundProtocolConfiguration: {
          oidc: {
            grantTypes: ["authorization_code", "refresh_token"],
            callbackURLs: registered,
            publicClient: true,
            pkce: { mandatory: true },
          },
        },
      });
    },

    async start(origin, prompt) {
      const library = await import("openid-client");
      const settings = await configuration();
      const checks = {
        pkceCodeVerifier: library.randomPKCECodeVerifier(),
        expectedState: library.randomState(),
        expectedNonce: library.randomNonce(),
      };
      const address = library.buildAuthorizationUrl(settings, {
        redirect_uri: `${origin}${CALLBACK_PATH}`,
        scope: SCOPE,
        state: checks.expectedState,
        nonce: checks.expectedNonce,
        code_challenge: await library.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
        code_challenge_method: "S256",
        ...(prompt !== undefined && { prompt }),
      });
      return { address, checks };
    },

    async finish(address, checks) {
      const library = await import("openid-client");
      const settings = await configuration();
      const tokens = await library.authorizationCodeGrant(settings, address, { ...checks, idTokenExpected: true });
      return known(settings, tokens);
    },

    async refresh(person) {
      const library = await import("openid-client");
      const settings = await configuration();
      const tokens = await library.refreshTokenGrant(settings, person.refreshToken ?? "");
      return known(settings, tokens, person);
    },

    async signOut(origin, { idToken }) {
      const library = await import("openid-client");
      return library.buildEndSessionUrl(await configuration(), {
        id_token_hint: idToken,
        post_logout_redirect_uri: `${origin}${SIGNED_OUT_PATH}`,
      });
    },
  };
}

type Tokens = Awaited<ReturnType<typeof import("openid-client")["authorizationCodeGrant"]>>;

/** Reads UserInfo with new tokens. A refresh may bring no ID token: the one before it stays. */
async function known(settings: Configuration, tokens: Tokens, before?: SignedIn): Promise<SignedIn> {
  const { fetchUserInfo } = await import("openid-client");
  const idClaims = tokens.claims() ?? before?.idClaims ?? {};
  const subject = "sub" in idClaims && typeof idClaims.sub === "string" ? idClaims.sub : "";
  return {
    idClaims,
    userInfo: await fetchUserInfo(settings, tokens.access_token, subject),
    idToken: tokens.id_token ?? before?.idToken ?? "",
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? before?.refreshToken,
    scope: tokens.scope,
    expiresIn: tokens.expiresIn(),
  };
}
