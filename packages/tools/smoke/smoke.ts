/**
 * `npm run smoke -- <url>`: sends the README's first request and thirty more to a deployed stage, prints one line for
 * each, and removes what it created. `run.ts` has what is sent, USAGE the command line. Exit codes: 0 every request
 * returned what it must, 1 one did not or the run was interrupted, 2 wrong command line.
 */
import { UsageError, urlOf, wordsOf } from "#cli/client.ts";
import { type Credential, type Line, smoke } from "./run.ts";
import { clientScopes } from "./steps.ts";

const USAGE = `npm run smoke -- <url> [--allow-http]

  <url>         the address that sst deploy printed, such as https://api.example.com
  --allow-http  send the credential to another machine without TLS

Set IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD, or IDENTITY_ADMIN_CLIENT_ID and IDENTITY_ADMIN_CLIENT_SECRET of an
application in the super tenant with the grant client_credentials and these scopes:
${clientScopes.join(" ")}

It creates a user, a group, a role and an application, whose names begin with "smoke-", and deletes them, also after a
failure or Ctrl-C. Those of runs that were killed more than an hour ago are deleted too.`;

process.exitCode = await main(process.argv.slice(2), process.env);

async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    const { url, credential } = optionsOf(args, environment);
    const isGood = await smoke({ url, credential, nowMs: Date.now(), print, signal: interruption() });
    console.log(isGood ? `${url} works.` : `${url} does not work as it must: see the lines with FAIL.`);
    return isGood ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return 2;
  }
}

/** Aborted by the first Ctrl-C. The second one ends the process at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => {
      console.error("Interrupted. Removing what was created ...");
      controller.abort();
    });
  }
  return controller.signal;
}

function print({ state, status, milliseconds, method, path, title, correlationId, problem }: Line): void {
  const columns = [
    state.padEnd(4),
    String(status ?? "-").padStart(3),
    `${milliseconds} ms`.padStart(8),
    method.padEnd(6),
    path,
    `(${title}${problem === undefined ? "" : `: ${problem}`})`,
    correlationId ?? "-",
  ];
  console.log(columns.join("  "));
}

function optionsOf(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const { values, positionals } = wordsOf(args, USAGE, { "allow-http": { type: "boolean" } });
  const [url, ...more] = positionals;
  if (url === undefined || more.length > 0) throw new UsageError(USAGE);
  const origin = urlOf(url, values["allow-http"] ?? false, "<url>");
  if (new URL(origin).pathname !== "/") throw new UsageError(`<url> must be an origin without a path, not "${url}".`);
  return { url: origin, credential: credentialOf(environment) };
}

function credentialOf(environment: NodeJS.ProcessEnv): Credential {
  const { IDENTITY_ADMIN_USER: name, IDENTITY_ADMIN_PASSWORD: password } = environment;
  const { IDENTITY_ADMIN_CLIENT_ID: id, IDENTITY_ADMIN_CLIENT_SECRET: secret } = environment;
  if (name && password && !id && !secret) return { kind: "user", name, password };
  if (id && secret && !name && !password) return { kind: "client", id, secret };
  throw new UsageError(
    "Set IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD in the environment, or IDENTITY_ADMIN_CLIENT_ID and IDENTITY_ADMIN_CLIENT_SECRET.",
  );
}
