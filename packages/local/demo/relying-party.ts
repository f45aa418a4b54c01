/**
 * What the demo does as a relying party, by the certified library `openid-client`: discovery, the authorization code
 * flow with PKCE, UserInfo, refresh, sign-out. Its application is a public client that is found by its name.
 */
import type { Configuration } from "openid-client";
import { type BodyOf, client } from "../../client/client.ts";

const PASSWORD = "BasicAuthenticator";
const PASSKEY = "FIDOAuthenticator";
/** How people sign in to the demo: an application of its own for each, because an application decides about that. */
export const ways = {
  password: { application: "Sign-in demo", steps: [[PASSWORD]] },
  code: { application: "Sign-in demo with one-time codes", steps: [[PASSWORD], ["totp"]] },
  passkey: { application: "Sign-in demo with passkeys", steps: [[PASSWORD], [PASSKEY]] },
  alone: { application: "Sign-in demo with passkeys alone", steps: [[PASSKEY]] },
  mail: { application: "Sign-in demo by mail", steps: [["email-otp-authenticator", "MagicLinkAuthenticator"]] },
} as const satisfies Readonly<Record<string, { readonly application: string; readonly steps: readonly Options[] }>>;
type Options = readonly string[];
export type Way = keyof typeof ways;
const wayNames = Object.keys(ways) as readonly Way[];

const SCOPE = "openid profile email groups roles";
/** A service matches loopback addresses with any port (RFC 8252 section 7.3). */
const CALLBACK_PATH = "/callback";
const SIGNED_OUT_PATH = "/";
const registered = [`http://127.0.0.1${CALLBACK_PATH}`, `http://127.0.0.1${SIGNED_OUT_PATH}`];

/** What the application knows of the person who is signed in. */
export interface SignedIn {
  readonly way: Way;
  /** Claims of the ID token, which were verified. */
  readonly idClaims: object;
  readonly userInfo: object;
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly scope: string | undefined;
  readonly expiresIn: number | undefined;
}

/** A service on this machine, and its administrator, who registers the application. */
export interface DemoService {
  readonly url: string;
  readonly administrator: { readonly username: string; readonly password: string };
  /** The directory of the mails that it has sent. */
  readonly outbox: string;
}

/** A sign-in that has begun. */
export interface Started {
  readonly address: URL;
  readonly way: Way;
  readonly checks: {
    readonly pkceCodeVerifier: string;
    readonly expectedState: string;
    readonly expectedNonce: string;
  };
}

/** A relying party. */
export interface RelyingParty {
  /** Whether its applications exist at the service. */
  isRegistered(): Promise<boolean>;
  /** Creates the applications that do not exist. */
  register(): Promise<void>;
  /** Where to send the browser. `origin`: that of the demo. */
  start(origin: string, way: Way, prompt: string | undefined): Promise<Started>;
  /** Redeems the answer of the service. Throws where it is an error, or does not fit to what was started. */
  finish(address: URL, started: Omit<Started, "address">): Promise<SignedIn>;
  refresh(person: SignedIn): Promise<SignedIn>;
  /** Where to send the browser to sign out. */
  signOut(origin: string, person: SignedIn): Promise<URL>;
}

type NewApplication = BodyOf<"POST /api/server/v1/applications">;

/** A relying party of a service. Sends nothing yet. */
export function newRelyingParty(service: DemoService): RelyingParty {
  const api = client({ url: service.url, credentials: service.administrator });

  const clientId = async (way: Way): Promise<string | undefined> => {
    const [found] = await api.applications.list({ filter: `name eq "${ways[way].application}"` }).all();
    if (!found?.id) return undefined;
    const { body } = await api.request("GET /api/server/v1/applications/{applicationId}/inbound-protocols/oidc", {
      params: { applicationId: found.id },
    });
    return body.clientId;
  };

  /** Read each time: the application may have been deleted, or the service restarted with other data. */
  const configuration = async (way: Way): Promise<Configuration> => {
    const id = await clientId(way);
    if (id === undefined) throw new Error(`There is no application "${ways[way].application}". Go back to the start.`);
    const { allowInsecureRequests, discovery, None } = await import("openid-client");
    return discovery(new URL(`${service.url}/oauth2/token`), id, undefined, None(), {
      // The service is on this machine.
      execute: [allowInsecureRequests],
    });
  };

  return {
    isRegistered: async () => !(await Promise.all(wayNames.map(clientId))).includes(undefined),

    async register() {
      for (const way of wayNames) {
        if ((await clientId(way)) === undefined) await api.applications.create(applicationOf(way));
      }
    },

    async start(origin, way, prompt) {
      const library = await import("openid-client");
      const settings = await configuration(way);
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
      return { address: atLocalhost(address), way, checks };
    },

    async finish(address, { way, checks }) {
      const library = await import("openid-client");
      const settings = await configuration(way);
      const tokens = await library.authorizationCodeGrant(settings, address, { ...checks, idTokenExpected: true });
      return known(settings, way, tokens);
    },

    async refresh(person) {
      const library = await import("openid-client");
      const settings = await configuration(person.way);
      const tokens = await library.refreshTokenGrant(settings, person.refreshToken ?? "");
      return known(settings, person.way, tokens, person);
    },

    async signOut(origin, { idToken, way }) {
      const library = await import("openid-client");
      const address = library.buildEndSessionUrl(await configuration(way), {
        id_token_hint: idToken,
        post_logout_redirect_uri: `${origin}${SIGNED_OUT_PATH}`,
      });
      return atLocalhost(address);
    },
  };
}

function applicationOf(way: Way): NewApplication {
  const { application: name, steps } = ways[way];
  const step = (options: Options, at: number) => ({
    id: at + 1,
    options: options.map((authenticator) => ({ idp: "LOCAL", authenticator })),
  });
  return {
    name,
    description: "Signs people in on this machine and shows the tokens. npm start serves it.",
    inboundProtocolConfiguration: {
      oidc: {
        grantTypes: ["authorization_code", "refresh_token"],
        callbackURLs: registered,
        publicClient: true,
        pkce: { mandatory: true },
      },
    },
    authenticationSequence: { type: "USER_DEFINED", steps: (steps as readonly Options[]).map(step) },
  };
}

/** An address of the service at the name of this machine: browsers have passkeys for names alone. */
export function atLocalhost(address: URL): URL {
  const result = new URL(address);
  if (result.hostname === "127.0.0.1") result.hostname = "localhost";
  return result;
}

type Tokens = Awaited<ReturnType<typeof import("openid-client")["authorizationCodeGrant"]>>;

/** Reads UserInfo with new tokens. A refresh may bring no ID token: the one before it stays. */
async function known(settings: Configuration, way: Way, tokens: Tokens, before?: SignedIn): Promise<SignedIn> {
  const { fetchUserInfo } = await import("openid-client");
  const idClaims = tokens.claims() ?? before?.idClaims ?? {};
  const subject = "sub" in idClaims && typeof idClaims.sub === "string" ? idClaims.sub : "";
  return {
    way,
    idClaims,
    userInfo: await fetchUserInfo(settings, tokens.access_token, subject),
    idToken: tokens.id_token ?? before?.idToken ?? "",
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? before?.refreshToken,
    scope: tokens.scope,
    expiresIn: tokens.expiresIn(),
  };
}
