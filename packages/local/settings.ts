/** The environment variables of `npm start`, and their defaults. */
import { createServer, isIP } from "node:net";
import { hiddenIn } from "#core/kernel/domain/characters.ts";
import { nameIn } from "./gateway/routing.ts";

/** The settings of the local service. */
export interface Settings {
  readonly port: number;
  /** The port of the mTLS listener; `undefined` for none. */
  readonly mtlsPort: number | undefined;
  /** The data directory; `undefined` stores data in memory. */
  readonly dataDirectory: string | undefined;
  readonly administrator: { readonly username: string; readonly password: string };
  /** An external DynamoDB instead of the embedded engine. */
  readonly endpoint: string | undefined;
  /** A deployment.toml instead of that of the project. */
  readonly deploymentFile: string | undefined;
  /** The address to listen on; absent for this machine alone. What the service says about itself stays the same. */
  readonly listenHost?: string;
  /** Names, in lower case and without ports, by which requests may call it, besides those of this machine. */
  readonly allowedHosts?: readonly string[];
  /** The port of the demo of sign-in, 0 for any free one; absent for no demo. */
  readonly demoPort?: number;
  /** Milliseconds between two runs that deliver changes to webhooks and streams; absent for no deliveries. */
  readonly deliveryMs?: number;
}

const DELIVERY_MS = 1_000;
const PASSWORD_LENGTH = { min: 5, max: 100 };

/** The same at each start, so that a bookmark leads to it. Where it is in use, the demo takes any free port. */
const DEMO_PORT_DEFAULT = "3001";
/** Starts no demo. */
const OFF = "off";

/** Stores data in memory only. */
const MEMORY = ":memory:";

/** Reads the settings. Throws an `Error` with a message for users that names the wrong variable. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const dataDirectory = environment.DATA_DIR || ".data";
  const listenHost = listenHostOf(environment.LISTEN_HOST);
  // In a container its port would not be published.
  const demo = environment.DEMO_PORT || (listenHost ? OFF : DEMO_PORT_DEFAULT);
  return {
    port: portOf("PORT", environment.PORT, 3000),
    mtlsPort: portOf("MTLS_PORT", environment.MTLS_PORT, 3443),
    dataDirectory: dataDirectory === MEMORY ? undefined : dataDirectory,
    administrator: {
      username: usernameOf(environment.ADMIN_USERNAME),
      password: passwordOf(environment.ADMIN_PASSWORD),
    },
    endpoint: endpointOf(environment.DYNAMODB_ENDPOINT),
    deploymentFile: environment.DEPLOYMENT_TOML || undefined,
    ...(listenHost && { listenHost }),
    ...(environment.ALLOWED_HOSTS && { allowedHosts: allowedHostsOf(environment.ALLOWED_HOSTS) }),
    ...(demo !== OFF && { demoPort: portOf("DEMO_PORT", demo, 0) }),
    deliveryMs: DELIVERY_MS,
  };
}

function portOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined || text === "") return fallback;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new Error(`${name} must be a port number from 0 to 65535, not "${text}".`);
}

function listenHostOf(text: string | undefined): string | undefined {
  if (!text || isIP(text) !== 0) return text || undefined;
  throw new Error(`LISTEN_HOST must be an address of this machine such as 127.0.0.1 or 0.0.0.0, not "${text}".`);
}

function allowedHostsOf(text: string): readonly string[] {
  const given = text.split(",").map((each) => each.trim());
  return given
    .filter((each) => each !== "")
    .map((each) => {
      const name = nameIn(each);
      if (name !== undefined && name === each.toLowerCase() && !name.includes("*")) return name;
      throw new Error(`ALLOWED_HOSTS must be names without ports such as api,id.test, not "${each}".`);
    });
}

/** Refuses a name with which the administrator could not sign in, or that would look like another. */
function usernameOf(text: string | undefined): string {
  const name = text || "admin";
  if (!name.includes(":") && hiddenIn(name) === undefined) return name;
  throw new Error("ADMIN_USERNAME must not contain a colon or an invisible character.");
}

/** The rules for new passwords do not hold for the administrator of a local service (decision 0148). */
function passwordOf(text: string | undefined): string {
  const password = text || "admin";
  const length = [...password].length;
  if (length >= PASSWORD_LENGTH.min && length <= PASSWORD_LENGTH.max && !/\p{Cc}/u.test(password)) return password;
  const { min, max } = PASSWORD_LENGTH;
  throw new Error(`ADMIN_PASSWORD must have ${min} to ${max} characters, without control characters.`);
}

function endpointOf(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new Error(`DYNAMODB_ENDPOINT must be an address such as http://127.0.0.1:8000, not "${text}".`);
}

/** A free port of 127.0.0.1. Another process may take it before its use. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
