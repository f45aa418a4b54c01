/**
 * Addresses and origins that callers register (decision 0155): each is stored as a browser sends it, or refused with
 * what is wrong in it. What is stored can be compared character by character, and there is always a request that it
 * fits. Pure.
 */

/**
 * What an address is for. `callback`: codes and tokens go there. `endpoint`: this service calls it or opens it.
 * `message`: a form of SAML 2.0 or WS-Federation is posted to it. `link`: people follow it, and it may have
 * placeholders such as `${UserTenantHint}`.
 */
export type AddressKind = "callback" | "endpoint" | "message" | "link";

/** The stored form, or what is wrong: the end of a sentence that begins with the address. */
export type Read = { readonly address: string } | { readonly problem: string };

const LENGTH_MAX = 2_048;
/** Schemes that a browser, or the system below it, executes or opens by itself: no application can own them. */
const RUNNABLE = new Set(
  (
    "javascript livescript mocha vbscript vbs data blob about view-source file filesystem jar wyciwyg resource res " +
    "chrome edge opera brave mk its mhtml intent shell search search-ms smb feed mailto tel sms"
  )
    .split(" ")
    .map((scheme) => `${scheme}:`),
);
/** Extensions of browsers are origins, and applications of Windows are called at `ms-app:`. */
const RUNNABLE_FAMILY = /^(?:chrome|moz)-(?!extension:)[a-z-]+:$|^ms-(?!app:)[a-z-]+:$/;
/** Schemes that no page has, and that a browser cannot be sent to. */
const NO_PAGE = /^(?:wss?|ftp):$/;
/** Printable ASCII without the characters that parsers of URLs read in different ways. */
const PLAIN = /^[\x21\x23-\x3B\x3D\x3F-\x5B\x5D\x5F\x61-\x7A\x7E]+$/;
const LINK_CHARACTER = /[\x21\x23-\x3B\x3D\x3F-\x5B\x5D-\x7E]/;
/** Letters, marks, digits and symbols of all scripts: nothing that is invisible, reorders others, or is a blank. */
const FOREIGN_CHARACTER = /[^\p{C}\p{Z}\p{ASCII}]/u;
const PLAIN_HOST = /^[a-z0-9._-]+$|^\[[0-9a-f:.]+\]$/;
const SHOWN_MAX = 100;

const names: ReadonlyMap<string, string> = new Map([
  [" ", "a blank: write %20, or list several addresses one by one"],
  ["\n", "a line end: remove it, or list several addresses one by one"],
  ["\r", "a line end: remove it, or list several addresses one by one"],
  ["\t", "a tab: remove it"],
  ["\\", "a backslash: write /"],
]);

/** The stored form of an address: without blanks around it, its host as punycode, other letters percent-encoded. */
export function readAddress(given: string, kind: AddressKind): Read {
  const text = given.trim();
  if (text === "") return { problem: "is empty" };
  const url = URL.parse(text);
  if (url && isRunnableScheme(url.protocol)) return { problem: "has a scheme that is not allowed" };
  const wrong = wrongCharacter(text, kind);
  if (wrong !== undefined) return { problem: `must not contain ${wrong}` };
  if (!url) return { problem: "is not an absolute URL, such as https://app.example.com/back" };
  const problem = problemOf(url, text, kind);
  if (problem !== undefined) return { problem };
  const address = isAscii(text) ? text : url.href;
  return Math.max(address.length, url.href.length) > LENGTH_MAX
    ? { problem: `has more than ${LENGTH_MAX} characters as a browser sends it` }
    : { address };
}

/** The stored form of an address that `readAddress` takes; any other text is returned as it is. */
export function storedAddress(given: string, kind: AddressKind): string {
  const read = readAddress(given, kind);
  return "address" in read ? read.address : given;
}

/**
 * The stored form of an origin (RFC 6454 section 6.2): as the header `Origin` has it. Those of native applications
 * (`capacitor://localhost`) are origins too, although the WHATWG URL standard has none for their schemes.
 */
export function readOrigin(given: string): Read {
  const text = given.trim();
  if (text === "*") return { problem: "stands for every site, whose scripts could read tokens: name each origin" };
  if (text === "null") return { problem: "is the origin of files and sandboxed pages of everybody: name each origin" };
  const [, scheme = "", host = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\\\s]+)$/i.exec(text) ?? [];
  if (host === "") return { problem: `is not an origin: ${ORIGIN}` };
  if (host.includes("*")) return { problem: "must name one host: list each origin" };
  const protocol = `${scheme.toLowerCase()}:`;
  if (isRunnableScheme(protocol) || NO_PAGE.test(protocol)) return { problem: "has a scheme that is not allowed" };
  const wrong = wrongCharacter(text, "callback");
  if (wrong !== undefined) return { problem: `must not contain ${wrong}` };
  const isWeb = protocol === "https:" || protocol === "http:";
  // The WHATWG URL standard reads no host in another scheme.
  const url = URL.parse(isWeb ? text : `https://${host}`);
  if (!url || !PLAIN_HOST.test(url.hostname)) return { problem: `is not an origin: ${ORIGIN}` };
  const foreign = mappedCharacter(host, url.hostname);
  if (foreign !== undefined) return { problem: `must not contain ${foreign}` };
  const [port = ""] = /:\d+$/.exec(host) ?? [];
  return { address: isWeb ? url.origin : `${protocol}//${url.hostname}${port}` };
}

const ORIGIN = "an origin is a scheme and a host, and perhaps a port, without a path, such as https://app.example.com";

/** Whether a browser that is sent to the address would execute it, or open it on its own machine. */
export function isRunnable(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && isRunnableScheme(url.protocol);
}

const isRunnableScheme = (protocol: string) => RUNNABLE.has(protocol) || RUNNABLE_FAMILY.test(protocol);

/**
 * The address that a request means: as it was sent, or with letters of other scripts as it would be stored.
 * `undefined` for what is no callback. Blanks around it are not taken away.
 */
export function requestedAddress(sent: string): string | undefined {
  if (PLAIN.test(sent)) return sent;
  const read = readAddress(sent, "callback");
  return sent === sent.trim() && "address" in read ? read.address : undefined;
}

/** Whether parsers of URLs agree about the characters of an address. */
export function isPlain(address: string): boolean {
  return PLAIN.test(address);
}

/** Whether a host is one that names have in practice. Others, with `;` or `,` in them, would break a policy. */
export function isPlainHost(hostname: string): boolean {
  return PLAIN_HOST.test(hostname);
}

/** Whether others could read what a browser sends to an address: http to another machine (RFC 8252 section 8.3). */
export function isReadableByOthers(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === "http:" && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}

/** An address in a message: without what would not show. */
export function shownAddress(address: string): string {
  return address
    .slice(0, SHOWN_MAX)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function problemOf(
  url: Readonly<Pick<URL, "protocol" | "username" | "password" | "host" | "hostname">>,
  text: string,
  kind: AddressKind,
): string | undefined {
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  if (kind === "callback" ? NO_PAGE.test(url.protocol) : !isWeb) {
    return kind === "callback" ? "has a scheme that is not allowed" : "must begin with https:// or http://";
  }
  if (isWeb && !/^https?:\/\/[^/]/i.test(text)) return `must have two slashes and a host after ${url.protocol}`;
  if (url.username !== "" || url.password !== "") return "must not contain a user name";
  if (text.includes("#") && (kind === "callback" || kind === "endpoint")) return "must not contain a fragment (#)";
  if (url.host.includes("*")) {
    return kind === "callback" ? "must name one host. Use regexp= for several" : "must name one host";
  }
  if (isWeb && kind !== "link" && !PLAIN_HOST.test(url.hostname))
    return "has a host that browsers and headers do not agree about";
  const [, host = ""] = /^[^:]+:\/\/([^/?#:]*)/.exec(text) ?? [];
  const foreign = isWeb ? mappedCharacter(host, url.hostname) : undefined;
  if (foreign !== undefined) return `must not contain ${foreign} in the host`;
  if (kind === "callback" && isReadableByOthers(text)) {
    return "has http, which others on the way can read: use https; http is for http://localhost, http://127.0.0.1 and http://[::1] alone";
  }
  return undefined;
}

/** The first character that an address cannot have, with what to do about it. */
function wrongCharacter(text: string, kind: AddressKind): string | undefined {
  for (const char of text) {
    const isAllowed = kind === "link" ? LINK_CHARACTER.test(char) : PLAIN.test(char);
    if (isAllowed || FOREIGN_CHARACTER.test(char)) continue;
    const name = names.get(char);
    if (name !== undefined) return name;
    const written = char.isWellFormed() ? `: write ${percentOf(char)}` : "";
    return `${characterName(char)}${written}`;
  }
  return undefined;
}

/** A character of another script that does not become punycode, but a letter or a dot of ASCII: it misleads. */
function mappedCharacter(written: string, hostname: string): string | undefined {
  if (isAscii(written)) return undefined;
  const [labels, sent] = [written.replace(/:\d*$/, "").split("."), hostname.split(".")];
  const wrong = labels.find((label, at) => !isAscii(label) && !sent[at]?.startsWith("xn--"));
  const isSame = labels.length === sent.length;
  if (wrong === undefined && isSame) return undefined;
  const [char = ""] = [...(wrong ?? written)].filter((each) => !isAscii(each));
  return characterName(char);
}

function characterName(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return /[\p{C}\p{Z}]/u.test(char) ? `the character U+${code}` : `the character ${char} (U+${code})`;
}

function percentOf(char: string): string {
  return [...Buffer.from(char, "utf8")].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}
