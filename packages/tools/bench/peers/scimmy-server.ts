/**
 * A SCIM server of SCIMMY with its users in memory, on `node:http`. SCIMMY's own router is for Express, which costs
 * more than this: what is compared is the least that a server of SCIMMY needs. Prints `ready <URL>`.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import SCIMMY from "scimmy";

type User = Record<string, unknown> & { id: string };

const users = new Map<string, User>();

/** What the handlers read of a resource. */
interface Asked {
  readonly id?: string;
  readonly constraints?: { readonly startIndex?: number; readonly count?: number };
}

SCIMMY.Resources.declare(SCIMMY.Resources.User, {
  egress: (resource: Asked) => {
    if (resource.id) {
      const user = users.get(resource.id);
      if (!user) throw new Error("no such user");
      return user as never;
    }
    const { startIndex = 1, count = users.size } = resource.constraints ?? {};
    return pageOf(startIndex - 1, count) as never;
  },
  ingress: (resource: Asked, given: unknown) => {
    const id = resource.id ?? randomUUID();
    const now = new Date();
    const before = users.get(id) as { meta?: { created?: Date } } | undefined;
    const meta = { created: before?.meta?.created ?? now, lastModified: now };
    const user = { ...JSON.parse(JSON.stringify(given)), id, meta } as User;
    users.set(id, user);
    return user as never;
  },
  degress: (resource: Asked) => void users.delete(resource.id ?? ""),
});
SCIMMY.Resources.User.basepath("/scim/v2");

/** The users of a page, and no others: SCIMMY would make a resource of each. */
function pageOf(from: number, count: number): readonly User[] {
  const page: User[] = [];
  let at = 0;
  for (const user of users.values()) {
    if (at >= from) page.push(user);
    if (page.length >= count) break;
    at += 1;
  }
  return page;
}

const server = createServer(async (request, response) => {
  try {
    const url = new URL(request.url ?? "", "http://localhost");
    const [id] = url.pathname.split("/").slice(4);
    const body = request.method === "GET" ? undefined : await bodyOf(request);
    const answer = JSON.stringify(await serve(request.method, id, queryOf(url), body));
    response.writeHead(request.method === "POST" ? 201 : 200, { "content-type": "application/scim+json" });
    response.end(answer);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});

async function serve(method: string | undefined, id: string | undefined, query: object, body: unknown) {
  const resource = id ? new SCIMMY.Resources.User(id, query as never) : new SCIMMY.Resources.User(query as never);
  if (method === "GET") return resource.read();
  if (method === "POST" || method === "PUT") return resource.write(body as never);
  if (method === "PATCH") return resource.patch(body as never);
  throw new Error(`no ${method}`);
}

/** The parameters, those of paging as numbers: SCIMMY ignores texts, and would make a resource of each user. */
function queryOf({ searchParams }: URL): object {
  const isNumber = (text: string) => /^\d+$/.test(text);
  return Object.fromEntries([...searchParams].map(([name, text]) => [name, isNumber(text) ? Number(text) : text]));
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}

server.listen(0, "127.0.0.1", () => {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
