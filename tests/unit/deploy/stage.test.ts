/** The settings of a stage, and the errors for wrong ones. */
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueAuthority, issueLeaf } from "#local/issue.ts";
import { authoritiesUntil, checkAuthorities } from "../../../stacks/authorities.ts";
import { checkDomain, checkRecipient, hasCanary, settingsOf, stageOf } from "../../../stacks/stage.ts";

let directory = "";
let development = "";
/** A truststore with authorities of these names. */
const truststoreOf = async (...names: string[]): Promise<string> => {
  const pairs = await Promise.all(names.map(issueAuthority));
  const file = join(directory, `${names.join("-")}.pem`);
  await writeFile(file, pairs.map(({ certificate }) => `subject of the next one\n${certificate}`).join(""));
  return file;
};
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "authorities-"));
  development = await truststoreOf("Example Root", "Identity Admin API development CA");
});
afterAll(() => rm(directory, { recursive: true }));

const domain = { API_DOMAIN: "api.example.com", HOSTED_ZONE_ID: "Z0" };

describe("the synthetic check", () => {
  const isOn = (stage: string, CANARY?: string) => hasCanary(stageOf(stage), settingsOf({ CANARY }));
  test("is on in production, and otherwise as the setting says", () => {
    expect([isOn("production"), isOn("staging"), isOn("dana")]).toEqual([true, false, false]);
    expect([isOn("production", "off"), isOn("staging", "on")]).toEqual([false, true]);
  });
  test("is never on in a developer's own stage, which has no alarms", () => expect(isOn("dana", "on")).toBe(false));
  test.each(["yes", "ON", "true", " "])("is refused as %j", (text) => {
    expect(() => settingsOf({ CANARY: text })).toThrow(`CANARY must be on or off, not "${text}".`);
  });
});

test("the authorities of clients are valid until the first of them expires, also one that deployment.toml pins", async () => {
  const ends = (pem: string) => new Date(Date.parse(new X509Certificate(pem).validTo)).toISOString();
  const authority = await issueAuthority("One");
  // A client's certificate is valid for a shorter time than authorities are.
  const short = await issueLeaf(authority, "someone", { kind: "client" });
  const truststore = join(directory, "one.pem");
  await writeFile(truststore, authority.certificate);
  const issuer = `[[intermediate_cert_validation.issuer]]\ncn = "Two"\ncertificate = """\n${short.certificate}"""\n`;
  const [without, pinned] = [join(directory, "without.toml"), join(directory, "pinned.toml")];
  await writeFile(without, "");
  await writeFile(pinned, `[intermediate_cert_validation]\nenable = true\n${issuer}`);
  expect(authoritiesUntil(truststore, without).toISOString()).toBe(ends(authority.certificate));
  expect(authoritiesUntil(truststore, pinned).toISOString()).toBe(ends(short.certificate));
});

describe("settings", () => {
  test("are all optional", () => {
    expect(settingsOf({})).toEqual({
      domains: undefined,
      alarmEmail: undefined,
      adminUsername: "admin",
      restoredTable: undefined,
      concurrency: {},
      shift: { percents: [10], minutes: 5 },
      provisioned: {},
      directoryNetwork: undefined,
    });
  });
  test("move all traffic at once where they say so", () => {
    expect(settingsOf({ SHIFT: "at-once" }).shift).toEqual({ percents: [], minutes: 5 });
  });
  test("are read from the environment", () => {
    const environment = { ...domain, MTLS_DOMAIN: "mtls.example.com", TRUSTSTORE_FILE: development };
    expect(
      settingsOf({
        ...environment,
        ALARM_EMAIL: "o@example.com",
        ADMIN_USERNAME: "root",
        RESTORED_TABLE: "t",
        AUTHORIZER_CONCURRENCY: "300",
        SHIFT: "5, 20,50",
        SHIFT_MINUTES: "0",
        PROVISIONED_CONCURRENCY: "authorizer=5, scim2 = 2",
        DIRECTORY_SUBNETS: "subnet-0a1, subnet-0b2",
        DIRECTORY_SECURITY_GROUPS: "sg-0c3",
      }),
    ).toEqual({
      domains: { api: "api.example.com", mtls: "mtls.example.com", zoneId: "Z0", truststore: development },
      alarmEmail: "o@example.com",
      adminUsername: "root",
      restoredTable: "t",
      directoryNetwork: { subnets: ["subnet-0a1", "subnet-0b2"], securityGroups: ["sg-0c3"] },
      concurrency: { authorizer: 300 },
      shift: { percents: [5, 20, 50], minutes: 0 },
      provisioned: { authorizer: 5, scim2: 2 },
    });
  });
  test.each([
    [
      { API_DOMAIN: "api.example.com" },
      "API_DOMAIN needs HOSTED_ZONE_ID: the Route 53 zone that api.example.com belongs to.",
    ],
    [
      { ...domain, API_DOMAIN: "https://a" },
      'API_DOMAIN must be a host name such as api.example.com, not "https://a".',
    ],
    [
      { MTLS_DOMAIN: "m.example.com" },
      "MTLS_DOMAIN needs API_DOMAIN: the API also needs a domain without client certificates.",
    ],
    [
      { ...domain, API_DOMAIN: `${"a".repeat(60)}.example.com` },
      "API_DOMAIN has 72 characters; AWS issues certificates for at most 64.",
    ],
    [{ ...domain, MTLS_DOMAIN: "api.example.com" }, "API_DOMAIN and MTLS_DOMAIN must be different."],
    [
      { ...domain, MTLS_DOMAIN: "m.example.com" },
      "MTLS_DOMAIN needs the file certs/truststore.pem with the certificates of the authorities of accepted clients.",
    ],
    [{ SHIFT: "10,10" }, 'SHIFT must be at-once, or rising shares in percent below 100 such as 10,50, not "10,10".'],
    [{ SHIFT: "10,100" }, "SHIFT must be at-once"],
    [{ SHIFT: "0" }, "SHIFT must be at-once"],
    [{ SHIFT: "slowly" }, "SHIFT must be at-once"],
    [{ SHIFT_MINUTES: "121" }, 'SHIFT_MINUTES must be a number of minutes from 0 to 120, not "121".'],
    [
      { PROVISIONED_CONCURRENCY: "scim2" },
      'PROVISIONED_CONCURRENCY must be pairs such as authorizer=5,scim2=2; "scim2"',
    ],
    // No caller waits for it.
    [{ PROVISIONED_CONCURRENCY: "bootstrap=1" }, "PROVISIONED_CONCURRENCY must be pairs"],
    [{ PROVISIONED_CONCURRENCY: "constructor=1" }, "PROVISIONED_CONCURRENCY must be pairs"],
    [{ PROVISIONED_CONCURRENCY: "scim2=0" }, "PROVISIONED_CONCURRENCY must be pairs"],
    [
      { PROVISIONED_CONCURRENCY: "authorizer=50", AUTHORIZER_CONCURRENCY: "20" },
      "PROVISIONED_CONCURRENCY keeps 50 of authorizer started, and 20 executions are reserved.",
    ],
    [
      { PROVISIONED_CONCURRENCY: "sign-in=6", SIGN_IN_CONCURRENCY: "5" },
      "PROVISIONED_CONCURRENCY keeps 6 of sign-in started, and 5 executions are reserved.",
    ],
    [
      { SIGN_IN_CONCURRENCY: "0" },
      "SIGN_IN_CONCURRENCY must be a number of concurrent executions from 1 on, or shared",
    ],
    [{ DIRECTORY_SUBNETS: "subnet-0a1" }, "Set both DIRECTORY_SUBNETS and DIRECTORY_SECURITY_GROUPS, or neither."],
    [
      { DIRECTORY_SUBNETS: "subnet-0a1", DIRECTORY_SECURITY_GROUPS: "default" },
      'DIRECTORY_SECURITY_GROUPS must be comma-separated ids; "default" is not an id.',
    ],
  ])("%j is refused", (environment, message) => {
    expect(() => settingsOf(environment)).toThrow(message);
  });
});

test("production needs a recipient of alarms, and other stages do not", () => {
  const check = (stage: string, ALARM_EMAIL = "") => checkRecipient(stageOf(stage), settingsOf({ ALARM_EMAIL }));
  expect(() => check("production")).toThrow("ALARM_EMAIL is not set: no person would learn of an alarm of production.");
  for (const stage of ["staging", "dana"]) expect(() => check(stage)).not.toThrow();
  expect(() => check("production", "o@example.com")).not.toThrow();
});

describe("reserved executions", () => {
  const of = (stage: string, environment: NodeJS.ProcessEnv = {}) =>
    settingsOf(environment, stageOf(stage)).concurrency;
  test("are those of the authorizer and of sign-in in production, and of no function elsewhere", () => {
    expect(["production", "staging", "dana"].map((stage) => of(stage))).toEqual([
      { authorizer: 200, "sign-in": 100 },
      {},
      {},
    ]);
  });
  test("are what the variables say, in any stage", () => {
    const environment = { AUTHORIZER_CONCURRENCY: "20", SIGN_IN_CONCURRENCY: "shared" };
    expect(["production", "staging"].map((stage) => of(stage, environment))).toEqual([
      { authorizer: 20 },
      { authorizer: 20 },
    ]);
  });
  test("limit what production keeps started also where no variable says so", () => {
    const environment = { PROVISIONED_CONCURRENCY: "sign-in=101" };
    expect(() => of("production", environment)).toThrow(
      "keeps 101 of sign-in started, and 100 executions are reserved",
    );
    expect(() => of("staging", environment)).not.toThrow();
  });
});

describe("the authorities of client certificates", () => {
  const deploymentWith = async (section: string): Promise<string> => {
    const file = join(directory, "deployment.toml");
    await writeFile(file, `[intermediate_cert_validation]\n${section}`);
    return file;
  };
  test("are refused with the names of both sides if deployment.toml accepts none of them", async () => {
    const MTLS_DOMAIN = "m.example.com";
    const TRUSTSTORE_FILE = await truststoreOf("Acme Root", "Acme Issuing CA");
    expect(() => settingsOf({ ...domain, MTLS_DOMAIN, TRUSTSTORE_FILE })).toThrow(
      `No client could authenticate on MTLS_DOMAIN. ${TRUSTSTORE_FILE} has the authorities "Acme Root", "Acme Issuing CA" ` +
        '(common names), but deployment.toml accepts only certificates issued by "Identity Admin API development CA". Add ' +
        "the issuer of your clients' certificates to cert_cns of [intermediate_cert_validation].",
    );
    expect(() => settingsOf({ ...domain, TRUSTSTORE_FILE })).not.toThrow();
  });
  test("are accepted if one of several matches, or if certificates are not a credential", async () => {
    const acme = await truststoreOf("Acme Root", "Acme Issuing CA");
    for (const section of ['enable = true\ncert_cns = ["Other", "Acme Issuing CA"]', "enable = false"]) {
      const file = await deploymentWith(section);
      expect(() => checkAuthorities(acme, file)).not.toThrow();
    }
    const file = await deploymentWith('enable = true\n[[intermediate_cert_validation.issuer]]\ncn = "Acme Root"');
    expect(() => checkAuthorities(acme, file)).not.toThrow();
    expect(() => checkAuthorities(development, file)).toThrow(/accepts only certificates issued by "Acme Root"/);
  });
  test("must be certificates", async () => {
    const file = join(directory, "none.pem");
    await writeFile(file, "no certificate");
    expect(() => checkAuthorities(file, "deployment.toml")).toThrow(
      `TRUSTSTORE_FILE ${file} contains no PEM certificate.`,
    );
    await writeFile(file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    expect(() => checkAuthorities(file, "deployment.toml")).toThrow(": certificate number 1 cannot be read.");
  });
});

describe("stages", () => {
  test.each([
    ["production", "production"],
    ["staging", "staging"],
    ["dana", "personal"],
    ["constructor", "personal"],
  ])("%s is %s", (name, kind) => expect(stageOf(name).kind).toBe(kind));
  test.each([
    ["prod", "production"],
    ["live", "production"],
    ["stage", "staging"],
  ])("%s is refused, because it would be removable like a developer's own", (name, meant) => {
    expect(() => stageOf(name)).toThrow(`The stage "${name}" would be a developer's own. Use the name "${meant}".`);
  });
  test.each(["", "-dana", "dana_1", "dänä", "d".repeat(25)])("%j is refused, because AWS would refuse it", (name) => {
    expect(() => stageOf(name)).toThrow(/^The name of a stage has 1 to 24 letters, digits and hyphens/);
  });
  test("the longest name is accepted", () => expect(stageOf("d".repeat(24)).kind).toBe("personal"));
  test("production is refused without a domain, which the issuer of its tokens contains", () => {
    expect(() => checkDomain(stageOf("production"), settingsOf({}))).toThrow(
      "production needs a domain of its own, because its tokens name it as their issuer. Set API_DOMAIN, such as " +
        "api.example.com, and HOSTED_ZONE_ID, its Route 53 zone, in .env.production.",
    );
    expect(() => checkDomain(stageOf("production"), settingsOf(domain))).not.toThrow();
    for (const name of ["staging", "dana"]) {
      expect(() => checkDomain(stageOf(name), settingsOf({}))).not.toThrow();
    }
  });
});
