/** Addresses and origins of OAuth2 / OpenID Connect clients: checks of a body, and what is stored (decision 0155). */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import { checkTogether, checkTogetherLater } from "../../kernel/together.ts";
import { isReadableByOthers, readAddress, readOrigin, shownAddress, storedAddress } from "./addresses.ts";
import { readPattern } from "./pattern.ts";
import { PATTERN_LIMITS } from "./pattern-size.ts";
import type { OidcBody } from "./shapes.ts";

type Body = z.output<typeof OidcBody>;
type Addresses = Pick<Body, "callbackURLs" | "allowedOrigins" | "logout">;

/** Where a body comes from: files of other servers have addresses that a request cannot register. */
export type Source = "request" | "file";

/** What a callback that is an RE2 expression begins with. */
export const EXPRESSION = "regexp=";
/** Expressions are more expensive to check than addresses. */
const EXPRESSIONS_MAX = 10;
/** An expression that matches this address matches any. */
const UNRELATED_ADDRESS = "https://stranger.invalid/anything";

/** Throws `client.invalid`, with all callbacks that are wrong. */
export async function checkCallbacks(
  { grantTypes: grants, callbackURLs: callbacks = [] }: Body,
  source: Source,
): Promise<void> {
  if (grants.some((grant) => grant === "authorization_code" || grant === "implicit") && callbacks.length === 0) {
    throw refuse(
      "callbackURLs: Callback URI is mandatory for Code or Implicit grant types. Send the addresses that codes and tokens go to.",
    );
  }
  if (callbacks.filter((callback) => callback.trim().startsWith(EXPRESSION)).length > EXPRESSIONS_MAX) {
    throw refuse(`callbackURLs: more than ${EXPRESSIONS_MAX} are expressions. Join them with |.`);
  }
  await checkTogetherLater(...callbacks.map((callback) => () => checkCallback(callback, source)));
}

/** Origins from which browsers may call. Throws `application.invalid` and `cors.duplicate`. */
export function checkOrigins(origins: readonly string[]): void {
  const read = origins.map((origin) => {
    const each = readOrigin(origin);
    if ("address" in each) return each.address;
    throw new Fault(
      "application.invalid",
      `Error creating application. Invalid Allowed Origin found: ${shownAddress(origin)}. An element of allowedOrigins ${each.problem}.`,
    );
  });
  if (new Set(read).size < read.length) {
    throw new Fault(
      "cors.duplicate",
      "Error creating application. Found duplicate allowed origin entries. Each element of allowedOrigins must be another one.",
    );
  }
}

/** Throws `client.invalid` for addresses that a sign-out could not call or open. */
export function checkLogout({
  backChannelLogoutUrl = "",
  frontChannelLogoutUrl = "",
}: NonNullable<Body["logout"]>): void {
  checkTogether(
    ...Object.entries({ backChannelLogoutUrl, frontChannelLogoutUrl }).map(([name, given]) => () => {
      const read = readAddress(given, "endpoint");
      if (given.trim() !== "" && "problem" in read) {
        throw refuse(`logout.${name}: '${shownAddress(given)}' ${read.problem}.`);
      }
    }),
  );
}

/** The callbacks of a file that no answer goes to: http on another machine. */
export async function keptCallbacks(callbacks: readonly string[] = []): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const callback of callbacks.map(storedCallback)) {
    const pattern = callback.startsWith(EXPRESSION) ? await readPattern(callback.slice(EXPRESSION.length)) : undefined;
    if (pattern ? pattern.example("usable") === undefined : isReadableByOthers(callback)) kept.push(callback);
  }
  return kept;
}

/** The addresses of a checked body as they are stored. */
export function storedAddresses({ callbackURLs = [], allowedOrigins = [], logout = {} }: Addresses) {
  const { backChannelLogoutUrl, frontChannelLogoutUrl } = logout;
  return {
    callbackURLs: callbackURLs.map(storedCallback),
    allowedOrigins: allowedOrigins.map(storedOrigin),
    logout: {
      ...(backChannelLogoutUrl !== undefined && { backChannelLogoutUrl: storedLogout(backChannelLogoutUrl) }),
      ...(frontChannelLogoutUrl !== undefined && { frontChannelLogoutUrl: storedLogout(frontChannelLogoutUrl) }),
    },
  };
}

/**
 * Refuses a callback that no answer could go to. One of a file may have http: it is kept, and a notice says that
 * nothing is sent to it.
 */
async function checkCallback(given: string, source: Source): Promise<void> {
  const callback = given.trim();
  const place = `callbackURLs: '${shownAddress(callback)}'`;
  if (!callback.startsWith(EXPRESSION)) {
    const read = readAddress(callback, "callback");
    const isKept = source === "file" && isReadableByOthers(callback) && !callback.includes("#");
    if ("problem" in read && !(isKept && "address" in readAddress(callback, "message"))) {
      throw refuse(`${place} ${read.problem}.`);
    }
    return;
  }
  const pattern = await readPattern(callback.slice(EXPRESSION.length));
  if (!pattern) throw refuse(`${place} must be an RE2 expression with ${PATTERN_LIMITS}.`);
  if (pattern.matches(UNRELATED_ADDRESS)) throw refuse(`${place} would match any address.`);
  if (pattern.example(source === "file" ? "any-http" : "usable") === undefined) {
    throw refuse(
      `${place} matches no address that a browser can be sent to: https (http for localhost, 127.0.0.1 and [::1] alone) ` +
        "or the scheme of an application, in printable ASCII, without blanks and #.",
    );
  }
}

function storedCallback(given: string): string {
  const callback = given.trim();
  if (callback.startsWith(EXPRESSION)) return callback;
  return storedAddress(callback, isReadableByOthers(callback) ? "message" : "callback");
}

function storedOrigin(origin: string): string {
  const read = readOrigin(origin);
  return "address" in read ? read.address : origin;
}

function storedLogout(address: string): string {
  return address.trim() === "" ? "" : storedAddress(address, "endpoint");
}

function refuse(description: string): Fault {
  return new Fault("client.invalid", description);
}
