/** Runs `sst remove` against a fake of AWS that implements only SST's first calls. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "#tools/deploy/bundle.ts";

const requests: string[] = [];
const aws = createServer((request, response) => {
  requests.push(`${request.method} ${request.url} ${request.headers["x-amz-target"] ?? ""}`.trim());
  request.resume();
  if (request.headers["x-amz-target"] !== "AmazonSSM.GetParameter") {
    response.statusCode = 404;
    response.end('<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>');
    return;
  }
  // The account is already prepared for SST, by a later version than any.
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

const sst = (...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> =>
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
        AWS_ACCESS_KEY_ID: "unused",
        AWS_SECRET_ACCESS_KEY: "unused",
        AWS_REGION: "eu-west-1",
        AWS_EC2_METADATA_DISABLED: "true",
        AWS_ENDPOINT_URL: `http://127.0.0.1:${(aws.address() as AddressInfo).port}`,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const append = (text: Buffer) => {
      output += text.toString();
    };
    child.stdout.on("data", append);
    child.stderr.on("data", append);
    child.once("close", (code) => done({ code, output }));
  });

test("refuses to remove production before it changes anything", async () => {
  const { code, output } = await sst("remove", "--stage", "production");
  expect(output).toContain("Cannot remove protected stage");
  expect(code).toBe(1);
  expect(requests).toEqual(["POST / AmazonSSM.GetParameter"]);
});

test("begins to remove another stage by reading its state", async () => {
  const { output } = await sst("remove", "--stage", "dana");
  expect(output).not.toContain("Cannot remove protected stage");
  expect(requests.some((line) => line.includes("/dana.json"))).toBe(true);
});
