/**
 * Reads the environment of the functions at their start. Throws an `Error` that names each missing or invalid variable.
 */

import type { Exempt } from "#core/platform/public-fetch.ts";
import * as z from "#core/platform/zod.ts";
import type { TableConfig } from "#core/table/dynamo.ts";

const optionalUrl = z.url({ protocol: /^https?$/ }).optional();

const Table = z.object({
  TABLE_NAME: z.string().min(3),
  /** Set where the database is not DynamoDB in the region of the function: for local runs and tests. */
  DYNAMODB_ENDPOINT: optionalUrl,
  AWS_REGION: z.string().default("us-east-1"),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_PROFILE: z.string().optional(),
});

const Links = z.object({
  /** The origin of absolute links and of tokens. Where it is absent: the domain of the gateway. */
  BASE_URL: optionalUrl,
});

const Origin = z.object({
  /** The public origin of the stage. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }),
});

const MutualTls = z.object({
  /** The origin of the name with client certificates; absent or empty where there is none. */
  MTLS_URL: optionalUrl.or(z.literal("")),
});

const Documents = z.object({
  /** The path of docs/openapi.json, which is next to the bundle when deployed. */
  OPENAPI_FILE: z.string().min(1),
});

const Front = z.object({
  /** The directory of the page at `/`, which is next to the bundle when deployed. */
  FRONT_DIRECTORY: z.string().min(1),
});

const SealingKey = z.base64().refine((text) => Buffer.from(text, "base64").length === 32, "must be 32 bytes in Base64");

const Sealing = z.object({
  /** The key under which client secrets, confidential values and signing keys are sealed. */
  SEAL_KEY: SealingKey,
  /** Earlier keys, separated by commas; `none` for none, because Lambda may drop an empty value. */
  FORMER_SEAL_KEYS: z
    .string()
    .default("none")
    .transform((text) => (text === "none" ? [] : text.split(",")))
    .pipe(z.array(SealingKey)),
});

const Cursors = z.object({
  /** The key under which cursors are sealed, derived from `SEAL_KEY` (`cursorKeyOf`). */
  CURSOR_KEY: SealingKey,
});

const Forms = z.object({
  /** The key under which forms of sign-in are sealed, derived from `SEAL_KEY` (`formKeyOf`). */
  FORM_KEY: SealingKey,
});

/** Keys that are derived from `SEAL_KEY` and its former keys, separated by commas. The first one seals. */
const DerivedKeys = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(SealingKey).min(1));

const Factors = z.object({
  /** The keys under which secrets of one-time codes are sealed (`factorKeysOf`). */
  FACTOR_KEYS: DerivedKeys,
});

const Answers = z.object({
  /** The keys of first answers (`answerKeysOf`). */
  ANSWER_KEYS: DerivedKeys,
});

const Delivering = z.object({
  /** The keys under which secrets for receivers of events are sealed (`eventKeysOf`). */
  EVENT_KEYS: DerivedKeys,
  /** The keys under which the private keys that sign events are sealed (`eventSigningKeysOf`). */
  EVENT_SIGNING_KEYS: DerivedKeys,
});

const Events = z.object({
  /** The key under which secrets for receivers of events are sealed, derived from `SEAL_KEY` (`eventKeyOf`). */
  EVENT_KEY: SealingKey,
});

const Nonces = z.object({
  /** The key of the nonces of DPoP proofs, derived from `SEAL_KEY` (`nonceKeyOf`). */
  NONCE_KEY: SealingKey,
});

const Canary = z.object({
  /** The public origin of the stage. */
  CANARY_URL: z.url({ protocol: /^https?$/ }),
  /** The secret of the client, derived from `SEAL_KEY` (`canarySecretOf`). */
  CANARY_SECRET: z.string().min(40),
  /** When the first authority of client certificates expires; `none` where there is none. */
  CANARY_AUTHORITIES_UNTIL: z.union([z.literal("none"), z.iso.datetime()]),
});

const Bus = z.object({
  /** The name of the event bus of the stage. */
  EVENT_BUS: z.string().min(1),
});

const Metadata = z.object({
  /**
   * Hosts with ports from which SAML metadata and JWK sets may be fetched although they are not public: for tests and
   * closed networks.
   */
  METADATA_HOSTS: z.string().default(""),
});

const DeploymentFile = z.object({
  /** The path of deployment.toml, which is next to the bundle when deployed. */
  DEPLOYMENT_TOML: z.string().min(1),
});

/** The deadlines of a function for the table: one call with its retries, all calls of a request, one attempt. */
export interface Deadlines {
  readonly callMs: number;
  readonly requestMs: number;
  readonly attemptMs?: number;
}

/** Several attempts fit into the time of a call: one that stays without a response costs no request. */
const ATTEMPT_MS = 2_000;

/** How the table is reached. */
export function tableConfig(
  { callMs, requestMs, attemptMs = ATTEMPT_MS }: Deadlines,
  environment = process.env,
): TableConfig {
  const deadlines = { deadlineMs: callMs, requestDeadlineMs: requestMs, attemptMs };
  const { TABLE_NAME, DYNAMODB_ENDPOINT: endpoint, ...aws } = read(Table, environment);
  if (!endpoint) return { tableName: TABLE_NAME, ...deadlines, client: { environment } };
  // Every request is signed; an embedded engine does not check with which keys.
  const hasOwn = aws.AWS_ACCESS_KEY_ID ?? aws.AWS_PROFILE;
  const unsigned = { accessKeyId: "local", secretAccessKey: "local" };
  return {
    tableName: TABLE_NAME,
    ...deadlines,
    client: { endpoint, region: aws.AWS_REGION, environment, ...(hasOwn ? {} : { credentials: unsigned }) },
  };
}

/** The origin of absolute links, without a trailing slash. */
export function baseUrl(environment = process.env): string | undefined {
  return read(Links, environment).BASE_URL?.replace(/\/$/, "");
}

/** The public origin of the stage, without a trailing slash. */
export function publicUrl(environment = process.env): string {
  return read(Origin, environment).PUBLIC_URL.replace(/\/$/, "");
}

/** The origin of the name with client certificates, without a trailing slash. */
export function mtlsUrl(environment = process.env): string | undefined {
  return read(MutualTls, environment).MTLS_URL?.replace(/\/$/, "") || undefined;
}

/** The hosts with ports that may be fetched from although they are not public. */
export function fetchExempt(environment = process.env): Exempt {
  const { METADATA_HOSTS } = read(Metadata, environment);
  return new Set(METADATA_HOSTS.split(",").filter((host) => host !== ""));
}

/** The sealing key of the deployment and its former keys, in Base64: they open every sealed value. */
export function sealingKeys(environment = process.env): { readonly key: string; readonly former: readonly string[] } {
  const { SEAL_KEY, FORMER_SEAL_KEYS } = read(Sealing, environment);
  return { key: SEAL_KEY, former: FORMER_SEAL_KEYS };
}

/** The key of cursors, in Base64. */
export function cursorKey(environment = process.env): string {
  return read(Cursors, environment).CURSOR_KEY;
}

/** The key of forms of sign-in, in Base64. */
export function formKey(environment = process.env): string {
  return read(Forms, environment).FORM_KEY;
}

/** The keys of secrets of one-time codes, in Base64, the present one first. They open no other secret. */
export function factorKeys(environment = process.env): readonly string[] {
  return read(Factors, environment).FACTOR_KEYS;
}

/** The key of secrets for receivers of events, in Base64. It opens no other secret. */
export function eventKey(environment = process.env): string {
  return read(Events, environment).EVENT_KEY;
}

/** The keys of secrets for receivers of events, and of the keys that sign events. They open no other secret. */
export function deliveringKeys(environment = process.env) {
  const { EVENT_KEYS: receivers, EVENT_SIGNING_KEYS: signing } = read(Delivering, environment);
  return { receivers, signing };
}

/** The keys of first answers to repeatable requests, the present one first. They open no other secret. */
export function answerKeys(environment = process.env): readonly Uint8Array[] {
  return read(Answers, environment).ANSWER_KEYS.map((text) => Buffer.from(text, "base64"));
}

/** The key of the nonces of DPoP proofs. It opens no secret. */
export function nonceKey(environment = process.env): Uint8Array {
  return Buffer.from(read(Nonces, environment).NONCE_KEY, "base64");
}

/** What the synthetic check uses. */
export function canary(environment = process.env) {
  const { CANARY_URL, CANARY_SECRET, CANARY_AUTHORITIES_UNTIL: until } = read(Canary, environment);
  return {
    origin: CANARY_URL.replace(/\/$/, ""),
    secret: CANARY_SECRET,
    authoritiesUntilMs: until === "none" ? undefined : Date.parse(until),
  };
}

/** The name of the event bus of the stage. */
export function eventBus(environment = process.env): string {
  return read(Bus, environment).EVENT_BUS;
}

/** The path of the API document. */
export function openApiFile(environment = process.env): string {
  return read(Documents, environment).OPENAPI_FILE;
}

/** The directory of the page at `/`. */
export function frontDirectory(environment = process.env): string {
  return read(Front, environment).FRONT_DIRECTORY;
}

/** The path of deployment.toml. */
export function deploymentFile(environment = process.env): string {
  return read(DeploymentFile, environment).DEPLOYMENT_TOML;
}

/**
 * The password for a directory, from the variable that deployment.toml names. Throws an `Error` where it is not set.
 */
export function directoryPassword(
  { domain, passwordEnv }: { readonly domain: string; readonly passwordEnv: string },
  environment = process.env,
): string {
  const password = environment[passwordEnv];
  if (password) return password;
  throw new Error(`environment: ${passwordEnv}: set the password for the directory of the user store ${domain}`);
}

function read<T>(schema: z.ZodType<T>, environment: NodeJS.ProcessEnv): T {
  // To generate code for what is parsed once would take longer than to parse it.
  const parsed = schema.safeParse(environment, { jitless: true });
  if (parsed.success) return parsed.data;
  throw new Error(
    `environment: ${parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ")}`,
  );
}
