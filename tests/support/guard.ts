/**
 * Enforces IAM statements in front of the embedded database. Each function has its own endpoint, and only the calls
 * that its statements allow reach the database. Other calls get the error of DynamoDB, which fails the function.
 *
 * Calls of this process are checked before the client sends them, which is much cheaper than a proxy. Bundles contain
 * their own copy of the client: they need the proxy.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpTransport } from "#core/database/table/client/transport.ts";
import type { Statement } from "../../stacks/statements.ts";
import { type Call, isAllowed } from "./iam.ts";

/**
 * The calls and partitions that each function used, for example `write PutItem`, `write T#carbon.super#TENANT`. Those
 * of UpdateItem are also named as `change`.
 */
export type Uses = Map<string, Set<string>>;

/** A running guard. */
export interface Guard {
  /** The database endpoint of the function with that name. */
  endpointOf(name: string): string;
  /** The refused calls, one text each. */
  readonly refusals: readonly string[];
  /** The calls and partitions that each function used. */
  readonly uses: ReadonlyMap<string, ReadonlySet<string>>;
  close(): Promise<void>;
}

interface Keyed {
  readonly PK?: { readonly S?: string };
}
type Body = Readonly<Record<string, unknown>>;

/** A call and its partitions. */
interface Access {
  readonly action: string;
  readonly partitions: readonly string[];
}

const partitionOf = (key: unknown): string => (key as Keyed | undefined)?.PK?.S ?? "";

const inTransaction: Readonly<Record<string, readonly [action: string, key: "Key" | "Item"]>> = {
  Get: ["GetItem", "Key"],
  Put: ["PutItem", "Item"],
  Update: ["UpdateItem", "Key"],
  Delete: ["DeleteItem", "Key"],
  ConditionCheck: ["ConditionCheckItem", "Key"],
};

const transactionOf = ({ TransactItems }: Body): Access[] =>
  (TransactItems as readonly Body[]).flatMap((item) =>
    Object.entries(item).map(([kind, part]) => {
      const [action, key] = inTransaction[kind] ?? [kind, "Key"];
      return { action, partitions: [partitionOf((part as Body)[key])] };
    }),
  );

/** The accesses of a request. Unknown calls have no partition: no statement allows them. */
const accessesOf = (operation: string, body: Body): Access[] => {
  switch (operation) {
    case "GetItem":
    case "UpdateItem":
    case "DeleteItem":
      return [{ action: operation, partitions: [partitionOf(body.Key)] }];
    case "PutItem":
      return [{ action: operation, partitions: [partitionOf(body.Item)] }];
    case "Query": {
      const values = body.ExpressionAttributeValues as Readonly<Record<string, { readonly S?: string }>>;
      return [{ action: operation, partitions: [values[":pk"]?.S ?? ""] }];
    }
    case "BatchGetItem": {
      const tables = Object.values(
        body.RequestItems as Readonly<Record<string, { readonly Keys: readonly unknown[] }>>,
      );
      return [{ action: operation, partitions: tables.flatMap(({ Keys }) => Keys.map(partitionOf)) }];
    }
    case "TransactGetItems":
    case "TransactWriteItems":
      return transactionOf(body);
    default:
      return [{ action: operation, partitions: [] }];
  }
};

/** A call in the terms of IAM. */
const callOf = ({ action }: Access, partitions: readonly string[], body: Body): Call => ({
  action,
  context: {
    "dynamodb:LeadingKeys": partitions,
    ...(typeof body.ReturnValues === "string" && { "dynamodb:ReturnValues": [body.ReturnValues] }),
    ...(typeof body.ProjectionExpression === "string" && {
      "dynamodb:Attributes": body.ProjectionExpression.split(", "),
      "dynamodb:Select": ["SPECIFIC_ATTRIBUTES"],
    }),
  },
});

/** The first access that the statements do not allow. */
const refusedOf = (statements: readonly Statement[], accesses: readonly Access[], body: Body): Access | undefined => {
  // AWS does not document whether IAM checks each part of a transaction with its own partitions or with all of them:
  // both must pass.
  const all = accesses.flatMap(({ partitions }) => partitions);
  const ownRefused = accesses.find((access) => !isAllowed(statements, callOf(access, access.partitions, body)));
  if (ownRefused || accesses.length === 1) return ownRefused;
  const eachAction = new Map(accesses.map((access) => [access.action, access])).values();
  return eachAction.find((access) => !isAllowed(statements, callOf(access, all, body)));
};

const READS: ReadonlySet<string> = new Set(["GetItem", "BatchGetItem", "Query"]);

/** The error response for a refused call; `undefined` for an allowed one. */
type Check = (name: string, target: string, text: string) => string | undefined;

/** The checks of this process, by the first segment of their endpoints' paths. */
const checks = new Map<string, Check>();
const DENIED = { status: 400, headers: { "content-type": "application/x-amz-json-1.0" } } as const;

/**
 * Starts a guard. `statementsOf` returns the statements of a function. `isProxy` serves other processes and bundles
 * too.
 */
export const startGuard = async (
  database: string,
  statementsOf: (name: string) => readonly Statement[],
  { isProxy = false } = {},
): Promise<Guard> => {
  const refusals: string[] = [];
  const uses: Uses = new Map();

  const note = (name: string, accesses: readonly Access[]): void => {
    const used = uses.get(name) ?? new Set();
    uses.set(name, used);
    for (const { action, partitions } of accesses) {
      const kinds = READS.has(action) ? ["read"] : ["write", ...(action === "UpdateItem" ? ["change"] : [])];
      for (const kind of kinds) {
        for (const one of [action, ...partitions]) used.add(`${kind} ${one}`);
      }
    }
  };
  const check: Check = (name, target, text) => {
    const body = JSON.parse(text) as Body;
    const accesses = accessesOf(target.split(".").at(-1) ?? "", body);
    const refused = refusedOf(statementsOf(name), accesses, body);
    if (!refused) {
      note(name, accesses);
      return undefined;
    }
    const message = `${name} may not ${refused.action} in ${refused.partitions.join(", ") || "no partition"}`;
    refusals.push(message);
    return JSON.stringify({ __type: "com.amazon.coral.service#AccessDeniedException", Message: message });
  };

  const { origin, close } = isProxy ? await startProxy(database, check) : checkInProcess(database, check);
  return { endpointOf: (name) => `${origin}/${name}`, refusals, uses, close };
};

let guards = 0;
const checkInProcess = (database: string, check: Check) => {
  patchTransport();
  guards += 1;
  const segment = `guard-${guards}`;
  checks.set(segment, check);
  return { origin: `${database}/${segment}`, close: async () => void checks.delete(segment) };
};

let isPatched = false;
/** Makes the client apply the checks of this process. */
const patchTransport = (): void => {
  if (isPatched) return;
  isPatched = true;
  const { send } = HttpTransport.prototype;
  HttpTransport.prototype.send = async function (call) {
    const [, segment = "", name = ""] = call.url.pathname.split("/");
    const check = checks.get(segment);
    if (!check) return send.call(this, call);
    const denied = check(name, String(call.headers["x-amz-target"]), call.body);
    if (denied === undefined) return send.call(this, { ...call, url: new URL("/", call.url) });
    return { status: DENIED.status, headers: DENIED.headers, body: Buffer.from(denied) };
  };
};

const textOf = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const startProxy = async (database: string, check: Check) => {
  const forward = (incoming: IncomingMessage, text: string, outgoing: ServerResponse): void => {
    const { host: _, ...headers } = incoming.headers;
    const onward = request(database, { method: incoming.method ?? "POST", headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    onward.end(text);
  };
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const name = (incoming.url ?? "").split("/")[1] ?? "";
    const text = await textOf(incoming);
    const denied = check(name, String(incoming.headers["x-amz-target"]), text);
    if (denied === undefined) forward(incoming, text, outgoing);
    else outgoing.writeHead(DENIED.status, DENIED.headers).end(denied);
  };
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};
