/**
 * A check of IAM statements before the embedded database: each function reaches it under a path of its own and gets
 * through only what its statements allow. Anything else is answered as DynamoDB answers it, which makes the function fail.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Statement } from "../../stacks/statements.ts";
import { type Call, isAllowed } from "./iam.ts";

/** What a function did, one line each: `write PutItem`, `write T#*#A#*`. */
export type Uses = Map<string, Set<string>>;

/** The running check. */
export interface Guard {
  /** Where the function of that name finds the database. */
  endpointOf(name: string): string;
  /** The calls that were refused, in words. */
  readonly refusals: readonly string[];
  /** The calls and partitions that each function used. */
  readonly uses: ReadonlyMap<string, ReadonlySet<string>>;
  close(): Promise<void>;
}

interface Keyed {
  readonly PK?: { readonly S?: string };
}
type Body = Readonly<Record<string, unknown>>;

/** A call, and the partitions that it is about. */
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

/** What a request asks of IAM. Calls that are not known here are allowed to nobody. */
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

/** How a call is put to IAM, with the partitions it is taken to be about. */
const callOf = ({ action }: Access, partitions: readonly string[], body: Body): Call => ({
  action,
  context: {
    "dynamodb:LeadingKeys": partitions,
    ...(typeof body.ReturnValues === "string" && { "dynamodb:ReturnValues": [body.ReturnValues] }),
  },
});

/** The first access that the statements refuse, if any. */
const refusedOf = (statements: readonly Statement[], accesses: readonly Access[], body: Body): Access | undefined => {
  // Whether IAM looks at each part of a transaction alone or at all of its partitions for each part is written nowhere: both must pass.
  const all = accesses.flatMap(({ partitions }) => partitions);
  return accesses.find(
    (access) =>
      !isAllowed(statements, callOf(access, access.partitions, body)) ||
      !isAllowed(statements, callOf(access, all, body)),
  );
};

const READS: ReadonlySet<string> = new Set(["GetItem", "BatchGetItem", "Query"]);

const textOf = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** Starts the check before a database. `statementsOf` answers those of a function. */
export const startGuard = async (
  database: string,
  statementsOf: (name: string) => readonly Statement[],
): Promise<Guard> => {
  const refusals: string[] = [];
  const uses: Uses = new Map();

  const note = (name: string, accesses: readonly Access[]): void => {
    const used = uses.get(name) ?? new Set();
    uses.set(name, used);
    for (const { action, partitions } of accesses) {
      const kind = READS.has(action) ? "read" : "write";
      used.add(`${kind} ${action}`);
      for (const partition of partitions) used.add(`${kind} ${partition}`);
    }
  };

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
    const operation = String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const text = await textOf(incoming);
    const body = JSON.parse(text) as Body;
    const accesses = accessesOf(operation, body);
    const refused = refusedOf(statementsOf(name), accesses, body);
    if (!refused) {
      note(name, accesses);
      return forward(incoming, text, outgoing);
    }
    const message = `${name} may not ${refused.action} in ${refused.partitions.join(", ") || "no partition"}`;
    refusals.push(message);
    outgoing.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
    outgoing.end(JSON.stringify({ __type: "com.amazon.coral.service#AccessDeniedException", Message: message }));
  };

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    endpointOf: (name) => `http://127.0.0.1:${port}/${name}`,
    refusals,
    uses,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};
