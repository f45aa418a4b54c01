/**
 * Requests to URLs of callers, without server-side request forgery: https only, public addresses only
 * (checked when the connection is made, so that DNS rebinding has no effect), no redirects, limited size and time.
 */
import { lookup as resolve } from "node:dns";
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net";

const BYTES_MAX = 1_048_576;
const TIME_MS = 5_000;

/** IPv4 addresses that are not public (IANA's special-purpose registry), and one address of a cloud platform. */
const special4 = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const) {
  special4.addSubnet(network, prefix, "ipv4");
}

/** Public IPv6 addresses are global unicast; parts of it are translators, tunnels and documentation. */
const unicast6 = new BlockList();
unicast6.addSubnet("2000::", 3, "ipv6");
const special6 = new BlockList();
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  special6.addSubnet(network, prefix, "ipv6");
}

/** The document could not be fetched. The message is for the caller. */
export class FetchRefused extends Error {}

/** Hosts with ports (`127.0.0.1:8080`) that are exempt from the rules, for tests and closed networks. */
export type Exempt = ReadonlySet<string>;

const publicLookup: LookupFunction = (hostname, options, done) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, "", 0);
    const found = addresses.filter(({ address }) => isPublicAddress(address));
    if (found.length < addresses.length || !found[0]) {
      return done(new FetchRefused("The URL does not lead to a public address."), "", 0);
    }
    return options.all ? done(null, found) : done(null, found[0].address, found[0].family);
  });
};

/** Whether an address is public. */
export function isPublicAddress(address: string): boolean {
  return isIPv6(address)
    ? unicast6.check(address, "ipv6") && !special6.check(address, "ipv6")
    : !special4.check(address, "ipv4");
}

/** Fetches a document of at most 1 MiB, or `bytesMax`, within 5 seconds. Throws `FetchRefused`. */
export function fetchPublic(address: string, exempt: Exempt, bytesMax = BYTES_MAX): Promise<Uint8Array> {
  return new Promise((done, failed) => {
    const fail = (error: unknown) =>
      failed(error instanceof FetchRefused ? error : new FetchRefused("The URL did not respond.", { cause: error }));
    const options = { agent: false, signal: AbortSignal.timeout(TIME_MS) } as const;
    const receive = (response: IncomingMessage) => {
      const refuse = (sentence: string) => {
        response.destroy();
        fail(new FetchRefused(sentence));
      };
      if (response.statusCode !== 200) return refuse(`The URL responded with ${response.statusCode}, not 200.`);
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > bytesMax) return refuse(`The URL responded with more than ${bytesMax} bytes.`);
        parts.push(part);
      });
      response.on("end", () => done(Buffer.concat(parts)));
      response.on("error", fail);
    };
    try {
      requestPublic(checkPublic(address, exempt), exempt, options, { receive, fail }).end();
    } catch (refused) {
      fail(refused);
    }
  });
}

/**
 * The URL of an address that this module may connect to. Throws `FetchRefused` for any other. Names are resolved when
 * the connection is made: one that leads to an address that is not public is refused then.
 */
export function checkPublic(address: string, exempt: Exempt): URL {
  if (!URL.canParse(address)) throw new FetchRefused("The URL is not valid.");
  const url = new URL(address);
  check(url, exempt.has(url.host));
  return url;
}

/** What becomes of a request. */
export interface Ends {
  readonly receive: (response: IncomingMessage) => void;
  /** Called at least once where no response begins. Later calls say nothing new. */
  readonly fail: (error: Error) => void;
}

/**
 * Begins a request to a URL that `checkPublic` has returned. The connection goes to a public address only. Each request
 * that is sent ends by a response or a failure.
 */
export function requestPublic(url: URL, exempt: Exempt, options: RequestOptions, ends: Ends): ClientRequest {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const { receive, fail } = ends;
  let isReceived = false;
  const sent = request(url, { ...options, ...(!exempt.has(url.host) && { lookup: publicLookup }) }, (response) => {
    isReceived = true;
    receive(response);
  });
  sent.on("error", fail);
  // For a 101 Node.js emits neither a response nor an error, and the signal has no effect any more.
  sent.on("upgrade", (_, socket) => {
    socket.destroy();
    fail(new FetchRefused("The URL responded with 101, another protocol."));
  });
  sent.on("close", () => {
    if (!isReceived) fail(new Error("the connection was closed without a response"));
  });
  return sent;
}

function check(url: URL, isExempt: boolean): void {
  if (url.username || url.password) throw new FetchRefused("The URL must not contain a user name or password.");
  if (isExempt && /^https?:$/.test(url.protocol)) return;
  if (url.protocol !== "https:") throw new FetchRefused("The URL must begin with https.");
  if (url.port && url.port !== "443") throw new FetchRefused("The URL must not contain a port.");
  if (isIP(hostOf(url)) && !isPublicAddress(hostOf(url)))
    throw new FetchRefused("The URL does not lead to a public address.");
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
