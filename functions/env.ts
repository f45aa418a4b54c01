/** The environment of the functions, read once when a function starts; a missing or wrong variable is told by its name. */
import * as z from "zod";
import type { ProtocolSupport } from "#core/applications/protocols/configure.ts";
import { newSeal, type Seal } from "#core/platform/seal.ts";
import type { Deployment as Decided } from "#core/settings/deployment.ts";
import type { TableConfig } from "#core/table/dynamo.ts";

const optionalUrl = z.url({ protocol: /^https?$/ }).optional();

const Table = z.object({
  TABLE_NAME: z.string().min(3),
  /** Set where the database is not DynamoDB of the function's own region: on a laptop and in tests. */
  DYNAMODB_ENDPOINT: optionalUrl,
  AWS_REGION: z.string().default("us-east-1"),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_PROFILE: z.string().optional(),
});

const Links = z.object({
  /** The origin of absolute links and of tokens; where it is absent, the domain that the gateway answered on. */
  BASE_URL: optionalUrl,
});

const Documents = z.object({
  /** Where docs/openapi.json lies; beside the bundle when deployed. */
  OPENAPI_FILE: z.string().min(1),
});

const SealingKey = z
  .base64()
  .refine((text) => Buffer.from(text, "base64").length === 32, "32 bytes in Base64 are needed");

const Sealing = z.object({
  /** The key under which client secrets, confidential values and signing keys are sealed. */
  SEAL_KEY: SealingKey,
  /** Keys, by commas, that were sealed under before; `none` where there is none, because Lambda may drop an empty text. */
  FORMER_SEAL_KEYS: z
    .string()
    .default("none")
    .transform((text) => (text === "none" ? [] : text.split(",")))
    .pipe(z.array(SealingKey)),
});

const Metadata = z.object({
  /** Hosts, with ports, from which SAML metadata may be fetched whatever they are: for tests and closed networks. */
  METADATA_HOSTS: z.string().default(""),
});

const Deployment = z.object({
  /** Where deployment.toml lies; beside the bundle when deployed. */
  DEPLOYMENT_TOML: z.string().min(1),
});

/** How long a function may take over a busy table: over one call, and over all calls of a request. */
export interface Patience {
  readonly callMs: number;
  readonly requestMs: number;
}

/** How to reach the table. */
export function tableConfig({ callMs, requestMs }: Patience, environment = process.env): TableConfig {
  const deadlines = { deadlineMs: callMs, requestDeadlineMs: requestMs };
  const { TABLE_NAME, DYNAMODB_ENDPOINT: endpoint, ...aws } = read(Table, environment);
  if (!endpoint) return { tableName: TABLE_NAME, ...deadlines };
  // An embedded engine checks no credentials, but the SDK signs with some.
  const hasOwn = aws.AWS_ACCESS_KEY_ID ?? aws.AWS_PROFILE;
  const unsigned = { accessKeyId: "local", secretAccessKey: "local" };
  return {
    tableName: TABLE_NAME,
    ...deadlines,
    client: { endpoint, region: aws.AWS_REGION, ...(hasOwn ? {} : { credentials: unsigned }) },
  };
}

/** The origin of absolute links, without a trailing slash. */
export function baseUrl(environment = process.env): string | undefined {
  return read(Links, environment).BASE_URL?.replace(/\/$/, "");
}

/** The seal under the deployment's key, which still opens what was sealed under former ones. */
export function seal(environment = process.env): Seal {
  const { SEAL_KEY, FORMER_SEAL_KEYS } = read(Sealing, environment);
  const bytes = (text: string) => Buffer.from(text, "base64");
  return newSeal(bytes(SEAL_KEY), FORMER_SEAL_KEYS.map(bytes));
}

/** What inbound protocols need beside the table. */
export function protocolSupport(
  { customProtocols }: Pick<Decided, "customProtocols">,
  environment = process.env,
): ProtocolSupport {
  const { METADATA_HOSTS } = read(Metadata, environment);
  return {
    seal: seal(environment),
    customKinds: customProtocols,
    metadataExempt: new Set(METADATA_HOSTS.split(",").filter((host) => host !== "")),
  };
}

/** The path of the API document. */
export function openApiFile(environment = process.env): string {
  return read(Documents, environment).OPENAPI_FILE;
}

/** The path of deployment.toml. */
export function deploymentFile(environment = process.env): string {
  return read(Deployment, environment).DEPLOYMENT_TOML;
}

/** The password by which the service signs in to a directory, from the variable that deployment.toml names. */
export function directoryPassword(
  { domain, passwordEnv }: { readonly domain: string; readonly passwordEnv: string },
  environment = process.env,
): string {
  const password = environment[passwordEnv];
  if (password) return password;
  throw new Error(`environment: ${passwordEnv}: the password for the directory of the user store ${domain} is needed`);
}

function read<T>(schema: z.ZodType<T>, environment: NodeJS.ProcessEnv): T {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  throw new Error(
    `environment: ${parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ")}`,
  );
}
