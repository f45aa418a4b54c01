/** What a deployment allows OAuth clients: the section `[oauth]` of deployment.toml (decision 0067). Pure. */
import { Fault } from "../../kernel/faults.ts";
import { checkEach } from "../../kernel/together.ts";
import { tokenLifetimes } from "./options.ts";

/** The limits of the OAuth clients of all tenants. */
export interface ClientLimits {
  /** The least strength of a client secret that a caller chooses. */
  readonly secretBitsMin: number;
  /** The most secrets of one client that have not expired. */
  readonly clientSecretsMax: number;
  /** The longest lifetimes, in seconds. */
  readonly accessTokenSecondsMax: number;
  readonly refreshTokenSecondsMax: number;
  readonly idTokenSecondsMax: number;
}

const DAY_SECONDS = 86_400;

/**
 * The most secrets that a deployment can allow. The row that the token endpoint reads of a client stays below 4 KB with
 * so many that were created here, and so a token within its units.
 */
export const CLIENT_SECRETS_CEILING = 10;

/** The limits where deployment.toml sets none. */
export const defaultClientLimits: ClientLimits = {
  secretBitsMin: 64,
  clientSecretsMax: 2,
  accessTokenSecondsMax: 30 * DAY_SECONDS,
  refreshTokenSecondsMax: 90 * DAY_SECONDS,
  idTokenSecondsMax: 30 * DAY_SECONDS,
};

/** The lifetimes where an application sets none, or 0. A default is never above its ceiling. */
export function defaultLifetimes(limits: ClientLimits): { readonly [Name in keyof typeof tokenLifetimes]: number } {
  const { userAccessTokenSeconds, applicationAccessTokenSeconds, refreshTokenSeconds, idTokenSeconds } = tokenLifetimes;
  const { subjectTokenSeconds } = tokenLifetimes;
  return {
    userAccessTokenSeconds: Math.min(userAccessTokenSeconds, limits.accessTokenSecondsMax),
    applicationAccessTokenSeconds: Math.min(applicationAccessTokenSeconds, limits.accessTokenSecondsMax),
    refreshTokenSeconds: Math.min(refreshTokenSeconds, limits.refreshTokenSecondsMax),
    idTokenSeconds: Math.min(idTokenSeconds, limits.idTokenSecondsMax),
    subjectTokenSeconds: Math.min(subjectTokenSeconds, limits.accessTokenSecondsMax),
  };
}

/** Lifetimes of tokens in a body, in seconds. */
export interface Lifetimes {
  readonly accessToken?:
    | {
        readonly userAccessTokenExpiryInSeconds?: number | undefined;
        readonly applicationAccessTokenExpiryInSeconds?: number | undefined;
      }
    | undefined;
  readonly refreshToken?: { readonly expiryInSeconds?: number | undefined } | undefined;
  readonly idToken?: { readonly expiryInSeconds?: number | undefined } | undefined;
  readonly subjectToken?: { readonly applicationSubjectTokenExpiryInSeconds?: number | undefined } | undefined;
}

/** Throws `client.invalid`, which names the ceiling, for a lifetime above it. */
export function checkLifetimes(given: Lifetimes, limits: ClientLimits): void {
  const { accessToken, refreshToken, idToken, subjectToken } = given;
  const access = [limits.accessTokenSecondsMax, "max_access_token_lifetime"] as const;
  const lifetimes = [
    ["accessToken.userAccessTokenExpiryInSeconds", accessToken?.userAccessTokenExpiryInSeconds, ...access],
    [
      "accessToken.applicationAccessTokenExpiryInSeconds",
      accessToken?.applicationAccessTokenExpiryInSeconds,
      ...access,
    ],
    [
      "subjectToken.applicationSubjectTokenExpiryInSeconds",
      subjectToken?.applicationSubjectTokenExpiryInSeconds,
      ...access,
    ],
    [
      "refreshToken.expiryInSeconds",
      refreshToken?.expiryInSeconds,
      limits.refreshTokenSecondsMax,
      "max_refresh_token_lifetime",
    ],
    ["idToken.expiryInSeconds", idToken?.expiryInSeconds, limits.idTokenSecondsMax, "max_id_token_lifetime"],
  ] as const;
  checkEach(lifetimes, ([field, seconds = 0, most, key]) => {
    if (seconds <= most) return;
    throw refuse(`${field} must be at most ${most} seconds, the ${key} of this server. Choose a shorter lifetime.`);
  });
}

/** How often, and for how many seconds, a used refresh token can count again, with the defaults (decision 0157). */
const graceful = {
  gracefulRefreshTokenRotationValidityPeriod: { most: 60, fallback: 30, unit: "seconds" },
  gracefulRefreshTokenReuseLimit: { most: 5, fallback: 5, unit: "times" },
} as const;
type GracefulName = keyof typeof graceful;
type GracefulNumbers = { readonly [Name in GracefulName]?: number | undefined };

/** The settings of graceful rotation in a body or of a client. */
export interface Graceful extends GracefulNumbers {
  readonly gracefulRefreshTokenRotationEnabled?: boolean | undefined;
}

/** Throws `client.invalid` for a period or a limit that is more than a moment for clients that share a token. */
export function checkGraceful(given: Graceful): void {
  checkEach(Object.entries(graceful), ([name, { most, fallback, unit }]) => {
    const number = given[name as GracefulName] ?? 0;
    if (number >= 0 && number <= most) return;
    throw refuse(
      `refreshToken.${name} must be 1 to ${most} ${unit}, or 0 for ${fallback}: a stolen refresh token would count ` +
        "again as long and as often.",
    );
  });
}

/** The settings of graceful rotation after a checked body: both numbers where it is on. */
export function gracefulOf(given: Graceful): Graceful {
  const isOn = given.gracefulRefreshTokenRotationEnabled;
  const numbers = Object.entries(graceful).map(([name, { fallback }]) => {
    return [name, given[name as GracefulName] || (isOn ? fallback : undefined)] as const;
  });
  return {
    ...(isOn !== undefined && { gracefulRefreshTokenRotationEnabled: isOn }),
    ...Object.fromEntries(numbers.filter(([, number]) => number !== undefined)),
  };
}

/** Throws `client.invalid` for a client secret that can be guessed. */
export function checkSecretStrength(secret: string, clientId: string | undefined, { secretBitsMin }: ClientLimits) {
  const bits = secret === clientId ? 0 : Math.floor(strengthOf(secret));
  if (bits >= secretBitsMin) return;
  throw refuse(
    `The clientSecret is too easy to guess: its strength is about ${bits} bits, and the min_client_secret_bits of ` +
      `this server is ${secretBitsMin}. Leave it out, so that the server creates one, or send a longer random text.`,
  );
}

/** The kinds of printable characters, and how many there are of each. */
const KINDS = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/[^a-zA-Z0-9]/, 33],
] as const;

/**
 * An estimate of the bits that a text takes to guess, never more than a random text of its length has: the first
 * character and each different pair of neighbours count. Repetitions and runs of the alphabet count for nothing. A
 * character counts with the mean of two logarithms: of the characters that the text uses, and of their kinds.
 */
export function strengthOf(text: string): number {
  const characters = [...text];
  const pairs = new Set(
    characters.slice(1).flatMap((second, at) => {
      const first = characters[at] ?? "";
      const isRun = Math.abs((first.codePointAt(0) ?? 0) - (second.codePointAt(0) ?? 0)) <= 1;
      return isRun ? [] : [first + second];
    }),
  );
  const possible = KINDS.reduce((sum, [kind, size]) => sum + (kind.test(text) ? size : 0), 0);
  const used = new Set(characters).size;
  return used === 0 ? 0 : ((pairs.size + 1) * (Math.log2(used) + Math.log2(possible))) / 2;
}

function refuse(description: string): Fault {
  return new Fault("client.invalid", description);
}
