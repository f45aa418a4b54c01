/** `doctor`: can this command work here, and what is missing. */
import type { Command } from "commander";
import { type Api, Fault, type Route } from "#client/client.ts";
import { CommandError, exitCodes } from "../frame/errors.ts";
import { action, apiOf, type Caller } from "../frame/frame.ts";
import { selfOf } from "./session.ts";

interface Check {
  readonly check: string;
  readonly state: "ok" | "warning" | "failed";
  readonly words: string;
}

const NODE_LEAST = 20;
/** DPoP proofs and JWTs are refused when clocks differ by more. */
const CLOCK_MOST_SECONDS = 60;

/** One read of each area: what the commands of it need at least. */
const areas: Readonly<Record<string, readonly [Route & `GET ${string}`, Readonly<Record<string, number>>]>> = {
  users: ["GET /scim2/Users", { count: 1 }],
  groups: ["GET /scim2/Groups", { count: 1 }],
  roles: ["GET /scim2/v2/Roles", { count: 1 }],
  apps: ["GET /api/server/v1/applications", { limit: 1 }],
  apis: ["GET /api/server/v1/api-resources", { limit: 1 }],
  tenants: ["GET /api/server/v1/tenants", { limit: 1 }],
  changes: ["GET /api/server/v1/audit-events", { limit: 1 }],
};

export function declareDoctor(program: Command): void {
  const doctor = program.command("doctor").description("check the address, the credential and its rights");
  action(doctor, async ({ caller, options, out }) => {
    const checks = await checksOf(await caller(), options);
    const rows = checks.map(({ check, state, words }) => [state, check, words]);
    out.table(["state", "check", "what"], rows, checks);
    if (checks.some(({ state }) => state === "failed")) {
      throw new CommandError("Something does not work.", exitCodes.failed, "See the lines above.");
    }
  });
}

async function checksOf(caller: Caller, options: Parameters<typeof apiOf>[1]): Promise<readonly Check[]> {
  const api = apiOf(caller, options, 1);
  const major = Number(process.versions.node.split(".")[0]);
  const node: Check =
    major >= NODE_LEAST
      ? { check: "Node", state: "ok", words: process.versions.node }
      : { check: "Node", state: "failed", words: `${process.versions.node}: install ${NODE_LEAST} or later` };
  const credential = `${"username" in caller.credentials ? caller.credentials.username : "a client"}, from ${caller.source}`;
  let response: Awaited<ReturnType<Api["send"]>>;
  try {
    // Anyone may read the public keys, so this says whether the service answers at all.
    response = await api.send("GET", "/oauth2/jwks", { headers: { authorization: "" } });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const words = error.kind === "unreachable" ? `${error.detail}. Start it, or correct --url.` : error.message;
    return [node, { check: "service", state: "failed", words }];
  }
  const checks: Check[] = [node, { check: "service", state: "ok", words: api.url }, tlsOf(api.url), clockOf(response)];
  try {
    const { name, kind } = await selfOf(api, caller);
    checks.push({ check: "credential", state: "ok", words: `${kind} ${name}, from ${caller.source}` });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const words = `${credential}: ${error.detail} Sign in: identity-admin login`;
    return [...checks, { check: "credential", state: "failed", words }];
  }
  for (const [area, [route, query]] of Object.entries(areas)) checks.push(await right(api, area, route, query));
  return checks;
}

async function right(api: Api, area: string, route: string, query: Readonly<Record<string, number>>): Promise<Check> {
  try {
    await api.send("GET", route.slice("GET ".length) as `/${string}`, { query });
    return { check: area, state: "ok", words: "can be read" };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { check: area, state: error.kind === "forbidden" ? "warning" : "failed", words: error.detail };
  }
}

function tlsOf(url: string): Check {
  if (url.startsWith("https:")) return { check: "TLS", state: "ok", words: "the certificate is valid" };
  const isHere = /^http:\/\/(localhost|127\.|\[::1\])/.test(url);
  return isHere
    ? { check: "TLS", state: "ok", words: "not needed on this machine" }
    : { check: "TLS", state: "warning", words: "http shows the credential to the network: use https" };
}

function clockOf({ headers }: Awaited<ReturnType<Api["send"]>>): Check {
  const time = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(time)) return { check: "clock", state: "warning", words: "the service does not send its time" };
  const seconds = Math.round(Math.abs(Date.now() - time) / 1_000);
  return seconds <= CLOCK_MOST_SECONDS
    ? { check: "clock", state: "ok", words: "matches the service" }
    : { check: "clock", state: "warning", words: `differs by ${seconds} seconds: set the time of this machine` };
}
