/** `login`, `logout`, `whoami`, `token`: who calls. */
import type { Command } from "commander";
import { type Api, isFault, type ScimUser } from "#client/client.ts";
import { wrongInput } from "../frame/errors.ts";
import {
  action,
  apiOf,
  type Caller,
  type Frame,
  forget,
  type GlobalOptions,
  type Stored,
  store,
  storedPath,
  tenantOf,
  URL_DEFAULT,
} from "../frame/frame.ts";
import { asked, chosen, isTerminal, secretAsked, textAsked } from "../frame/output.ts";

interface LoginValues {
  readonly user?: string;
  readonly clientId?: string;
  readonly scope?: string;
  readonly bearer?: boolean;
  readonly secretStdin?: boolean;
  readonly store?: boolean;
}

/** The scope that every caller has, and that a client must ask for to see itself. */
const SIGNED_IN = "internal_login";

export function declareSession(program: Command): void {
  const login = program
    .command("login")
    .description("sign in, and store the credential in a file that only you can read")
    .option("--user <name>", "a user, with a password")
    .option("--client-id <id>", "an OAuth client, with its secret")
    .option("--scope <scopes>", "the scopes that the client requests")
    .option("--bearer", "an access token")
    .option("--secret-stdin", "read the password, the secret or the token from standard input")
    .option("--store", "store the password of a user without asking");
  action<LoginValues, []>(login, async ({ options, environment, out }) => {
    const url = await urlAsked(options, environment);
    const tenant = tenantOf(options, environment);
    const credentials = await credentialsAsked(options);
    const caller: Caller = { url, tenant, credentials, source: "the prompt" };
    const self = await selfOf(apiOf(caller, options), caller);
    const isPassword = "password" in credentials;
    const question = `Store the password in ${storedPath(environment)}, readable only by you?`;
    if (isPassword && !options.store && !(isTerminal() && (await asked(question)))) {
      out.done(`Signed in as ${self.name}. Nothing was stored.`, { ...self, stored: false });
      out.note("Set IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD, or run the command again with --store.");
      return;
    }
    const path = await store({ url, tenant, credentials }, environment);
    out.done(`Signed in as ${self.name}. Stored in ${path}.`, { ...self, stored: true });
  });

  const logout = program.command("logout").description("remove the stored credential");
  action(logout, async ({ environment, out }) => {
    await forget(environment);
    out.done("Signed out.", { stored: false });
  });

  const whoami = program.command("whoami").description("show the caller, the service and the roles");
  action(whoami, async (frame: Frame) => {
    const caller = await frame.caller();
    frame.out.value(await selfOf(await frame.api(), caller));
  });

  const token = program.command("token").description("print an access token of the client");
  action(token, async ({ api, out }) => {
    const value = await (await api()).token();
    if (value === undefined) {
      throw wrongInput(
        "A user with a password has no token.",
        "Use a client: IDENTITY_ADMIN_CLIENT_ID and IDENTITY_ADMIN_CLIENT_SECRET",
      );
    }
    if (out.isJson) out.value({ token: value });
    else process.stdout.write(`${value}\n`);
  });
}

async function urlAsked(options: GlobalOptions, environment: NodeJS.ProcessEnv): Promise<string> {
  const given = options.url ?? (environment.IDENTITY_ADMIN_URL || undefined);
  if (given !== undefined) return given;
  return isTerminal() ? textAsked("The address of the service", "--url <origin>", URL_DEFAULT) : URL_DEFAULT;
}

async function credentialsAsked(options: LoginValues): Promise<Stored["credentials"]> {
  const { user, clientId, bearer, scope, secretStdin } = options;
  const kind = user ? "user" : clientId ? "client" : bearer ? "token" : await kindAsked();
  if (kind === "token") return { token: await secretAsked("The access token", "--secret-stdin", secretStdin) };
  if (kind === "client") {
    const id = clientId ?? (await textAsked("The client id", "--client-id <id>"));
    const clientSecret = await secretAsked("The client secret", "--secret-stdin", secretStdin);
    return { clientId: id, clientSecret, scope };
  }
  const username = user ?? (await textAsked("The user name", "--user <name>"));
  return { username, password: await secretAsked("The password", "--secret-stdin", secretStdin) };
}

function kindAsked(): Promise<string> {
  if (!isTerminal())
    throw wrongInput(
      "There is no user, client or token to sign in with.",
      "Add --user <name>, --client-id <id> or --bearer.",
    );
  return chosen("Who signs in?", {
    user: "a user, with a password",
    client: "an OAuth client, with its secret",
    token: "an access token that you have",
  });
}

/** Who the caller is. Throws a `Fault` where the service does not accept the credential. */
export async function selfOf(api: Api, caller: Caller) {
  const { url } = api;
  const { credentials, source } = caller;
  if ("username" in credentials) {
    const { body } = await api.request("GET /scim2/Me");
    return { name: credentials.username, kind: "user", url, source, ...shown(body) };
  }
  if ("clientId" in credentials) {
    const { clientId, clientSecret } = credentials;
    const { body } = await api.request("POST /oauth2/introspect", {
      body: new URLSearchParams({ token: (await api.token()) ?? "" }),
      headers: {
        authorization: `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString("base64")}`,
      },
    });
    return { name: clientId, kind: "client", url, source, scopes: scopesOf(body.scope), expires: timeOf(body.exp) };
  }
  try {
    const { body } = await api.request("GET /scim2/Me");
    return { name: body.userName ?? body.id, kind: "token of a user", url, source, ...shown(body) };
  } catch (error) {
    // A token of a client belongs to no user; without its scope the service does not say whose it is.
    if (!isFault(error, "notFound") && !isFault(error, "forbidden") && !isFault(error, "invalid")) throw error;
    return { name: "the owner of the token", kind: "token of a client", url, source };
  }
}

function shown({ id, groups, roles }: ScimUser) {
  const names = (list: readonly { readonly display?: string }[] = []) => list.flatMap(({ display }) => display ?? []);
  return { id, groups: names(groups), roles: names(roles) };
}

function scopesOf(scope = ""): readonly string[] {
  return scope.split(" ").filter((one) => one !== "" && one !== SIGNED_IN);
}

function timeOf(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1_000).toISOString();
}

function encoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}
