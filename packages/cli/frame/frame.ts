/** What a command gets: its options, a client of the service, and where to print. */

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { type Api, type ClientCredentials, type Credentials, client, type UserCredentials } from "#client/client.ts";
import { wrongInput } from "./errors.ts";
import { type Output, outputOf, type Progress, progressOf } from "./output.ts";

export interface Frame<Options = object> {
  readonly options: GlobalOptions & Options;
  readonly environment: NodeJS.ProcessEnv;
  readonly out: Output;
  /** Throws a `CommandError` where there is no credential. */
  caller(): Promise<Caller>;
  /** A client for the caller. Sends nothing yet. Throws a `CommandError` where there is no credential. */
  api(): Promise<Api>;
  /** `total` is `undefined` where the end is not known. */
  progress(label: string, total?: number): Progress;
}

/** Sets what a command does. Its arguments come after the frame, in their order. */
export function action<Options, Args extends readonly unknown[]>(
  command: Command,
  act: (frame: Frame<Options>, ...args: Args) => Promise<void>,
): Command {
  return command.action(async (...given: readonly unknown[]) => {
    const args = given.slice(0, -2) as readonly unknown[] as Args;
    await act(frameOf<Options>(command.optsWithGlobals()), ...args);
  });
}

function frameOf<Options>(options: GlobalOptions & Options): Frame<Options> {
  const { env: environment } = process;
  const caller = () => callerOf(options, environment);
  return {
    options,
    environment,
    out: outputOf(options),
    caller,
    api: async () => apiOf(await caller(), options),
    progress: (label, total) => progressOf(label, total, { isQuiet: options.quiet }),
  };
}

/** The options that every command has. */
export interface GlobalOptions {
  readonly url?: string;
  readonly tenant?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly allowHttp?: boolean;
}

/** A service, and a caller of it. */
export interface Caller {
  readonly url: string;
  readonly tenant: string | undefined;
  readonly credentials: Credentials;
  /** Where the credential comes from, for people. */
  readonly source: string;
}

/** About one and a half seconds: somebody waits. */
const ATTEMPTS = 4;

export const URL_DEFAULT = "http://127.0.0.1:3000";

/**
 * The caller of a command. A credential of the environment comes before a stored one, so that a pipeline says what it
 * uses. Throws a `CommandError` where a credential is missing or half of one is set.
 */
export async function callerOf(options: GlobalOptions, environment: NodeJS.ProcessEnv): Promise<Caller> {
  const given = credentialsOf(environment);
  const stored = await readStored(environment);
  const url = options.url ?? (environment.IDENTITY_ADMIN_URL || undefined);
  const tenant = tenantOf(options, environment);
  if (given) return { url: url ?? stored?.url ?? URL_DEFAULT, tenant, credentials: given, source: "the environment" };
  if (!stored) {
    throw wrongInput(
      "There is no credential.",
      "Sign in: identity-admin login. Or set IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD, " +
        "IDENTITY_ADMIN_CLIENT_ID and IDENTITY_ADMIN_CLIENT_SECRET, or IDENTITY_ADMIN_TOKEN",
    );
  }
  if (url !== undefined && new URL(url, URL_DEFAULT).origin !== new URL(stored.url).origin) {
    throw wrongInput(
      `The stored credential is for ${stored.url}, and would be sent to ${url}.`,
      `Sign in there: identity-admin login --url ${url}`,
    );
  }
  return {
    url: url ?? stored.url,
    tenant: tenant ?? stored.tenant,
    credentials: stored.credentials,
    source: "identity-admin login",
  };
}

/** The tenant that is named. Throws a `CommandError` for an empty option: a variable in a script may be unset. */
export function tenantOf({ tenant }: GlobalOptions, environment: NodeJS.ProcessEnv): string | undefined {
  if (tenant === "") throw wrongInput("--tenant is empty.", "Give a tenant, such as acme.com, or omit the option.");
  return tenant ?? (environment.IDENTITY_ADMIN_TENANT || undefined);
}

/** A client for a caller. Throws a `CommandError` for an address that cannot be used. */
export function apiOf({ url, tenant, credentials }: Caller, options: GlobalOptions, attempts?: number): Api {
  try {
    return client({
      url,
      tenant,
      credentials,
      attempts: attempts ?? ATTEMPTS,
      allowHttp: options.allowHttp,
      headers: { "user-agent": "identity-admin" },
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw wrongInput(error.message.replace("set allowHttp", "add --allow-http"));
  }
}

const pairs = [
  ["IDENTITY_ADMIN_USER", "IDENTITY_ADMIN_PASSWORD"],
  ["IDENTITY_ADMIN_CLIENT_ID", "IDENTITY_ADMIN_CLIENT_SECRET"],
] as const;

/** The credential of the environment, if there is one. Throws a `CommandError` for half of one, and for two. */
function credentialsOf(environment: NodeJS.ProcessEnv): Credentials | undefined {
  for (const [first, second] of pairs) {
    const missing = environment[first] ? (environment[second] ? undefined : second) : environment[second] && first;
    if (missing) throw wrongInput(`${missing} is not set. It belongs to ${missing === first ? second : first}.`);
  }
  const {
    IDENTITY_ADMIN_USER: username,
    IDENTITY_ADMIN_PASSWORD: password,
    IDENTITY_ADMIN_CLIENT_ID: clientId,
    IDENTITY_ADMIN_CLIENT_SECRET: clientSecret,
    IDENTITY_ADMIN_SCOPE: scope,
    IDENTITY_ADMIN_TOKEN: token,
  } = environment;
  const found: Credentials[] = [];
  if (username && password) found.push({ username, password });
  if (clientId && clientSecret) found.push({ clientId, clientSecret, scope: scope || undefined });
  if (token) found.push({ token });
  if (found.length > 1) {
    throw wrongInput("The environment has several credentials. Set only a user, a client or a token.");
  }
  return found[0];
}

/** A service and a credential. */
export interface Stored {
  readonly url: string;
  readonly tenant?: string | undefined;
  readonly credentials: UserCredentials | ClientCredentials | { readonly token: string };
}

/** Where the file is. `XDG_CONFIG_HOME` names another folder than `~/.config`. */
export function storedPath(environment: NodeJS.ProcessEnv): string {
  return join(environment.XDG_CONFIG_HOME || join(homedir(), ".config"), "identity-admin", "credentials.json");
}

/** What is stored, if anything. Throws a `CommandError` for a file that this program did not write. */
async function readStored(environment: NodeJS.ProcessEnv): Promise<Stored | undefined> {
  const path = storedPath(environment);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const stored = JSON.parse(text) as Stored;
    if (typeof stored.url === "string" && typeof stored.credentials === "object") return stored;
  } catch {
    // The sentence below is for both.
  }
  throw wrongInput(`${path} is damaged.`, "Remove it and sign in again: identity-admin logout; identity-admin login");
}

/** Stores a credential in place of another. Returns the path of the file. */
export async function store(stored: Stored, environment: NodeJS.ProcessEnv): Promise<string> {
  const path = storedPath(environment);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A file that is there may be a link, or open for others.
  const part = `${path}.part`;
  await rm(part, { force: true });
  await writeFile(part, `${JSON.stringify(stored, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  await rename(part, path);
  return path;
}

/** Forgets what is stored. */
export async function forget(environment: NodeJS.ProcessEnv): Promise<void> {
  await rm(storedPath(environment), { force: true });
}
