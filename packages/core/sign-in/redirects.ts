/**
 * Where an authorization answer may go: to the registered addresses of its application, and nowhere else (RFC 6749
 * section 3.1.2, RFC 8252 section 7.3, RFC 9700 section 2.1).
 */
import { readPattern } from "../applications/protocols/pattern.ts";
import { isRunnable } from "../applications/protocols/urls.ts";

const EXPRESSION = "regexp=";
const LENGTH_MAX = 2_048;

/** Printable ASCII without the characters that parsers of URLs read in different ways. */
const PLAIN = /^[\x21\x23-\x3B\x3D\x3F-\x5B\x5D\x5F\x61-\x7A\x7E]+$/;

/** An address of the machine of the user. A native application may listen on any port of it. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?([/?].*)?$/;

/** Whether an address is one of the registered ones, character by character except for ports of loopback addresses. */
export async function isRegistered(address: string, registered: readonly string[]): Promise<boolean> {
  if (!canReceive(address)) return false;
  for (const one of registered) {
    if (!one.startsWith(EXPRESSION)) {
      if (one === address || isSameLoopback(one, address)) return true;
      continue;
    }
    const pattern = await readPattern(one.slice(EXPRESSION.length));
    if (pattern?.matches(address)) return true;
  }
  return false;
}

/** The only registered address, for a request that names none. */
export function onlyAddress(registered: readonly string[]): string | undefined {
  const [first, ...others] = registered;
  return first !== undefined && others.length === 0 && !first.startsWith(EXPRESSION) && canReceive(first)
    ? first
    : undefined;
}

/** Whether a browser may be sent to an address at all. An expression can match more than its author thought of. */
function canReceive(address: string): boolean {
  if (address.length > LENGTH_MAX || !PLAIN.test(address) || address.includes("#") || !URL.canParse(address)) {
    return false;
  }
  const { username, password } = new URL(address);
  return username === "" && password === "" && !isRunnable(address);
}

function isSameLoopback(registered: string, address: string): boolean {
  const [one, other] = [LOOPBACK.exec(registered), LOOPBACK.exec(address)];
  // All but the port, as it was written.
  return one !== null && other !== null && one[1] === other[1] && (one[2] ?? "") === (other[2] ?? "");
}
