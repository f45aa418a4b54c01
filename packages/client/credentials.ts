/** The `Authorization` header of requests. Tokens of clients are requested when they are needed, and kept. */
import { Fault, faultOf, parsed } from "./faults.ts";

/** The name and the password of a user (RFC 7617). */
export interface UserCredentials {
  readonly username: string;
  readonly password: string;
}

/** A client that gets tokens by the grant of client credentials (RFC 6749 section 4.4). */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The scopes to request: a list, or a text with blanks. */
  readonly scope?: string | readonly string[] | undefined;
}

/** An access token, or what returns one. A function is asked again after the service refused its token. */
export interface TokenCredentials {
  readonly token: string | ((refused?: string) => string | Promise<string>);
}

export type Credentials = UserCredentials | ClientCredentials | TokenCredentials;

/** Makes the header of the next request. */
export interface Authorization {
  header(): Promise<string>;
  /** The access token; `undefined` for a password. */
  token(): Promise<string | undefined>;
  /** Forgets a token that the service refused. False where another attempt would send the same credential. */
  forget(header: string): boolean;
}

/** How a token is requested: by the transport, so that it retries. */
export type Post = (form: URLSearchParams, authorization: string) => Promise<{ response: Response; text: string }>;

/** A token is renewed this long before it expires, so that no request carries one that expires on its way. */
const EARLY_SECONDS = 30;
const TOKEN_ROUTE = "POST /oauth2/token";

interface Kept {
  readonly value: string;
  readonly until: number;
}

/** The authorization of a credential. Throws a `TypeError` for one that cannot be sent. */
export function authorizationOf(credentials: Credentials, post: Post): Authorization {
  if ("username" in credentials) {
    if (credentials.username.includes(":")) throw new TypeError("A user name for Basic cannot contain a colon.");
    const header = basic(credentials.username, credentials.password);
    return { header: async () => header, token: async () => undefined, forget: () => false };
  }
  const fetched = "token" in credentials ? fromProgram(credentials.token) : fromClient(credentials, post);
  let kept: Promise<Kept> | undefined;
  const token = async (): Promise<string> => {
    const asked = kept;
    const known = await asked;
    if (known && Date.now() < known.until) return known.value;
    // Requests that run at the same time wait for one token.
    if (kept === asked) {
      kept = fetched(known?.value);
      kept.catch(() => {
        kept = undefined;
      });
    }
    return kept ? (await kept).value : token();
  };
  return {
    header: async () => `Bearer ${await token()}`,
    token,
    forget(header) {
      if ("token" in credentials && typeof credentials.token === "string") return false;
      const refused = header.slice("Bearer ".length);
      kept = kept?.then((known) => (known.value === refused ? { value: refused, until: 0 } : known));
      return true;
    },
  };
}

function fromProgram(given: TokenCredentials["token"]) {
  return async (refused?: string): Promise<Kept> => ({
    value: typeof given === "string" ? given : await given(refused),
    until: Number.POSITIVE_INFINITY,
  });
}

function fromClient({ clientId, clientSecret, scope }: ClientCredentials, post: Post) {
  // RFC 6749 section 2.3.1: id and secret are form-encoded before they are joined.
  const encoded = (text: string) => new URLSearchParams([["", text]]).toString().slice(1);
  const authorization = basic(encoded(clientId), encoded(clientSecret));
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scope?.length) form.set("scope", typeof scope === "string" ? scope : scope.join(" "));
  return async (): Promise<Kept> => {
    const { response, text } = await post(form, authorization);
    if (!response.ok) throw faultOf(TOKEN_ROUTE, response, text);
    const { access_token: value, expires_in: seconds } = (parsed(text) ?? {}) as Record<string, unknown>;
    if (typeof value !== "string" || value === "") {
      throw new Fault({ route: TOKEN_ROUTE, status: response.status, detail: "The answer has no access token." });
    }
    const lifetime = typeof seconds === "number" ? seconds : Number.POSITIVE_INFINITY;
    // A lifetime of less than two margins is used to its half.
    return { value, until: Date.now() + Math.max(lifetime - EARLY_SECONDS, lifetime / 2) * 1_000 };
  };
}

function basic(name: string, password: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${name}:${password}`)))}`;
}
