/** The Basic scheme (RFC 7617), read strictly: what two parsers could read differently is no credential. */
import { PASSWORD_BYTES_MAX } from "../platform/password.ts";

/** What a Basic header says. */
interface BasicCredential {
  /** In NFC. */
  readonly username: string;
  /** As it was sent. */
  readonly password: string;
}

/** Of a name with its store and tenant: more than the longest name that a user can have. */
const USERNAME_BYTES_MAX = 1_400;
const HEADER = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/** The two parts of a Basic header, neither of them empty; `undefined` when it has not the form of one. */
export function basicParts(header: string): readonly [string, string] | undefined {
  const text = decode(HEADER.exec(header)?.[1] ?? "");
  const colon = text?.indexOf(":") ?? -1;
  if (!text || colon < 1 || colon === text.length - 1 || /\p{Cc}/u.test(text)) return undefined;
  return [text.slice(0, colon), text.slice(colon + 1)];
}

function decode(token: string): string | undefined {
  const bytes = Buffer.from(token, "base64");
  // The decoder ignores what does not belong; a token that does not come back as it was had such parts.
  if (bytes.toString("base64") !== token) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Bytes that are not UTF-8 name nobody.
    return undefined;
  }
}

/** A name and a password as they may be used; `undefined` for what nobody can have, which is not worth a hash. */
export function usable(username: string, password: string): BasicCredential | undefined {
  const name = username.normalize("NFC");
  if (/\p{Cc}/u.test(name) || Buffer.byteLength(name) > USERNAME_BYTES_MAX) return undefined;
  if (/\p{Cc}/u.test(password) || Buffer.byteLength(password) > PASSWORD_BYTES_MAX) return undefined;
  return { username: name, password };
}

/** Reads an `Authorization` header; `undefined` when it is no usable Basic credential. */
export function readBasic(header: string): BasicCredential | undefined {
  const parts = basicParts(header);
  return parts && usable(...parts);
}
