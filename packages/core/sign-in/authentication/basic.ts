/** The Basic scheme (RFC 7617), parsed strictly: a header that two parsers could read differently is refused. */
import { trimName } from "../../kernel/fold.ts";
import { PASSWORD_BYTES_MAX } from "../../kernel/password.ts";

/** The user name and password of a Basic header. */
interface BasicCredential {
  /** In NFC, without white space at its ends. */
  readonly username: string;
  /** As it was sent. */
  readonly password: string;
}

/** Bytes of a name with its store and tenant: more than the longest name of a user. */
const USERNAME_BYTES_MAX = 1_400;
const HEADER = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * The two parts of a Basic header, neither of them empty; `undefined` where it is malformed. White space at the ends of
 * the first does not count (decision 0151).
 */
export function basicParts(header: string): readonly [string, string] | undefined {
  const text = decode(HEADER.exec(header)?.[1] ?? "");
  const colon = text?.indexOf(":") ?? -1;
  if (!text || colon < 1 || colon === text.length - 1) return undefined;
  const [name, password] = [plainName(text.slice(0, colon)), text.slice(colon + 1)];
  return name === "" || /\p{Cc}/u.test(name + password) ? undefined : [name, password];
}

/** A user name without white space at its ends and behind its store. */
function plainName(username: string): string {
  return trimName(username).replace(/\/\s+/u, "/");
}

function decode(token: string): string | undefined {
  const bytes = Buffer.from(token, "base64");
  // The decoder skips invalid characters: a token that does not round-trip had some.
  if (bytes.toString("base64") !== token) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8: no user has such a name or password.
    return undefined;
  }
}

/** A normalised credential; `undefined` for one that no user can have, which need not be hashed. */
export function usable(username: string, password: string): BasicCredential | undefined {
  const name = plainName(username.normalize("NFC"));
  if (/\p{Cc}/u.test(name) || Buffer.byteLength(name) > USERNAME_BYTES_MAX) return undefined;
  if (/\p{Cc}/u.test(password) || Buffer.byteLength(password) > PASSWORD_BYTES_MAX) return undefined;
  return { username: name, password };
}

/** Reads an `Authorization` header; `undefined` where it is not a usable Basic credential. */
export function readBasic(header: string): BasicCredential | undefined {
  const parts = basicParts(header);
  return parts && usable(...parts);
}
