/**
 * Reads the environment of the functions at their start. Throws an `Error` that names each missing or invalid variable.
 */

import type { TableConfig } from "#core/database/table/dynamo.ts";
import { runsVersion } from "#core/http/version.ts";
import type { Exempt } from "#core/kernel/public-fetch.ts";
import * as z from "#core/kernel/zod.ts";

// Lambda sets it. Every function imports this file, so all of their lines have the version.
runsVersion(process.env.AWS_LAMBDA_FUNCTION_VERSION);

const Table = z.object({
  TABLE_NAME: z.string().min(3),
  /** Set where the database is not DynamoDB in the region of the function: for local runs and tests. */
  DYNAMODB_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  AWS_REGION: z.string().default("us-east-1"),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_PROFILE: z.string().optional(),
});

const url = z.url({ protocol: /^https?$/ });

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

/** Keys that are derived from `SEAL_KEY` and its former keys, separated by commas. The first one seals. */
const DerivedKeys = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(SealingKey).min(1));

const Delivering = z.object({
  /** The keys under which secrets for receivers of events are sealed (`eventKeysOf`). */
  EVENT_KEYS: DerivedKeys,
  /** The keys under which the private keys that sign events are sealed (`eventSigningKeysOf`). */
  EVENT_SIGNING_KEYS: DerivedKeys,
});

const Canary = z.object({
  /** The public origin of the stage. */
  CANARY_URL: url,
  /** The secret of the client, derived from `SEAL_KEY` (`canarySecretOf`). */
  CANARY_SECRET: z.string().min(40),
  /** When the first authority of client certificates expires; `none` where there is none. */
  CANARY_AUTHORITIES_UNTIL: z.union([z.literal("none"), z.iso.datetime()]),
});

/** The limits of a function for the table: one call with its retries, all calls of a request, one attempt. */
export interface Deadlines {
  readonly callMs: number;
  readonly requestMs: number;
  readonly attemptMs?: number;
  /** Whether throttled calls are repeated up to the deadline: where no caller waits. */
  readonly throttling?: TableConfig["throttling"];
}

/** Several attempts fit into the time of a call: one that stays without a response costs no request. */
const ATTEMPT_MS = 2_000;

/** How the table is reached. */
export function tableConfig(
  { callMs, requestMs, attemptMs = ATTEMPT_MS, throttling = "refused" }: Deadlines,
  environment = process.env,
): TableConfig {
  const deadlines = { deadlineMs: callMs, requestDeadlineMs: requestMs, attemptMs, throttling };
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

/**
 * The origin of absolute links and of tokens, without a trailing slash. Where it is absent: the domain of the gateway.
 */
export function baseUrl(environment = process.env): string | undefined {
  return one("BASE_URL", url.optional(), environment)?.replace(/\/$/, "");
}

/** The public origin of the stage, without a trailing slash. */
export function publicUrl(environment = process.env): string {
  return one("PUBLIC_URL", url, environment).replace(/\/$/, "");
}

/** The origin of the name with client certificates, without a trailing slash; absent or empty where there is none. */
export function mtlsUrl(environment = process.env): string | undefined {
  return one("MTLS_URL", url.optional().or(z.literal("")), environment)?.replace(/\/$/, "") || undefined;
}

/**
 * The hosts with ports from which SAML metadata and JWK sets may be fetched although they are not public: for tests
 * and closed networks.
 */
export function fetchExempt(environment = process.env): Exempt {
  const hosts = one("METADATA_HOSTS", z.string().default(""), environment);
  return new Set(hosts.split(",").filter((host) => host !== ""));
}

/** The sealing key of the deployment and its former keys, in Base64: they open every sealed value. */
export function sealingKeys(environment = process.env): { readonly key: string; readonly former: readonly string[] } {
  const { SEAL_KEY, FORMER_SEAL_KEYS } = read(Sealing, environment);
  return { key: SEAL_KEY, former: FORMER_SEAL_KEYS };
}

/** The user name of the administrator of `npm start`, who has the password that the environment says. */
export function localAdministrator(environment = process.env): string | undefined {
  return one("LOCAL_ADMINISTRATOR", z.string().optional(), environment);
}

/** The key under which cursors are sealed, in Base64, derived from `SEAL_KEY` (`cursorKeyOf`). */
export function cursorKey(environment = process.env): string {
  return one("CURSOR_KEY", SealingKey, environment);
}

/** The key under which forms of sign-in are sealed, in Base64, derived from `SEAL_KEY` (`formKeyOf`). */
export function formKey(environment = process.env): string {
  return one("FORM_KEY", SealingKey, environment);
}

/** The key under which orders of messages about ended sessions are sealed, in Base64 (`logoutKeyOf`). */
export function logoutKey(environment = process.env): string {
  return one("LOGOUT_KEY", SealingKey, environment);
}

/**
 * The keys of secrets of one-time codes, in Base64, the present one first (`factorKeysOf`). They open no other secret.
 */
export function factorKeys(environment = process.env): readonly string[] {
  return one("FACTOR_KEYS", DerivedKeys, environment);
}

/**
 * The keys under which the private keys that sign SAML assertions are sealed, in Base64 (`samlKeysOf`). They open no
 * other secret.
 */
export function samlKeys(environment = process.env): readonly string[] {
  return one("SAML_KEYS", DerivedKeys, environment);
}

/**
 * The key of secrets for receivers of events, in Base64, derived from `SEAL_KEY` (`eventKeyOf`). It opens no other
 * secret.
 */
export function eventKey(environment = process.env): string {
  return one("EVENT_KEY", SealingKey, environment);
}

/** The keys of secrets for receivers of events, and of the keys that sign events. They open no other secret. */
export function deliveringKeys(environment = process.env) {
  const { EVENT_KEYS: receivers, EVENT_SIGNING_KEYS: signing } = read(Delivering, environment);
  return { receivers, signing };
}

/**
 * The keys of first answers to repeatable requests, the present one first (`answerKeysOf`). They open no other secret.
 */
export function answerKeys(environment = process.env): readonly Uint8Array[] {
  return one("ANSWER_KEYS", DerivedKeys, environment).map((text) => Buffer.from(text, "base64"));
}

/** The key of the nonces of DPoP proofs, derived from `SEAL_KEY` (`nonceKeyOf`). It opens no secret. */
export function nonceKey(environment = process.env): Uint8Array {
  return Buffer.from(one("NONCE_KEY", SealingKey, environment), "base64");
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
  return one("EVENT_BUS", z.string().min(1), environment);
}

/** The directory of the page at `/`, which is next to the bundle when deployed. */
export function frontDirectory(environment = process.env): string {
  return one("FRONT_DIRECTORY", z.string().min(1), environment);
}

/** The path of deployment.toml, which is next to the bundle when deployed. */
export function deploymentFile(environment = process.env): string {
  return one("DEPLOYMENT_TOML", z.string().min(1), environment);
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

/**
 * The directory of the outbox, which the local service alone sets; the configuration set of Amazon SES, which a
 * deployment that sends by it sets; and the password of the mail server, which throws an `Error` where it is not set.
 */
export function mailSurroundings(environment = process.env) {
  return {
    outbox: environment.OUTBOX_DIRECTORY || undefined,
    configurationSet: environment.SES_CONFIGURATION_SET || undefined,
    smtpPassword(): string {
      const { SMTP_PASSWORD: password } = environment;
      if (password) return password;
      throw new Error("environment: SMTP_PASSWORD: set the password of smtp_user in the section [email]");
    },
  };
}

function one<T>(name: string, schema: z.ZodType<T>, environment: NodeJS.ProcessEnv): T {
  return read(z.object({ [name]: schema }), environment)[name] as T;
}

function read<T>(schema: z.ZodType<T>, environment: NodeJS.ProcessEnv): T {
  // To generate code for what is parsed once would take longer than to parse it.
  const parsed = schema.safeParse(environment, { jitless: true });
  if (parsed.success) return parsed.data;
  throw new Error(
    `environment: ${parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ")}`,
  );
}
