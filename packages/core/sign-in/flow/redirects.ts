/**
 * Where an authorization answer may go: to the registered addresses of its application, and nowhere else (RFC 6749
 * section 3.1.2, RFC 8252 section 7.3, RFC 9700 section 2.1, decision 0155).
 */
import { isPlain, isReadableByOthers, isRunnable, requestedAddress } from "../../applications/protocols/addresses.ts";
import { EXPRESSION } from "../../applications/protocols/oidc-addresses.ts";
import { readPattern } from "../../applications/protocols/pattern.ts";

const LENGTH_MAX = 2_048;

/** An address of the machine of the user. A native application may listen on any port of it. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?([/?].*)?$/;

/**
 * The address that an answer to a request goes to, `undefined` where none is registered. It is the one of the request,
 * character by character, except for ports of loopback addresses: a registered one as it is stored, or as a browser
 * writes it. A request with letters of other scripts means the registered address that they become.
 */
export async function registeredAddress(sent: string, registered: readonly string[]): Promise<string | undefined> {
  const address = requestedAddress(sent);
  if (address === undefined || !canReceive(address)) return undefined;
  for (const one of registered) {
    if (!one.startsWith(EXPRESSION)) {
      const spellings = [one, URL.parse(one)?.href ?? one];
      if (spellings.some((each) => each === address || isSameLoopback(each, address))) return address;
      continue;
    }
    // An expression is compared with what was sent.
    if (address !== sent) continue;
    const pattern = await readPattern(one.slice(EXPRESSION.length));
    if (pattern?.matches(address)) return address;
  }
  return undefined;
}

/** Whether an address is one of the registered ones. */
export async function isRegistered(address: string, registered: readonly string[]): Promise<boolean> {
  return (await registeredAddress(address, registered)) !== undefined;
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
  if (address.length > LENGTH_MAX || !isPlain(address) || address.includes("#")) return false;
  const url = URL.parse(address);
  return url?.username === "" && url.password === "" && !isRunnable(address) && !isReadableByOthers(address);
}

function isSameLoopback(registered: string, address: string): boolean {
  const [one, other] = [LOOPBACK.exec(registered), LOOPBACK.exec(address)];
  // All but the port, as it was written.
  return one !== null && other !== null && one[1] === other[1] && (one[2] ?? "") === (other[2] ?? "");
}
