/** The whole service for one test file: embedded engine in memory, gateway, functions, and a plain HTTP client. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type RunningService, startService } from "#local/service.ts";
import { deployedFunctions } from "./deployed.ts";

export const ADMIN = { username: "admin", password: "admin" } as const;

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; `undefined` when it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
  readonly body: any;
}

/** How to ask. */
export interface Ask {
  readonly body?: unknown;
  /** Sent as it is in place of `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** `null` sends no credential; a text is the `Authorization` header; default is the administrator. */
  readonly as?: { readonly username: string; readonly password: string } | string | null;
}

/** The service of this file, started before its first test. */
export interface World {
  readonly url: string;
  ask(method: string, path: string, ask?: Ask): Promise<Answer>;
  /** Creates an application and answers its id. */
  create(body: Readonly<Record<string, unknown>>): Promise<string>;
  readonly service: RunningService;
}

export const basic = ({ username, password }: { username: string; password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

const authorization = (as: Ask["as"]): Record<string, string> => {
  if (as === null) return {};
  return { authorization: typeof as === "string" ? as : basic(as ?? ADMIN) };
};

/** The path of the collection. */
export const APPLICATIONS = "/api/server/v1/applications";

/**
 * Starts a service for the file that calls it, and stops it behind its last test. Its deployment.toml is the project's
 * own, or one with the text `deployment`; `mtls` opens the door with client certificates too.
 */
export const world = ({
  deployment,
  hasTlsDoor,
}: {
  readonly deployment?: string;
  readonly hasTlsDoor?: true;
} = {}): World => {
  let service: RunningService | undefined;
  let directory: string | undefined;
  // Set by `npm run test:bundles`: the bundles that are deployed, in place of the sources.
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
      mtlsPort: hasTlsDoor ? 0 : undefined,
      dataDirectory: undefined,
      administrator: ADMIN,
      endpoint: undefined,
      deploymentFile,
    };
    service = await startService(settings, {}, deployed.load);
  });
  afterAll(async () => {
    await service?.close();
    await deployed.close();
    if (directory) await rm(directory, { recursive: true });
  });
  const running = (): RunningService => {
    if (!service) throw new Error("the service is started before the first test, not while the file loads");
    return service;
  };
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
      if (status !== 201) throw new Error(`create answered ${status}: ${text}`);
      return headers.get("location")?.split("/").at(-1) ?? "";
    },
  };
};
