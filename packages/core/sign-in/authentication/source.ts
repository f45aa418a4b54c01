/** Where a request comes from, as guesses are counted. */
import { isIPv6 } from "node:net";

/** An IPv4 address that is written as an IPv6 address (RFC 4291 section 2.5.5.2). */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** The groups of an IPv6 address that name a network (RFC 4291 section 2.5.1): one customer has all below it. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** The network of an address: an IPv4 address itself, the first 64 bits of an IPv6 address; other texts unchanged. */
export function sourceOf(address: string): string {
  const [bare = ""] = address.split("%");
  const [, ipv4] = MAPPED.exec(bare) ?? [];
  if (ipv4 !== undefined) return ipv4;
  return isIPv6(bare) ? `${groupsOf(bare).slice(0, NETWORK_GROUPS).join(":")}::/64` : address;
}

/** The groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const [before = "", after] = address.toLowerCase().split("::");
  const head = before === "" ? [] : before.split(":");
  // An IPv4 address at the end takes the place of two groups.
  const tail = (after ?? "")
    .split(":")
    .flatMap((group) => (group.includes(".") ? ["0", "0"] : group === "" ? [] : group));
  const zeros = Array.from({ length: GROUPS - head.length - tail.length }, () => "0");
  const groups = after === undefined ? head : [...head, ...zeros, ...tail];
  return groups.map((group) => group.replace(/^0+(?=.)/, ""));
}
