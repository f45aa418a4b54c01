/** An LDAP directory for tests: OpenLDAP's slapd on a loopback port, with a temporary folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "ldapts";
import { issueAuthority, issueLeaf } from "#local/issue.ts";
import { freePort } from "#local/settings.ts";

const PROGRAM = ["/usr/sbin/slapd", "/usr/libexec/slapd", "/usr/lib/openldap/slapd"].find(existsSync);
const SCHEMAS = ["/etc/ldap/schema", "/etc/openldap/schema"].find(existsSync);
const MODULES = ["/usr/lib/ldap", "/usr/lib/openldap"].find(existsSync);

export const SUFFIX = "dc=example,dc=com";
export const PEOPLE = `ou=people,${SUFFIX}`;
export const BIND_DN = `cn=service,${SUFFIX}`;
export const BIND_PASSWORD = "the service's password";
/** The variable with the password in the deployments of the tests. */
export const PASSWORD_ENV = "DIRECTORY_PASSWORD";

/** Whether slapd is installed. Without it, the tests that need it are skipped, and a line reports that. */
export const hasSlapd = PROGRAM !== undefined && SCHEMAS !== undefined;
if (!hasSlapd) process.stderr.write("Skipping LDAP tests: slapd is not installed (apt-get install slapd).\n");

/** A running directory. */
export interface Slapd {
  readonly url: string;
  /** The LDAPS URL. */
  readonly secureUrl: string;
  /** The authority of its certificate, as PEM. */
  readonly authority: string;
  /** Runs `work` with a connection of the directory's administrator, for changes outside the service. */
  connected<R>(work: (client: Client) => Promise<R>): Promise<R>;
  /** Kills the process, as a failure does. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data; no effect while it runs. */
  start(): Promise<void>;
  /** Suspends the process: connections stay open without responses until `resume`. */
  pause(): void;
  resume(): void;
  /** Stops it and deletes its folder. */
  close(): Promise<void>;
}

/** Whether a program of this machine listens on a port. */
export const reachable = (port: number): Promise<boolean> =>
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
    if (tries > 400) throw new Error("slapd does not accept connections");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};

/** Starts an empty directory with a branch for users; `more` are further lines of its database configuration. */
export const startSlapd = async (more = ""): Promise<Slapd> => {
  if (PROGRAM === undefined) throw new Error("slapd is not installed");
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
  // In case the test file ends before its last test.
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

/** A deployment with a directory as the user store CORP, and further lines of its configuration. */
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
