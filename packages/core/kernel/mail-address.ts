/**
 * E-mail addresses to which this service writes: those that every server on the way takes, and that stand in a header
 * as they are (RFC 5321 section 4.1.2). Pure.
 */
import { domainToASCII } from "node:url";

/** A local part without quotes. */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** RFC 5321 section 4.5.3.1. */
const LOCAL_MAX = 64;
const ADDRESS_MAX = 254;

/** An address, or why none can be written to. */
export type ReadAddress = { readonly address: string } | { readonly problem: string };

/**
 * Reads one address. The domain comes back in ASCII and lower case; the local part as it was written. Nothing that a
 * header or an envelope could read as something else passes: no blank, comma, bracket, quote or control character.
 */
export function readAddress(text: string): ReadAddress {
  const at = text.lastIndexOf("@");
  const [local, written] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1) return { problem: "needs a name, an @ and a domain, as in kim@example.com" };
  if (/[^\x20-\x7E]/.test(local)) {
    return { problem: "must have ASCII characters alone before the @: many servers do not take others" };
  }
  if (local.startsWith('"')) return { problem: "must have no quotes before the @" };
  if (!LOCAL.test(local) || local.length > LOCAL_MAX) return { problem: "is not valid before the @" };
  const domain = domainOf(written);
  if (domain === undefined) return { problem: "must have a domain after the @, as in kim@example.com" };
  const address = `${local}@${domain}`;
  return address.length > ADDRESS_MAX ? { problem: `must have at most ${ADDRESS_MAX} characters` } : { address };
}

/** A domain with its names in ASCII (RFC 5891); `undefined` for an address of a machine, and for what is no domain. */
export function domainOf(text: string): string | undefined {
  // What the parser of URLs would read as the end of a host, or decode.
  if (text === "" || /[\p{Cc}\s"%/:<>?@[\\\]^|]/u.test(text)) return undefined;
  const labels = domainToASCII(text).split(".");
  const isName = labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "");
  return isName ? labels.join(".") : undefined;
}
