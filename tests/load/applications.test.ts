/**
 * Export and import of 1,000 applications. The service runs as with `npm start`: gateway and all functions in one
 * process. So its memory is an upper bound of the memory that one function needs.
 */
import type { ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { command } from "#tests/support/command.ts";
import { fileOf, oauthEntry, samlEntry } from "#tests/support/files.ts";
import { type Started, startProcess } from "#tests/support/started.ts";
import { ADMIN, APPLICATIONS, basic } from "#tests/support/world.ts";

const APPLICATIONS_MOVED = 1_000;
const FUNCTION_BYTES = 512 * 1_024 * 1_024;
const headers = { authorization: basic(ADMIN) };

let directory = "";
const started: ChildProcess[] = [];

const start = async (): Promise<Started> => {
  const service = await startProcess(":memory:", ["--max-semi-space-size=4", "--max-old-space-size=192"]);
  started.push(service.child);
  return service;
};

/** The peak memory of a process in bytes; `undefined` if the system does not report it. */
const peakOf = async ({ pid }: ChildProcess): Promise<number | undefined> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? undefined : Number(kib) * 1_024;
};

const totalAt = async (url: string): Promise<number> => {
  const body = (await (await fetch(`${url}${APPLICATIONS}?limit=1`, { headers })).json()) as { totalResults: number };
  return body.totalResults;
};

/** An application of some kilobytes: a script, claims, and a client or a service provider. */
const fileAt = (at: number): string =>
  fileOf({
    name: `application ${at}`,
    inbound: at % 2 ? oauthEntry(`client-${at}`) : samlEntry(`https://sp-${at}.example`),
    signIn: `<AuthenticationScript enabled="true" language="application/javascript"><![CDATA[${"// script\n".repeat(500)}]]></AuthenticationScript>`,
    extra: `<ClaimConfig><LocalClaimDialect>true</LocalClaimDialect><ClaimMappings>${Array.from(
      { length: 20 },
      (_, n) =>
        `<ClaimMapping><LocalClaim><ClaimUri>urn:${n}</ClaimUri></LocalClaim><RemoteClaim><ClaimUri>urn:${n}</ClaimUri></RemoteClaim><RequestClaim>true</RequestClaim></ClaimMapping>`,
    ).join("")}</ClaimMappings></ClaimConfig><Unheard>number ${at}</Unheard>`,
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "identity-admin-api-load-"));
  await mkdir(join(directory, "made"));
  for (let at = 0; at < APPLICATIONS_MOVED; at += 1) {
    await writeFile(join(directory, "made", `${at}.xml`), fileAt(at));
  }
});
afterAll(async () => {
  for (const child of started) child.kill("SIGTERM");
  await Promise.all(
    started.map((child) => child.exitCode ?? child.signalCode ?? new Promise((done) => child.once("exit", done))),
  );
  await rm(directory, { recursive: true, force: true });
});

test("1,000 applications need less memory than one function has", { timeout: 300_000 }, async () => {
  const [from, to] = [await start(), await start()];
  const filled = await command(["import", join(directory, "made"), "--url", from.url], {});
  expect(filled.output).toMatch(/^created\s+1000 /m);
  const out = await command(["export", "--out", join(directory, "moved"), "--secrets", "--url", from.url], {});
  expect(out.output).toMatch(/^exported\s+1000 /m);
  expect(await readdir(join(directory, "moved"))).toHaveLength(APPLICATIONS_MOVED);
  const back = await command(["import", join(directory, "moved"), "--url", to.url], {});
  expect(back.output).toMatch(/^created\s+1000 /m);
  expect(await totalAt(to.url)).toBe(APPLICATIONS_MOVED);
  const again = await command(["export", "--out", join(directory, "again"), "--secrets", "--url", to.url], {});
  expect(again.code).toBe(0);
  // The ids in the file names are new; the contents are equal.
  const texts = async (folder: string) => {
    const names = await readdir(join(directory, folder));
    return (await Promise.all(names.map((name) => readFile(join(directory, folder, name), "utf8")))).sort();
  };
  expect(await texts("again")).toEqual(await texts("moved"));
  for (const { child } of [from, to]) {
    const peak = await peakOf(child);
    if (peak !== undefined) expect(peak).toBeLessThan(FUNCTION_BYTES);
  }
});
