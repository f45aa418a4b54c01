/**
 * The addresses of CAS services, as settings and requests name them: nothing that two parsers read in different ways,
 * so that a prefix of the text is a part of the application. Pure.
 */
import { isPlain, isPlainHost, isReadableByOthers } from "./addresses.ts";

/** An address that tickets can go to. */
export interface ServiceUrl {
  /** As a browser is sent there. */
  readonly href: string;
  /** Without what follows the path. */
  readonly place: string;
}

/** An address, or what is wrong: the end of a sentence that begins with the address. */
type Read = ServiceUrl | { readonly problem: string };

const LENGTH_MAX = 2_048;
/** So many claims are looked at for a request. */
const DEPTH_MAX = 30;
/**
 * Encoded dots, slashes, semicolons, backslashes, percent signs and controls, and longer forms of them: an application
 * may decode them once more.
 */
const ENCODED = /%(?:2[ef5]|3b|5c|c[01]|u|[01][0-9a-f]|7f)/i;
/** `..;` is a parent for servers of Java. */
const DOTS = /(?:^|\/)\.{1,2}(?:[/;]|$)/;
const QUERY = /^[\x21\x24-\x3B\x3D\x3F-\x5B\x5D-\x7E]*$/;
const PARTS = /^https?:\/\/[^/?#]+((?:\/[^?#]*)?)(?:\?([^#]*))?$/i;

/** Reads the address of a service. */
export function readServiceUrl(text: string): Read {
  const [, path, query = ""] = PARTS.exec(text) ?? [];
  const url = URL.parse(text);
  if (path === undefined || !url) return { problem: "must be an https address without a fragment" };
  if (Math.max(text.length, url.href.length) > LENGTH_MAX) return { problem: `has more than ${LENGTH_MAX} characters` };
  if (!isPlain(text.slice(0, text.length - query.length)) || !QUERY.test(query)) {
    return { problem: "has a character that must be percent-encoded" };
  }
  if (url.username !== "" || url.password !== "") return { problem: "must not contain a user name" };
  if (!isPlainHost(url.hostname)) return { problem: "has a host that browsers and headers do not agree about" };
  if (isReadableByOthers(text)) return { problem: "must begin with https: others could read the ticket" };
  if ((path || "/") !== url.pathname || ENCODED.test(path) || DOTS.test(path)) {
    return { problem: "must not have dots for directories, nor encoded dots, slashes or percent signs, in its path" };
  }
  if (url.searchParams.has("ticket")) return { problem: "must not have a parameter ticket: the answer adds it" };
  return { href: url.href, place: `${url.origin}${url.pathname}` };
}

/** The claim of a `serviceURL` of settings: one address, or all below a directory where it ends in `/*`. */
export function readServicePattern(text: string): { readonly claim: string } | { readonly problem: string } {
  const isPrefix = text.endsWith("*");
  const base = isPrefix ? text.slice(0, -1) : text;
  const read = readServiceUrl(base);
  if ("problem" in read) return read;
  if (base.includes("*")) return { problem: "can have * at its end only" };
  if (base.includes("?")) return { problem: "must not have a query: what a client appends is allowed" };
  if (!isPrefix) return { claim: read.place };
  // A host, or the name of a directory, could go on.
  if (!base.endsWith("/") || read.place !== read.href) return { problem: "can have * after a slash of its path only" };
  if (directoriesOf(read.place).length > DEPTH_MAX) return { problem: `has more than ${DEPTH_MAX} directories` };
  return { claim: `${read.place}*` };
}

/** The claims that a service can be one of: that of its address, then those of its directories, the longest first. */
export function claimsOn({ place }: ServiceUrl): readonly string[] {
  const directories = directoriesOf(place).slice(0, DEPTH_MAX);
  return [place, ...directories.reverse().map((directory) => `${directory}*`)];
}

/** Whether a service is one of a claim. */
export function isClaimed({ place }: ServiceUrl, claim: string): boolean {
  return claim.endsWith("*") ? place.startsWith(claim.slice(0, -1)) : place === claim;
}

/** The beginnings of an address that end in a slash of its path, the shortest first. */
function directoriesOf(place: string): string[] {
  const { origin, pathname } = new URL(place);
  return [...pathname].flatMap((char, at) => (char === "/" ? [`${origin}${pathname.slice(0, at + 1)}`] : []));
}
