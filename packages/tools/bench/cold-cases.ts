/** The requests that are measured in a process of their own, as the gateway passes them to the functions. */
import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { type FunctionName, plan, variablesOf } from "../../../stacks/plan.ts";
import type { LambdaFunction } from "../../local/gateway.ts";
import { issueAuthority, issueLeaf } from "../../local/issue.ts";
import { type Environment, type LoadFunction, startService } from "../../local/service.ts";
import { administrator, basic, call, inMemory, withoutLog } from "./calls.ts";
import { newBenchClient, sendForm } from "./tokens.ts";

/** One measured request. */
export interface ColdCase {
  readonly name: string;
  readonly function: FunctionName;
  /** A file with the event in JSON. */
  readonly event: string;
  readonly environment: Environment;
  readonly memoryMb: number;
  /** The highest ratio of a cold start to the bare handler that is the goal. */
  readonly goal: number;
}

const APPLICATIONS = "/api/server/v1/applications";
const GOAL = 1.3;
const GOAL_BY_PASSWORD = 1.8;

/** The variables of every function. */
const always = ["POWERTOOLS_METRICS_NAMESPACE"];

interface Recorded {
  readonly events: ReadonlyMap<string, unknown>;
  readonly environments: ReadonlyMap<string, Environment>;
  readonly load: LoadFunction;
}

/** The cases, and the service behind them. */
interface RecordedCases {
  readonly cases: readonly ColdCase[];
  /** The address of its database without TLS. The cases have one with TLS. */
  readonly endpoint: string;
  close(): Promise<unknown>;
}

/** Starts the service, sends each request once, and keeps the events of the functions in a directory. */
export async function recordCases(directory: string): Promise<RecordedCases> {
  const recorded = newRecorder();
  const service = await startService(inMemory, {}, recorded.load);
  const proxy = await startTlsProxy(service.endpoint, directory);
  const overTls = { DYNAMODB_ENDPOINT: proxy.endpoint, NODE_EXTRA_CA_CERTS: proxy.authority };
  const cases: ColdCase[] = [];
  const add = async (name: string, of: FunctionName, goal: number, request: () => Promise<unknown>) => {
    await withoutLog(request);
    const event = join(directory, `${cases.length}.json`);
    await writeFile(event, JSON.stringify(recorded.events.get(of)));
    const environment = { ...recorded.environments.get(of), ...overTls };
    cases.push({ name, function: of, event, environment, memoryMb: Number.parseInt(plan[of].memory, 10), goal });
  };
  const client = await newBenchClient(service.url, "JWT");
  const form = { grant_type: "client_credentials", scope: "internal_application_mgt_view" };
  const { access_token: token } = await withoutLog(() => sendForm(service.url, "/oauth2/token", client, form));
  const byPassword = basic(administrator.username, administrator.password);
  const get = (path: string, authorization = byPassword) => call(service.url, path, { headers: { authorization } });
  const send = (method: "POST" | "PATCH", path: string, body: object) =>
    call(service.url, path, {
      method,
      headers: { authorization: byPassword, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const list = await withoutLog(() => get(APPLICATIONS));
  const [application] = (list as { readonly applications: readonly { readonly id: string }[] }).applications;
  const group = (await withoutLog(() => send("POST", "/scim2/Groups", { displayName: "cold" }))) as { id: string };
  const employee = {
    userName: "cold.start",
    name: { familyName: "Start", givenName: "Cold" },
    password: "Cold-start-1",
  };
  const user = (await withoutLog(() => send("POST", "/scim2/Users", employee))) as { id: string };
  const renaming = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    Operations: [{ op: "replace", path: "displayName", value: "colder" }],
  };
  const bearer = `Bearer ${String(token)}`;

  await add("authorizer, by password", "authorizer", GOAL_BY_PASSWORD, () => get(APPLICATIONS));
  await add("authorizer, by JWT", "authorizer", GOAL, () => get(APPLICATIONS, bearer));
  await add("scim2, reads a user", "scim2", GOAL, () => get(`/scim2/Users/${user.id}`));
  await add("scim2, lists users", "scim2", GOAL, () => get("/scim2/Users?count=10"));
  await add("scim2, renames a group", "scim2", GOAL, () => send("PATCH", `/scim2/Groups/${group.id}`, renaming));
  await add("scim1, lists users", "scim1", GOAL, () => get("/svc/scim/Users?count=10"));
  await add("applications, lists", "applications", GOAL, () => get(APPLICATIONS));
  await add("applications, changes one", "applications", GOAL, () =>
    send("PATCH", `${APPLICATIONS}/${application?.id}`, { description: "cold" }),
  );
  await add("oauth2, issues a JWT", "oauth2", GOAL, () => sendForm(service.url, "/oauth2/token", client, form));
  await add("inbound-protocols, reads OIDC", "inbound-protocols", GOAL, () =>
    get(`${APPLICATIONS}/${application?.id}/inbound-protocols/oidc`),
  );
  await add("application-templates, lists", "application-templates", GOAL, () => get(`${APPLICATIONS}/templates`));
  await add("administration, lists APIs", "administration", GOAL, () => get("/api/server/v1/api-resources"));
  await add("recovery, lists deleted resources", "recovery", GOAL, () => get("/api/server/v1/deleted-resources"));
  await add("audit, lists changes", "audit", GOAL, () => get("/api/server/v1/audit-events"));
  await add("application-metadata, lists", "application-metadata", GOAL, () =>
    get(`${APPLICATIONS}/meta/inbound-protocols`),
  );
  const close = () => {
    proxy.close();
    return service.close();
  };
  return { cases, endpoint: service.endpoint, close };
}

/** Loads functions from their sources, and keeps the last event and the variables of each. */
function newRecorder(): Recorded {
  const events = new Map<string, unknown>();
  const environments = new Map<string, Environment>();
  return {
    events,
    environments,
    async load(name, environment) {
      const allowed = new Set([...always, ...variablesOf(plan[name as FunctionName])]);
      environments.set(name, Object.fromEntries(Object.entries(environment).filter(([key]) => allowed.has(key))));
      Object.assign(process.env, environment);
      const module = (await import(new URL(`../../../functions/${name}.ts`, import.meta.url).href)) as {
        handler: LambdaFunction;
      };
      return (event, context) => {
        events.set(name, structuredClone(event));
        return module.handler(event, context);
      };
    },
  };
}

/** A listening proxy. */
interface TlsProxy {
  /** `https://localhost:<port>`. */
  readonly endpoint: string;
  /** The file of the authority, for `NODE_EXTRA_CA_CERTS`. */
  readonly authority: string;
  close(): void;
}

/** Forwards decrypted connections to an endpoint. Writes the certificate of its authority into a directory. */
async function startTlsProxy(endpoint: string, directory: string): Promise<TlsProxy> {
  const authority = await issueAuthority("cold starts");
  const hosts = [{ type: "dns", value: "localhost" }] as const;
  const { certificate, key } = await issueLeaf(authority, "localhost", { kind: "server", hosts });
  const { hostname, port } = new URL(endpoint);
  const server = createServer({ cert: certificate, key }, (client) => {
    const upstream = connect(Number(port), hostname);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const file = join(directory, "authority.pem");
  await writeFile(file, authority.certificate);
  return {
    endpoint: `https://localhost:${(server.address() as AddressInfo).port}`,
    authority: file,
    close: () => server.close(),
  };
}
