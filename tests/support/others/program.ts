/** Starts software of others that tests use as service providers of SAML: with a folder of its own, on free ports. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProviderKey } from "../saml.ts";
import { reachable } from "../slapd.ts";
import type { Page } from "./travelling.ts";

/** How often a port is tried, each 50 ms. */
const TRIES = 600;

/** What the software is told of the identity provider, and of itself. */
export interface Told {
  /** Where it listens, on the loopback address. */
  readonly port: number;
  readonly key: ProviderKey;
  /** The metadata of the identity provider, as it is, and its entity id. */
  readonly metadata: string;
  readonly entityId: string;
}

/** The software of others as a running service provider. */
export interface Other {
  /** Its metadata. */
  readonly metadata: string;
  /** A page that only people who are signed in see. */
  readonly page: string;
  /** Whom that page was shown to; `undefined` for any other page. */
  userOn(page: Page): string | undefined;
  /** Where a person signs out of everything, by each way that the software offers. */
  readonly logouts: Readonly<Record<string, string>>;
  /** What it shows at last after a sign-out that was complete. */
  readonly left: RegExp;
  /** What its programs have written, for the message of a failing test. */
  written(): Promise<string>;
  close(): Promise<void>;
}

/** How software is started. */
export interface Kind {
  /** The software, as its package names it, and how to install it. */
  readonly name: string;
  readonly install: string;
  readonly isInstalled: boolean;
  /** Where it asks by a form, for software that has a choice. */
  readonly formPath?: string;
  /** How its page names the person: that depends on the format of NameID that it asks for. */
  readonly user: RegExp;
  /** Whether that is another name in each session. */
  readonly isTransient?: true;
  start(told: Told): Promise<Other>;
}

/** A folder that the users of other programs can read. In its files `{folder}` is its path. */
const newFolder = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "identity-admin-api-other-"));
  await chmod(folder, 0o755);
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, name), text.replaceAll("{folder}", folder));
  return folder;
};

/** A port of this machine that no one else gets before it is released. */
export interface HeldPort {
  readonly port: number;
  release(): Promise<void>;
}

export const holdPort = async (): Promise<HeldPort> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    release: () => new Promise((done) => (server.listening ? server.close(() => done()) : done())),
  };
};

/** A program, and the port where it listens. In `args` and `env`, `{folder}` is the path of its folder. */
interface Program {
  readonly port: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts the programs of one service provider one after the other, each when the one before listens, and says where it
 * is found. Throws with what they wrote where one of them ends.
 */
export const startOther = async ({
  files,
  programs,
  metadataAt,
  ...other
}: Omit<Other, "metadata" | "written" | "close"> & {
  readonly files: Readonly<Record<string, string>>;
  readonly programs: readonly Program[];
  /** Where the software shows its metadata. */
  readonly metadataAt: string;
}): Promise<Other> => {
  const folder = await newFolder(files);
  const ends: (() => Promise<void>)[] = [];
  let output = "";
  const written = async () => {
    const logs = (await readdir(folder)).filter((name) => name.endsWith(".log"));
    const texts = await Promise.all(logs.map((name) => readFile(join(folder, name), "utf8")));
    return [output, ...texts].join("\n").slice(-8_000);
  };
  const start = async ({ port, command, args, env = {} }: Program) => {
    const named = (text: string) => text.replaceAll("{folder}", folder);
    const child = spawn(command, args.map(named), {
      cwd: folder,
      env: { PATH: process.env.PATH, ...Object.fromEntries(Object.entries(env).map(([k, v]) => [k, named(v)])) },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = `${output}${text}`.slice(-20_000);
      });
    }
    const stop = () => void child.kill("SIGTERM");
    // In case the test file ends before its last test.
    process.once("exit", stop);
    const ended = new Promise<void>((done) => {
      child.once("error", () => done());
      child.once("exit", () => done());
    });
    ends.unshift(async () => {
      process.off("exit", stop);
      stop();
      await ended;
    });
    for (let tries = 0; !(await reachable(port)); tries += 1) {
      if (tries > TRIES || child.exitCode !== null || child.pid === undefined) {
        throw new Error(`${command} does not listen: ${await written()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const close = async () => {
    for (const end of ends) await end();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const program of programs) await start(program);
    const response = await fetch(metadataAt);
    const metadata = await response.text();
    if (!metadata.includes("EntityDescriptor")) throw new Error(`${metadataAt}: ${response.status} ${metadata}`);
    return { ...other, metadata, written, close };
  } catch (cause) {
    const error = new Error(`${cause}\n${await written()}`, { cause });
    await close();
    throw error;
  }
};

/** The address of the software. */
export const originOf = ({ port }: Pick<Told, "port">): string => `http://127.0.0.1:${port}`;
