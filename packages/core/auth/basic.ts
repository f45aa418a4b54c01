/** The Basic scheme (RFC 7617), read strictly: what two parsers could read differently is no credential. */
import { PASSWORD_BYTES_MAX } from "../platform/password.ts";

/** What a Basic header says. */
export interface BasicCredential {
  /** In NFC. */
  readonly username: string;
  /** As it was sent. */
  readonly password: string;
}

const USERNAME_BYTES_MAX = 255;
const HEADER = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

const decode = (token: string): string | undefined => {
  const bytes = Buffer.from(token, "base64");
  // The decoder ignores what does not belong; a token that does not come back as it was had such parts.
  if (bytes.toString("base64") !== token) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Bytes that are not UTF-8 name nobody.
    return undefined;
  }
};

/** Reads an `Authorization` header; `undefined` when it is no usable Basic credential. */
export const readBasic = (header: string): BasicCredential | undefined => {
  const text = decode(HEADER.exec(header)?.[1] ?? "");
  const colon = text?.indexOf(":") ?? -1;
  if (!text || colon < 1 || /\p{Cc}/u.test(text)) return undefined;
  const username = text.slice(0, colon).normalize("NFC");
  const password = text.slice(colon + 1);
  if (password === "" || Buffer.byteLength(username) > USERNAME_BYTES_MAX) return undefined;
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) return undefined;
  return { username, password };
};
