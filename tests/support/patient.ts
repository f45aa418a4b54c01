/** A project folder with the settings of a stage, which tests break, for `npm run doctor`. */
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { issueAuthority } from "#local/issue.ts";
import { diagnose } from "#tools/deploy/doctor-checks.ts";
import { environmentFiles } from "#tools/deploy/doctor-settings.ts";

/** The folder of this project. */
export const project = fileURLToPath(new URL("../..", import.meta.url));
const DAY_MS = 86_400_000;
/** Keys of the right form. */
export const KEY = Buffer.alloc(32, 7).toString("base64");
export const OTHER_KEY = Buffer.alloc(32, 8).toString("base64");

/** The variables of a healthy production. */
export const settings = {
  AWS_REGION: "eu-central-1",
  API_DOMAIN: "api.example.com",
  MTLS_DOMAIN: "mtls.example.com",
  HOSTED_ZONE_ID: "Z0123456789",
  ALARM_EMAIL: "operators@example.com",
};
const secrets = new Map([
  ["SealKey", KEY],
  ["AdminPassword", "a-long-password"],
]);

/** How a healthy production is broken. */
export interface Harm {
  readonly stage?: string;
  readonly shell?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Files by their paths; `undefined` deletes one. */
  readonly files?: Readonly<Record<string, string | undefined | (() => string | Promise<string>)>>;
  readonly inDays?: number;
}

/** A project with nothing wrong, made again before each test of the calling file. */
export const patient = () => {
  let root = "";
  let trusted = { certificate: "", key: "" };

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "doctor-"));
    trusted = await issueAuthority("Identity Admin API development CA");
  });
  afterAll(() => rm(root, { recursive: true }));

  /** A project with nothing wrong. */
  beforeEach(async () => {
    await rm(root, { recursive: true });
    for (const folder of ["docs", "certs", "node_modules/sst", "node_modules/.bin"]) {
      await mkdir(join(root, folder), { recursive: true });
    }
    await cp(join(project, "deployment.toml"), join(root, "deployment.toml"));
    await writeFile(join(root, "docs/openapi.json"), '{"openapi": "3.1.0"}');
    await cp(join(project, "node_modules/sst/package.json"), join(root, "node_modules/sst/package.json"));
    await writeFile(join(root, "certs/truststore.pem"), trusted.certificate);
  });

  const examine = async ({ stage = "production", shell = {}, secrets: changed = {}, files = {}, inDays = 0 }: Harm) => {
    for (const [path, content] of Object.entries(files)) {
      if (content === undefined) await rm(join(root, path), { recursive: true });
      else await writeFile(join(root, path), typeof content === "string" ? content : await content());
    }
    const present = [...secrets, ...Object.entries(changed)].filter(([, value]) => value !== "");
    return diagnose({
      stage,
      root,
      shell: { ...settings, ...shell },
      files: environmentFiles(root, stage),
      secrets: new Map(present.filter(([name]) => changed[name] !== "")),
      nowMs: Date.now() + inDays * DAY_MS,
    });
  };

  const badOf = async (harm: Harm): Promise<readonly string[]> =>
    (await examine(harm)).flatMap(({ state, check, text, todo }) =>
      state === "ok" || state === "unchecked" ? [] : [`${state} ${check}: ${text}${todo ? `. ${todo}` : ""}`],
    );

  return {
    get root() {
      return root;
    },
    get trusted() {
      return trusted;
    },
    examine,
    badOf,
  };
};
