/** SST's own program, asked to remove a stage: before a stand-in of AWS that only knows what SST looks up first. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "#tools/deploy/bundle.ts";

const asked: string[] = [];
const aws = createServer((request, response) => {
  asked.push(`${request.method} ${request.url} ${request.headers["x-amz-target"] ?? ""}`.trim());
  request.resume();
  if (request.headers["x-amz-target"] !== "AmazonSSM.GetParameter") {
    response.statusCode = 404;
    response.end('<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>');
    return;
  }
  // The account was prepared for SST, by a version later than any.
  const Value = JSON.stringify({ version: 99, asset: "assets", state: "state" });
  response.setHeader("content-type", "application/x-amz-json-1.1");
  response.end(JSON.stringify({ Parameter: { Name: "/sst/bootstrap", Value } }));
});
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "sst-"));
  await new Promise<void>((listening) => aws.listen(0, "127.0.0.1", listening));
});
afterAll(async () => {
  aws.closeAllConnections();
  aws.close();
  await rm(home, { recursive: true, force: true });
});

const sst = (...args: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> =>
  new Promise((done) => {
    const child = spawn(join(root, "node_modules/.bin/sst"), args, {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        XDG_CONFIG_HOME: home,
        SST_LOG: join(home, "sst.log"),
        SST_TELEMETRY_DISABLED: "1",
        SST_SKIP_DEPENDENCY_CHECK: "1",
        SST_NO_BUN: "1",
        AWS_ACCESS_KEY_ID: "nobody",
        AWS_SECRET_ACCESS_KEY: "nothing",
        AWS_REGION: "eu-west-1",
        AWS_EC2_METADATA_DISABLED: "true",
        AWS_ENDPOINT_URL: `http://127.0.0.1:${(aws.address() as AddressInfo).port}`,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    const hear = (text: Buffer) => {
      said += text.toString();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("close", (code) => done({ code, said }));
  });

test("`sst remove` of production is refused before anything is touched", async () => {
  const { code, said } = await sst("remove", "--stage", "production");
  expect(said).toContain("Cannot remove protected stage");
  expect(code).toBe(1);
  expect(asked).toEqual(["POST / AmazonSSM.GetParameter"]);
});

test("of another stage it begins: it looks for the stage's state", async () => {
  const { said } = await sst("remove", "--stage", "dana");
  expect(said).not.toContain("Cannot remove protected stage");
  expect(asked.some((line) => line.includes("/dana.json"))).toBe(true);
});
