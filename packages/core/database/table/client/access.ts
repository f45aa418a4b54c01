/**
 * Where DynamoDB is, and with which keys it is called. What Lambda gives a function is known at once. Everything else,
 * such as profiles, roles of containers, endpoints of other partitions, is left to the AWS SDK, which is loaded then.
 */
import type { Credentials } from "./signing.ts";

/** Variables of the process. They are read at each call: some change. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How to reach the database. What is left out is taken from the environment, as the SDK does. */
export interface AccessOptions {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: Credentials;
}

/** How the database is reached. */
export interface Access {
  readonly url: URL;
  readonly region: string;
  /** The keys of the next call: temporary ones are renewed. */
  credentials(): Credentials | Promise<Credentials>;
}

/** The regions of the partition `aws`. */
const STANDARD_REGION = /^(?:us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d$/;

/** Variables by which the SDK chooses another endpoint. */
const ENDPOINT_VARIABLES = [
  "AWS_ENDPOINT_URL",
  "AWS_ENDPOINT_URL_DYNAMODB",
  "AWS_USE_FIPS_ENDPOINT",
  "AWS_USE_DUALSTACK_ENDPOINT",
  "AWS_ACCOUNT_ID",
  "AWS_CONFIG_FILE",
  "AWS_PROFILE",
];

/** The access, where it is known at once; otherwise `undefined`. */
export function knownAccess(options: AccessOptions, environment: Environment): Access | undefined {
  const region = options.region ?? environment.AWS_REGION;
  const endpoint = options.endpoint ?? standardEndpoint(region, environment);
  if (!region || !endpoint || !keysIn(options, environment)) return undefined;
  const credentials = (): Credentials => {
    const found = keysIn(options, environment);
    if (!found) throw new Error("environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are gone");
    return found;
  };
  return { url: new URL(endpoint.endsWith("/") ? endpoint : `${endpoint}/`), region, credentials };
}

/** The same, with the help of the SDK where it is needed. Throws what the SDK throws where it finds none. */
export async function findAccess(options: AccessOptions, environment: Environment): Promise<Access> {
  const known = knownAccess(options, environment);
  if (known) return known;
  const { accessOfSdk } = await import("./sdk-access.ts");
  return accessOfSdk(options);
}

/** The endpoint in a function; outside of Lambda, files may choose another one. */
function standardEndpoint(region: string | undefined, environment: Environment): string | undefined {
  if (!environment.AWS_LAMBDA_FUNCTION_NAME || !region || !STANDARD_REGION.test(region)) return undefined;
  if (ENDPOINT_VARIABLES.some((name) => environment[name])) return undefined;
  return `https://dynamodb.${region}.amazonaws.com/`;
}

/** The keys that are given, or those in the variables of a function. A profile precedes them, as it does in the SDK. */
function keysIn({ credentials }: AccessOptions, environment: Environment): Credentials | undefined {
  if (credentials) return credentials;
  if (environment.AWS_PROFILE) return undefined;
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
}
