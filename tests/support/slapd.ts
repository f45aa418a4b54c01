/** A directory for tests: OpenLDAP's slapd on a loopback port, with a folder of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "ldapts";
import { issueAuthority, issueLeaf } from "#local/issue.ts";
import { freePort } from "#local/ports.ts";

const PROGRAM = ["/usr/sbin/slapd", "/usr/libexec/slapd", "/usr/lib/openldap/slapd"].find(existsSync);
const SCHEMAS = ["/etc/ldap/schema", "/etc/openldap/schema"].find(existsSync);
const MODULES = ["/usr/lib/ldap", "/usr/lib/openldap"].find(existsSync);

export const SUFFIX = "dc=example,dc=com";
export const PEOPLE = `ou=people,${SUFFIX}`;
export const BIND_DN = `cn=service,${SUFFIX}`;
export const BIND_PASSWORD = "the service's password";
/** The variable that the tests' deployments name. */
export const PASSWORD_ENV = "DIRECTORY_PASSWORD";

/** Whether there is one on this machine. Tests that need it are left out where there is none, and this says so. */
export const hasSlapd = PROGRAM !== undefined && SCHEMAS !== undefined;
if (!hasSlapd) process.stderr.write("left out: slapd is not installed here (apt-get install slapd)\n");

/** A running directory. */
export interface Slapd {
  readonly url: string;
  /** The same with encryption from the start. */
  readonly secureUrl: string;
  /** PEM: the authority of its certificate. */
  readonly authority: string;
  /** A connection as the administrator of the directory, for what happens behind the service's back. */
  connected<R>(work: (client: Client) => Promise<R>): Promise<R>;
  /** Ends it at once, as a failure does. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, unless it runs. */
  start(): Promise<void>;
  /** It keeps its connections and says nothing any more, until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

const reachable = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

const configuration = (directory: string, more: string): string => `
${["core", "cosine", "inetorgperson"].map((name) => `include ${SCHEMAS}/${name}.schema`).join("\n")}
pidfile ${directory}/slapd.pid
${MODULES ? `modulepath ${MODULES}\nmoduleload back_mdb` : ""}
TLSCACertificateFile ${directory}/ca.pem
TLSCertificateFile ${directory}/server.pem
TLSCertificateKeyFile ${directory}/server.key
sizelimit 500
database mdb
maxsize 67108864
suffix "${SUFFIX}"
rootdn "${BIND_DN}"
rootpw "${BIND_PASSWORD}"
directory ${directory}/data
index objectClass,uid,mail,entryUUID,entryCSN eq
${more}
`;

const until = async (condition: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; !(await condition()); tries += 1) {
    if (tries > 400) throw new Error("slapd does not answer");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};

/** Starts an empty directory with a branch for people; `more` are further lines about its database. */
export const startSlapd = async (more = ""): Promise<Slapd> => {
  if (PROGRAM === undefined) throw new Error("slapd is not installed here");
  const directory = await mkdtemp(join(tmpdir(), "identity-admin-api-slapd-"));
  await mkdir(join(directory, "data"));
  const ca = await issueAuthority("Directory tests CA");
  const server = await issueLeaf(ca, "localhost", {
    kind: "server",
    hosts: [
      { type: "dns", value: "localhost" },
      { type: "ip", value: "127.0.0.1" },
    ],
  });
  await writeFile(join(directory, "ca.pem"), ca.certificate);
  await writeFile(join(directory, "server.pem"), server.certificate);
  await writeFile(join(directory, "server.key"), server.key, { mode: 0o600 });
  const file = join(directory, "slapd.conf");
  await writeFile(file, configuration(directory, more));
  const [port, securePort] = [await freePort(), await freePort()];
  const url = `ldap://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  // Also where the test file ends before its last test.
  process.once("exit", () => child?.kill("SIGKILL"));

  const start = async (): Promise<void> => {
    if (child && child.exitCode === null && child.signalCode === null) return;
    const urls = `${url}/ ldaps://127.0.0.1:${securePort}/`;
    child = spawn(PROGRAM, ["-f", file, "-h", urls, "-d", "0"], { stdio: "ignore" });
    await until(() => reachable(port));
  };
  const kill = (signal: NodeJS.Signals): Promise<void> => {
    const ended = child;
    child = undefined;
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      ended.once("exit", () => resolve());
      ended.kill("SIGCONT");
      ended.kill(signal);
    });
  };
  const connected: Slapd["connected"] = async (work) => {
    const client = new Client({ url, timeout: 10_000, connectTimeout: 5_000 });
    try {
      await client.bind(BIND_DN, BIND_PASSWORD);
      return await work(client);
    } finally {
      await client.unbind();
    }
  };

  await start();
  await connected(async (client) => {
    await client.add(SUFFIX, { objectClass: ["dcObject", "organization"], dc: "example", o: "Example" });
    await client.add(PEOPLE, { objectClass: "organizationalUnit", ou: "people" });
  });
  return {
    url,
    secureUrl: `ldaps://localhost:${securePort}`,
    authority: ca.certificate,
    connected,
    start,
    kill: () => kill("SIGKILL"),
    pause: () => void child?.kill("SIGSTOP"),
    resume: () => void child?.kill("SIGCONT"),
    async close() {
      await kill("SIGTERM");
      await rm(directory, { recursive: true, force: true });
    },
  };
};

/** A deployment with a directory as the user store CORP, and what further lines say about it. */
export const directoryStore = (url: string, more = ""): string => {
  process.env[PASSWORD_ENV] = BIND_PASSWORD;
  return `
[[user_store]]
domain = "CORP"
kind = "ldap"
url = "${url}"
bind_dn = "${BIND_DN}"
password_env = "${PASSWORD_ENV}"
base_dn = "${PEOPLE}"
${more}
`;
};
