/** What a container does before its first request (decision 0074). Counts, because a time depends on the machine. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { type FunctionName, plan, variablesOf } from "../../stacks/plan.ts";
import { directory } from "./directory.ts";

const run = promisify(execFile);
const project = fileURLToPath(new URL("../..", import.meta.url));
const program = join(project, "tests/support/cold-program.ts");

const values: Readonly<Record<string, string>> = {
  TABLE_NAME: "identity-admin-api",
  BASE_URL: "https://api.example.com",
  FRONT_DIRECTORY: join(project, ".build/front"),
  SEAL_KEY: Buffer.alloc(32).toString("base64"),
  FORMER_SEAL_KEYS: "none",
  CURSOR_KEY: Buffer.alloc(32).toString("base64"),
  LOGOUT_KEY: Buffer.alloc(32).toString("base64"),
  FORM_KEY: Buffer.alloc(32).toString("base64"),
  SAML_KEYS: Buffer.alloc(32).toString("base64"),
  FACTOR_KEYS: Buffer.alloc(32).toString("base64"),
  EVENT_KEY: Buffer.alloc(32).toString("base64"),
  EVENT_KEYS: Buffer.alloc(32).toString("base64"),
  EVENT_SIGNING_KEYS: Buffer.alloc(32).toString("base64"),
  NONCE_KEY: Buffer.alloc(32).toString("base64"),
  ANSWER_KEYS: Buffer.alloc(32).toString("base64"),
  PUBLIC_URL: "https://api.example.com",
  MTLS_URL: "https://mtls.example.com",
  EVENT_BUS: "identity-admin-api-test",
  CANARY_URL: "https://api.example.com",
  CANARY_SECRET: "s".repeat(43),
  CANARY_AUTHORITIES_UNTIL: "none",
  DEPLOYMENT_TOML: join(project, "deployment.toml"),
};

/** The schemas of the environment and of the sections of deployment.toml that a function reads. */
const SCHEMAS_MOST = 280;

/** Functions that are clients of others, while no user waits for them: the check of every minute, and deliveries. */
const clients: readonly FunctionName[] = ["canary", "delivery"];

const started = async (name: FunctionName) => {
  const own = variablesOf(plan[name]).map((variable) => [variable, values[variable] ?? ""]);
  const env = { PATH: process.env.PATH, AWS_REGION: "us-east-1", ...Object.fromEntries(own) };
  const { stdout } = await run(process.execPath, [program, join(directory, name, "bundle.mjs")], { env });
  return JSON.parse(stdout) as { readonly isFunction: boolean; readonly schemas: number; readonly hasFetch: boolean };
};

describe.each(Object.keys(plan) as FunctionName[])("%s", (name) => {
  test("starts without the schemas of its operations and without the fetch client of Node.js", async () => {
    const { isFunction, schemas, hasFetch } = await started(name);
    expect(isFunction).toBe(true);
    expect(schemas).toBeLessThanOrEqual(SCHEMAS_MOST);
    expect(hasFetch).toBe(clients.includes(name));
  });
});
