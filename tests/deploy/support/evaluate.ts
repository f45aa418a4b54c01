/** Evaluates the stacks of a stage without AWS: bundles sst.config.ts like SST, and runs it. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { root } from "#tools/deploy/bundle.ts";
import type { Evaluation, Order } from "./evaluation.ts";
import { REGION } from "./made.ts";

const platform = join(root, ".sst/platform");

/** The input of an evaluation. */
export interface EvaluationInput {
  readonly stage: string;
  /** Settings of the stage, and secrets as `SST_SECRET_<Name>`. This process's environment is not inherited. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly isLive?: boolean;
  readonly region?: string;
  /** The text of its deployment.toml. Default: that of the project. */
  readonly deployment?: string;
}

/** The secrets that a stage needs. Tests check that no other resource contains them. */
export const secrets = {
  SST_SECRET_SealKey: Buffer.alloc(32, 7).toString("base64"),
  SST_SECRET_AdminPassword: "the first administrator's password",
} as const;

/** Packages of the platform's own `node_modules`. */
const external = [
  "@pulumi/*",
  "@pulumiverse/*",
  "@sst-provider/*",
  "@aws-sdk/*",
  "archiver",
  "esbuild",
  "glob",
  "undici",
  "vite",
];

/** Imports `sst` and `aws` into the project's files, like SST. */
const names: Plugin = {
  name: "names",
  setup({ onLoad }) {
    const imports =
      `import * as aws from "@pulumi/aws"; ` +
      `import * as sst from ${JSON.stringify(join(platform, "src/components"))};`;
    onLoad({ filter: /\.ts$/ }, async ({ path }) =>
      path.includes("/.sst/") || path.includes("/node_modules/")
        ? undefined
        : { contents: imports + (await readFile(path, "utf8")), loader: "ts" },
    );
  },
};

const bundle = (order: Order, outfile: string) =>
  build({
    stdin: {
      resolveDir: root,
      contents: `
        import { run } from "./.sst/platform/src/auto/run.ts";
        import program from "./sst.config.ts";
        import { evaluateProgram } from "./tests/deploy/support/engine.ts";
        await evaluateProgram(program, run, ${JSON.stringify(order)});`,
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    sourcemap: "inline",
    logLevel: "silent",
    nodePaths: [join(platform, "node_modules")],
    inject: [join(platform, "src/shim/run.js")],
    external,
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    plugins: [names],
  });

const run = (file: string, stage: string, environment: NodeJS.ProcessEnv): Promise<void> =>
  new Promise((done, failed) => {
    const child = spawn(process.execPath, ["--enable-source-maps", "--no-warnings", file], {
      cwd: root,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const append = (text: Buffer) => {
      output += text.toString();
    };
    child.stdout.on("data", append);
    child.stderr.on("data", append);
    child.once("error", failed);
    // A process that waits forever ends with another code than 0 too.
    child.once("close", (code) =>
      code === 0 ? done() : failed(new Error(`stage ${stage} ended with ${code}:\n${output}`)),
    );
  });

/** The project with another deployment.toml. */
const projectWith = async (deployment: string, work: string): Promise<string> => {
  const folder = join(work, "project");
  await mkdir(folder);
  const names = (await readdir(root)).filter((name) => name !== "deployment.toml");
  await Promise.all(names.map((name) => symlink(join(root, name), join(folder, name))));
  await writeFile(join(folder, "deployment.toml"), deployment);
  return folder;
};

/** Evaluates a stage. Throws an `Error` with the output of the stacks if they fail. */
export const evaluate = async ({
  stage,
  environment = secrets,
  isLive = false,
  region = REGION,
  deployment,
}: EvaluationInput): Promise<Evaluation> => {
  if (!existsSync(join(platform, "node_modules"))) throw new Error("SST's platform is missing: npm run sst:install");
  const work = await mkdtemp(join(tmpdir(), "stacks-"));
  const own = deployment === undefined ? root : await projectWith(deployment, work);
  const order: Order = { stage, isLive, region, root: own, work, result: join(work, "result.json") };
  // In this folder it finds the platform's packages. There must be only one copy of them.
  const file = join(platform, `evaluate-${basename(work)}.mjs`);
  try {
    await bundle(order, file);
    await run(file, stage, { PATH: process.env.PATH, HOME: work, ...environment });
    return JSON.parse(await readFile(order.result, "utf8")) as Evaluation;
  } finally {
    await Promise.all([rm(work, { recursive: true, force: true }), rm(file, { force: true })]);
  }
};
