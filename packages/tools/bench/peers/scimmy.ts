/** SCIMMY with users in memory. It authenticates no one. */
import { fileURLToPath } from "node:url";
import { startProcess } from "./processes.ts";
import { PAGE, type Peer, scimUser, sending, sendMany, USERS } from "./requests.ts";

const PATH = "/scim/v2/Users";
const headers = { "content-type": "application/scim+json", accept: "application/scim+json" };
const AT_ONCE = 4;

/** Starts it with its users. */
export async function startScimmy(): Promise<Peer> {
  const server = await startProcess({
    command: process.execPath,
    args: [fileURLToPath(new URL("scimmy-server.ts", import.meta.url))],
    ready: /^ready (\S+)$/m,
  });
  const ids: string[] = [];
  await sending(server.ready, (send) =>
    sendMany(USERS, AT_ONCE, async (n) => {
      const { text } = await send({ method: "POST", path: PATH, headers, body: scimUser(n) });
      ids.push((JSON.parse(text) as { id: string }).id);
    }),
  );
  const user = (n: number) => `${PATH}/${ids[n % ids.length]}`;
  return {
    name: "SCIMMY",
    url: server.ready,
    cpuMs: server.cpuMs,
    memoryMb: server.memoryMb,
    stop: server.stop,
    requests: {
      readUser: (n) => ({ method: "GET", path: user(n), headers }),
      createUser: (n) => ({ method: "POST", path: PATH, headers, body: scimUser(`new.${n}`) }),
      changeUser: (n) => ({
        method: "PATCH",
        path: user(n),
        headers,
        body: {
          schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
          Operations: [{ op: "replace", path: "title", value: `Driver of cab ${n}` }],
        },
      }),
      pageOfUsers: () => ({ method: "GET", path: `${PATH}?startIndex=1&count=${PAGE}`, headers }),
    },
  };
}
