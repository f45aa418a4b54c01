/** The environment of `npm start`: what can be set, and what holds where nothing is set. */

import { checkPassword } from "#core/identities/users/rules.ts";
import { Fault } from "#core/platform/faults.ts";

/** The settings of the local service. */
export interface Settings {
  readonly port: number;
  /** The port of the door with client certificates; `undefined` opens none. */
  readonly mtlsPort: number | undefined;
  /** Where data lies; `undefined` keeps nothing. */
  readonly dataDirectory: string | undefined;
  readonly administrator: { readonly username: string; readonly password: string };
  /** A DynamoDB to use in place of the embedded engine. */
  readonly endpoint: string | undefined;
  /** A deployment.toml to use in place of the project's own. */
  readonly deploymentFile: string | undefined;
}

/** Data in memory only. */
const MEMORY = ":memory:";

/** Reads the settings. Throws an `Error` that names the variable that is wrong. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const dataDirectory = environment.DATA_DIR || ".data";
  return {
    port: portOf("PORT", environment.PORT, 3000),
    mtlsPort: portOf("MTLS_PORT", environment.MTLS_PORT, 3443),
    dataDirectory: dataDirectory === MEMORY ? undefined : dataDirectory,
    administrator: {
      username: environment.ADMIN_USERNAME || "admin",
      password: passwordOf(environment.ADMIN_PASSWORD),
    },
    endpoint: endpointOf(environment.DYNAMODB_ENDPOINT),
    deploymentFile: environment.DEPLOYMENT_TOML || undefined,
  };
}

function portOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined || text === "") return fallback;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new Error(`${name} must be a port number from 0 to 65535, not "${text}".`);
}

/** Holds the password against the rule that every user's is held against. */
function passwordOf(text: string | undefined): string {
  const password = text || "admin";
  try {
    checkPassword(password);
    return password;
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Error(`ADMIN_PASSWORD: ${cause.description}`, { cause });
  }
}

function endpointOf(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new Error(`DYNAMODB_ENDPOINT must be an address such as http://127.0.0.1:8000, not "${text}".`);
}
