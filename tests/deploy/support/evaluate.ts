/** Evaluates the stacks of a stage as SST would deploy them, without AWS: bundles sst.config.ts as SST does, and runs it. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { root } from "#tools/deploy/bundle.ts";
import type { Evaluation, Order } from "./evaluation.ts";

const platform = join(root, ".sst/platform");

/** How to evaluate. */
export interface Question {
  readonly stage: string;
  /** Settings of the stage, and secrets as `SST_SECRET_<Name>`. Nothing of this process's environment is seen. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly isLive?: boolean;
}

/** The secrets that a stage needs; the texts must be seen nowhere. */
export const secrets = {
  SST_SECRET_SealKey: Buffer.alloc(32, 7).toString("base64"),
  SST_SECRET_AdminPassword: "the first administrator's password",
} as const;

/** Packages that the platform's sources import, which lie beside them. */
const beside = [
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

/** SST gives the files of a project the names `sst` and `aws`. */
const names: Plugin = {
  name: "names",
  setup({ onLoad }) {
    const given =
      `import * as aws from "@pulumi/aws"; ` +
      `import * as sst from ${JSON.stringify(join(platform, "src/components"))};`;
    onLoad({ filter: /\.ts$/ }, async ({ path }) =>
      path.includes("/.sst/") || path.includes("/node_modules/")
        ? undefined
        : { contents: given + (await readFile(path, "utf8")), loader: "ts" },
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
    external: beside,
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
    let said = "";
    const hear = (text: Buffer) => {
      said += text.toString();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("error", failed);
    // One that waits for what never comes ends with another code than 0 too.
    child.once("close", (code) =>
      code === 0 ? done() : failed(new Error(`stage ${stage} ended with ${code}:\n${said}`)),
    );
  });

/** Evaluates a stage. Throws an `Error` with what the stacks said where they fail. */
export const evaluate = async ({ stage, environment = secrets, isLive = false }: Question): Promise<Evaluation> => {
  if (!existsSync(join(platform, "node_modules"))) throw new Error("SST's platform is missing: npm run sst:install");
  const work = await mkdtemp(join(tmpdir(), "stacks-"));
  const order: Order = { stage, isLive, root, work, answer: join(work, "answer.json") };
  // Here it finds the platform's packages, of which there must be one copy.
  const file = join(platform, `evaluate-${basename(work)}.mjs`);
  try {
    await bundle(order, file);
    await run(file, stage, { PATH: process.env.PATH, HOME: work, ...environment });
    return JSON.parse(await readFile(order.answer, "utf8")) as Evaluation;
  } finally {
    await Promise.all([rm(work, { recursive: true, force: true }), rm(file, { force: true })]);
  }
};
