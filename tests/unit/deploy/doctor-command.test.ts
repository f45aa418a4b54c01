/** `npm run doctor` as a process: its output, exit codes, and what it asks AWS for. */
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { KEY, patient, project, settings } from "#tests/support/patient.ts";

const PROGRAM = join(project, "packages/tools/deploy/doctor.ts");

const someone = patient();

describe("the command", () => {
  const run = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: someone.root,
      env: { PATH: process.env.PATH, ...settings, ...environment },
    });
    let [output, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    return { code: await new Promise<number | null>((done) => child.once("close", done)), output, errors };
  };
  /** A program in place of SST. */
  const fakeSst = (script: string): Promise<void> =>
    writeFile(join(someone.root, "node_modules/.bin/sst"), `#!${process.execPath}\n${script}`, { mode: 0o755 });

  let dynamo: Server | undefined;
  let table: Readonly<Record<string, unknown>> = {};
  const endpoint = async (): Promise<string> => {
    dynamo = createServer((incoming, outgoing) => {
      const target = String(incoming.headers["x-amz-target"]).split(".")[1] ?? "";
      incoming.resume();
      const body = table[target];
      outgoing.writeHead(body === undefined ? 400 : 200, { "content-type": "application/x-amz-json-1.0" });
      outgoing.end(JSON.stringify(body ?? { __type: "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException" }));
    }).listen(0, "127.0.0.1");
    await new Promise((done) => dynamo?.once("listening", done));
    return `http://127.0.0.1:${(dynamo.address() as AddressInfo).port}`;
  };
  afterAll(() => dynamo?.close());

  test("prints a line for each finding, ends with 0, and with 1 if something is wrong", async () => {
    const good = await run(["--stage", "production"]);
    expect({ code: good.code, errors: good.errors }).toEqual({ code: 0, errors: "" });
    expect(good.output).toMatch(/^ok {9}stage: production: production$/m);
    expect(good.output).toMatch(/^unchecked {2}secrets: secrets SealKey, AdminPassword\. Add --aws/m);
    const bad = await run(["--stage", "production", "--json"], { ALARM_EMAIL: "" });
    expect(bad.code).toBe(1);
    const report = JSON.parse(bad.output);
    expect(report).toMatchObject({ stage: "production", isHealthy: false });
    expect(report.findings).toContainEqual(expect.objectContaining({ check: "alarms", state: "missing" }));
  });
  test.each([[[]], [["--stage"]], [["--stage", "../x"]], [["production"]], [["--stage", "a", "--fix"]]])(
    "refuses %j",
    async (args) => {
      const { code, output, errors } = await run(args);
      expect({ code, output }).toEqual({ code: 2, output: "" });
      expect(errors).toContain("npm run doctor -- --stage <stage>");
    },
  );
  test("--aws reads the secrets through SST", async () => {
    await fakeSst(`
      if (process.argv.slice(2).join(" ") !== "secret list --stage production") process.exit(3);
      console.log("# identity-admin-api/production\\nSealKey=${KEY}\\nAdminPassword=short");`);
    const { code, output } = await run(["--stage", "production", "--aws"]);
    expect(code).toBe(1);
    expect(output).toMatch(/^ok {9}secrets: secret SealKey$/m);
    expect(output).toMatch(/^wrong {6}secrets: secret AdminPassword: must have at least 12/m);
    await fakeSst('console.error("No secrets found"); process.exit(1);');
    expect((await run(["--stage", "production", "--aws"])).output).toMatch(/^missing {4}secrets: secret SealKey/m);
    await fakeSst('console.error("no credentials"); process.exit(1);');
    const refused = await run(["--stage", "production", "--aws"]);
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(
      /^wrong {6}secrets: `npx sst secret list --stage production` failed: no credentials$/m,
    );
    expect(refused.output).not.toMatch(/^unchecked {2}secrets/m);
  });
  test("--aws reads the restored table", async () => {
    await fakeSst(`console.log("SealKey=${KEY}\\nAdminPassword=a-long-password");`);
    const environment = {
      RESTORED_TABLE: "restored",
      DYNAMODB_ENDPOINT: await endpoint(),
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
    };
    const absent = await run(["--stage", "production", "--aws"], environment);
    expect(absent.output).toMatch(
      /^missing {4}restored table: table restored in eu-central-1\. Check RESTORED_TABLE\.$/m,
    );
    table = {
      DescribeTable: { Table: { TableStatus: "CREATING" } },
      DescribeTimeToLive: { TimeToLiveDescription: { TimeToLiveStatus: "DISABLED" } },
      DescribeContinuousBackups: { ContinuousBackupsDescription: { ContinuousBackupsStatus: "ENABLED" } },
    };
    const bare = await run(["--stage", "production", "--aws"], environment);
    for (const text of [
      "table restored is CREATING",
      "time to live",
      "point-in-time recovery",
      "deletion protection",
      "stream of restored with keys",
    ]) {
      expect(bare.output).toContain(text);
    }
    table = {
      DescribeTable: {
        Table: {
          TableStatus: "ACTIVE",
          DeletionProtectionEnabled: true,
          StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" },
        },
      },
      DescribeTimeToLive: { TimeToLiveDescription: { AttributeName: "expiresAtSeconds" } },
      DescribeContinuousBackups: {
        ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: "ENABLED" } },
      },
    };
    const whole = await run(["--stage", "production", "--aws"], environment);
    expect(whole.output).toMatch(/^ok {9}restored table: table restored is active and protected$/m);
    expect(whole.code).toBe(0);
  });
});
