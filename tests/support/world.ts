/** The whole service for one test file: embedded database in memory, gateway, functions, and an HTTP client. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type RunningService, startService } from "#local/service.ts";
import { deployedFunctions } from "./deployed.ts";

export const ADMIN = { username: "admin", password: "admin" } as const;

/** A response. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; `undefined` if it is empty or not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any response
  readonly body: any;
}

/** The options of a request. */
export interface Ask {
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller: a user, an `Authorization` header, or `null` for no credential. Default: the administrator. */
  readonly as?: { readonly username: string; readonly password: string } | string | null;
}

/** The service of a test file, started before its first test. */
export interface World {
  readonly url: string;
  ask(method: string, path: string, ask?: Ask): Promise<Answer>;
  /** Creates an application and returns its id. */
  create(body: Readonly<Record<string, unknown>>): Promise<string>;
  readonly service: RunningService;
}

export const basic = ({ username, password }: { username: string; password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

const authorization = (as: Ask["as"]): Record<string, string> => {
  if (as === null) return {};
  return { authorization: typeof as === "string" ? as : basic(as ?? ADMIN) };
};

/** The path of the applications. */
export const APPLICATIONS = "/api/server/v1/applications";

/**
 * Starts a service before the first test of the calling file, and stops it after the last one. `deployment` is the text
 * of its deployment.toml (default: that of the project); `hasMtls` opens the mTLS
 * listener too; `delivers` sends changes to webhooks and streams.
 */
export const world = ({
  deployment,
  hasMtls,
  delivers,
}: {
  readonly deployment?: string;
  readonly hasMtls?: true;
  readonly delivers?: true;
} = {}): World => {
  let service: RunningService | undefined;
  let directory: string | undefined;
  // Set by `npm run test:bundles`: use the deployed bundles instead of the sources.
  const deployed = deployedFunctions(process.env.FUNCTIONS_DIR);
  beforeAll(async () => {
    let deploymentFile: string | undefined;
    if (deployment !== undefined) {
      directory = await mkdtemp(join(tmpdir(), "identity-admin-api-test-"));
      deploymentFile = join(directory, "deployment.toml");
      await writeFile(deploymentFile, deployment);
    }
    const settings = {
      port: 0,
      mtlsPort: hasMtls ? 0 : undefined,
      dataDirectory: undefined,
      administrator: ADMIN,
      endpoint: undefined,
      deploymentFile,
      ...(delivers && { deliveryMs: 50 }),
    };
    service = await startService(settings, {}, deployed.load);
  });
  afterAll(async () => {
    await service?.close();
    await deployed.close();
    if (directory) await rm(directory, { recursive: true });
  });
  const running = (): RunningService => {
    if (!service) throw new Error("the service starts before the first test: use it in tests and hooks only");
    return service;
  };
  return worldOn(running);
};

/** The requests of a service that a test starts itself. */
export const worldOn = (running: () => RunningService): World => {
  const ask: World["ask"] = async (method, path, { body, raw, headers = {}, as } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await fetch(`${running().url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...authorization(as),
        ...(payload === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload as string }),
    });
    const text = await answer.text();
    const isJson = /json/.test(answer.headers.get("content-type") ?? "");
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: text && isJson ? JSON.parse(text) : undefined,
    };
  };
  return {
    get url() {
      return running().url;
    },
    get service() {
      return running();
    },
    ask,
    async create(body) {
      const { status, headers, text } = await ask("POST", APPLICATIONS, { body });
      if (status !== 201) throw new Error(`create returned ${status}: ${text}`);
      return headers.get("location")?.split("/").at(-1) ?? "";
    },
  };
};
