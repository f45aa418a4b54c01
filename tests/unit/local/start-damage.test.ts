/**
 * `npm start` on a data directory that it must not use: a full or read-only disk, damaged files, another sealing key,
 * another service. Each is refused with one message and without a change of the data.
 */
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { cp, mkdir, mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkDataFile } from "#local/damage.ts";
import { openDirectory } from "#local/data-directory.ts";
import { startEngine } from "#local/engine.ts";
import { type RunningService, startService } from "#local/service.ts";
import { ADMIN, APPLICATIONS, basic } from "#tests/support/world.ts";

const PAGE = 4_096;
const APPLICATIONS_MADE = 60;
const headers = { authorization: basic(ADMIN), "content-type": "application/json" };

let root = "";
/** Data that a service has written and closed. */
let whole = "";
const settings = (dataDirectory: string, endpoint?: string) => ({
  port: 0,
  mtlsPort: undefined,
  dataDirectory,
  administrator: ADMIN,
  endpoint,
  deploymentFile: undefined,
});
const started = async (directory: string, endpoint?: string): Promise<RunningService> =>
  startService(settings(directory, endpoint));
/** The message of the start; `ready` if there is none. */
const refusalOf = async (directory: string, endpoint?: string): Promise<string> => {
  try {
    await (await started(directory, endpoint)).close();
    return "ready";
  } catch (error) {
    // `npm start` prints these without a stack.
    expect(error).toMatchObject({ name: "Error" });
    expect(error).not.toHaveProperty("code");
    return (error as Error).message;
  }
};
let copies = 0;
const copied = async (): Promise<string> => {
  copies += 1;
  const copy = join(root, `copy ${copies}`);
  await cp(whole, copy, { recursive: true });
  return copy;
};
const digest = async (file: string) =>
  createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
const overwrite = async (file: string, at: number, bytes: Uint8Array) => {
  const handle = await open(file, "r+");
  await handle.write(bytes, 0, bytes.length, at);
  await handle.close();
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "damage-"));
  whole = join(root, "whole");
  const service = await started(whole);
  for (let made = 0; made < APPLICATIONS_MADE; made += 1) {
    const inboundProtocolConfiguration = { oidc: { grantTypes: ["client_credentials"] } };
    const body = JSON.stringify({ name: `app ${made}`, inboundProtocolConfiguration });
    expect((await fetch(service.url + APPLICATIONS, { method: "POST", headers, body })).status).toBe(201);
  }
  await service.close();
}, 60_000);
afterAll(() => rm(root, { recursive: true, force: true }));

describe("a damaged database is refused and left as it is", () => {
  test("whole data is not", async () => {
    const directory = await copied();
    expect(await refusalOf(directory)).toBe("ready");
  });
  test.each<[string, (file: string, size: number) => Promise<void>]>([
    ["empty", (file) => truncate(file, 0)],
    ["cut to one page", (file) => truncate(file, PAGE)],
    ["cut in half", (file, size) => truncate(file, Math.floor(size / 2 / PAGE) * PAGE)],
    ["without its last byte", (file, size) => truncate(file, size - 1)],
    ["no database", (file) => writeFile(file, randomBytes(9_000))],
    ["with another header", (file) => overwrite(file, 0, Buffer.from("x"))],
    ["with a schema of zeros", (file) => overwrite(file, 100, Buffer.alloc(PAGE - 100))],
    [
      "with an item that is cut",
      async (file) => {
        const database = new DatabaseSync(file);
        database.exec(`UPDATE "identity-admin-api" SET item_json = substr(item_json, 1, 20) WHERE rowid = 5`);
        database.close();
      },
    ],
  ])("%s", async (_, damage) => {
    const directory = await copied();
    const file = join(directory, "table.sqlite");
    await damage(file, (await readFile(file)).length);
    const before = await digest(file);
    expect(await refusalOf(directory)).toMatch(
      new RegExp(
        `^The database ${file} is damaged: .+\\. Restore the whole data directory from a backup, or set DATA_DIR to an empty directory\\.$`,
      ),
    );
    expect(await digest(file)).toBe(before);
  });

  test("whichever page is zero or noise", async () => {
    const directory = await copied();
    const file = join(directory, "table.sqlite");
    const content = await readFile(file);
    for (let at = 0; at < content.length; at += PAGE) {
      for (const page of [Buffer.alloc(PAGE), randomBytes(PAGE)]) {
        await writeFile(file, content);
        await overwrite(file, at, page);
        await expect(checkDataFile(file), `the page at ${at}`).rejects.toThrow(/is damaged/);
      }
    }
    await writeFile(file, content);
    await checkDataFile(file);
  });

  test("a log that the engine has not merged is not damage", async () => {
    const file = join(root, "engine", "table.sqlite");
    const engine = await startEngine({ dataFile: file });
    process.kill(engine.pid, "SIGKILL");
    await engine.stop();
    expect((await readdir(join(root, "engine"))).sort()).toContain("table.sqlite-wal");
    await checkDataFile(file);
    await checkDataFile(join(root, "missing.sqlite"));
  });
});

describe("a sealing key", () => {
  test.each([
    ["empty", ""],
    ["cut", randomBytes(20).toString("base64")],
    ["no Base64", "not a key"],
  ])("that is %s is refused", async (_, text) => {
    const directory = await copied();
    await writeFile(join(directory, "seal.key"), text);
    expect(await refusalOf(directory)).toMatch(/seal\.key is damaged: .* Restore the file from a backup/);
  });
  test("of other data is refused, nothing is written, and the right one works again", async () => {
    const directory = await copied();
    const [file, key] = [join(directory, "table.sqlite"), join(directory, "seal.key")];
    const right = await readFile(key);
    const before = await digest(file);
    await writeFile(key, randomBytes(32).toString("base64"));
    expect(await refusalOf(directory)).toBe(
      `The secrets of the data in DATA_DIR "${directory}" are sealed with another key than seal.key in DATA_DIR. Restore ` +
        "seal.key of the first start from a backup of DATA_DIR, or use an empty database and DATA_DIR.",
    );
    expect(await digest(file)).toBe(before);
    await writeFile(key, right);
    expect(await refusalOf(directory)).toBe("ready");
  });
  test("of another directory is refused for a database elsewhere", async () => {
    const engine = await startEngine();
    try {
      expect(await refusalOf(join(root, "one"), engine.endpoint)).toBe("ready");
      expect(await refusalOf(join(root, "other"), engine.endpoint)).toMatch(
        `The secrets of DYNAMODB_ENDPOINT ${engine.endpoint} are sealed with another key`,
      );
      expect(await refusalOf(join(root, "one"), engine.endpoint)).toBe("ready");
    } finally {
      await engine.stop();
    }
  });
});

/** Mounts a file system, if this user may. */
const mounted = async (options: string): Promise<string | undefined> => {
  const place = join(await mkdtemp(join(root, "disk-")), "disk");
  await mkdir(place);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", place], { stdio: "ignore" });
    return place;
  } catch {
    return undefined;
  }
};
const unmount = (place: string) => execFileSync("umount", [place], { stdio: "ignore" });

describe("a disk", () => {
  test("that is full is refused, for new and existing data, and left empty", async ({ skip }) => {
    const disk = (await mounted("size=900k")) ?? skip("this user may not mount file systems");
    try {
      expect(await refusalOf(join(disk, "new"))).toMatch(
        /^Cannot use DATA_DIR ".*": ENOSPC: .*\. Its disk is full, .* Free space there, or set DATA_DIR to another disk\.$/,
      );
      expect(await readdir(join(disk, "new"))).toEqual([]);
      await cp(whole, join(disk, "old"), { recursive: true });
      const before = await readdir(join(disk, "old"));
      expect(await refusalOf(join(disk, "old"))).toMatch(/Its disk is full/);
      expect(await readdir(join(disk, "old"))).toEqual(before);
    } finally {
      unmount(disk);
    }
  });
  test("that is read-only is refused", async ({ skip }) => {
    const disk = (await mounted("ro")) ?? skip("this user may not mount file systems");
    try {
      expect(await refusalOf(disk)).toMatch(/EROFS: .*\. Set DATA_DIR to a directory that this user can write to\.$/);
    } finally {
      unmount(disk);
    }
  });
  test("leaves no file of the check behind", async () => {
    const directory = join(root, "checked");
    await openDirectory(directory);
    expect(await readdir(directory)).toEqual([]);
  });
});

describe("another program", () => {
  test("with the same data directory keeps it, and the refused start changes nothing", async () => {
    const directory = await copied();
    const first = await started(directory);
    expect(await refusalOf(directory)).toMatch(/^Process \d+ is using this data directory\. Stop it, then try again\./);
    expect((await fetch(`${first.url}${APPLICATIONS}`, { headers })).status).toBe(200);
    await first.close();
  });
  test("on the port keeps it", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((listening) => taken.once("listening", listening));
    const address = taken.address();
    const port = typeof address === "object" && address ? address.port : 0;
    await expect(startService({ ...settings(await copied()), port })).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is in use by another program. Stop that program, or set PORT (for client certificates MTLS_PORT) to another port.`,
    );
    taken.close();
  });
});
