/** `npm run doctor`: every kind of broken setting, each with what to do. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { issueAuthority, issueLeaf } from "#local/issue.ts";
import { type Harm, KEY, OTHER_KEY, patient, project } from "#tests/support/patient.ts";
import { directoryStore } from "#tests/support/slapd.ts";
import { withTwins } from "#tests/support/twins.ts";
import { checks } from "#tools/deploy/doctor-checks.ts";
import { secretsIn, variables } from "#tools/deploy/doctor-settings.ts";

/** An authority whose own issuer, "Acme Root", is elsewhere. Valid from 2020 to 2120. */
const intermediate = `-----BEGIN CERTIFICATE-----
MIIBMDCB2KADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMTCUFjbWUgUm9v
dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowGjEYMBYGA1UEAxMP
QWNtZSBJc3N1aW5nIENBMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEapb4BoqD
765xgynZXPsftA7WL6zPYCUsklH2YrgjMfWoEFBi7N4QPw+4As57s46Bgfo6mdTx
8FYRrBtSNyQNx6MTMBEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBE
AiBx4/XJR5V2qXmPBqWb7OPECff4vMtwc2FfTlWRql3CmQIgW4kJcD2H3Pxkxq5g
PJv2N9AEPhw7lhUwlP0Vu+GMyS8=
-----END CERTIFICATE-----
`;

const someone = patient();

const toml = (text: string) => async () =>
  withTwins(`${await readFile(join(project, "deployment.toml"), "utf8")}\n${text}`);
const userRule = (more: string) =>
  `[[resource.access_control]]\ncontext = "/scim2/Users/(.*)"\nhttp_method = "all"\n${more}\n`;
const directory = directoryStore("ldaps://directory.example.com");
const authority = (name: string) => async () => (await issueAuthority(name)).certificate;

test("a healthy stage has a line for each check, and nothing is missing or wrong", async () => {
  const lines = await someone.examine({});
  expect(lines.filter(({ state }) => state === "missing" || state === "wrong")).toEqual([]);
  expect(new Set(lines.map(({ check }) => check))).toEqual(new Set(checks.map(({ name }) => name)));
  // What only AWS knows is said with the command that shows it.
  expect(lines.flatMap(({ state, check }) => (state === "unchecked" ? [check] : []))).toEqual([
    "domains",
    "alarms",
    "concurrency",
  ]);
});

test("a developer's own stage needs neither domains nor a recipient of alarms", async () => {
  const none = { API_DOMAIN: "", MTLS_DOMAIN: "", HOSTED_ZONE_ID: "", ALARM_EMAIL: "" };
  expect(await someone.badOf({ stage: "dana", shell: none })).toEqual([]);
  expect(await someone.badOf({ stage: "staging", shell: none })).toEqual([]);
});

test("the synthetic check of production is on, and a person who switches it off is asked what checks it instead", async () => {
  const of = async (stage: string, CANARY: string) =>
    (await someone.examine({ stage, shell: { CANARY } })).find(({ check }) => check === "synthetic check");
  expect(await of("production", "")).toMatchObject({ state: "ok", text: expect.stringContaining("every minute") });
  expect(await of("production", "off")).toMatchObject({
    state: "unchecked",
    todo: expect.stringContaining("elsewhere"),
  });
  expect(await of("staging", "on")).toMatchObject({ state: "ok", text: expect.stringContaining("every minute") });
  expect(await of("staging", "")).toMatchObject({ state: "ok", text: "none" });
});

const broken: readonly (readonly [string, Harm, RegExp])[] = [
  ["a mistakable stage", { stage: "prod" }, /^wrong stage: The stage "prod" .* Use the name "production"/],
  ["no node_modules", { files: { "node_modules/sst": undefined } }, /^missing project: node_modules\. Run `npm ci`/],
  [
    "another SST",
    { files: { "node_modules/sst/package.json": '{"version": "3.0.0"}' } },
    /^wrong project: SST 3\.0\.0 /,
  ],
  ["no API document", { files: { "docs/openapi.json": undefined } }, /^missing project: docs\/openapi\.json/],
  ["a damaged API document", { files: { "docs/openapi.json": "{" } }, /^missing project: docs\/openapi\.json/],
  [
    "a misspelt variable",
    { files: { ".env.production": "API_DOMIAN=a.example.com" } },
    /^wrong variables: .* API_DOMIAN has no effect\. Did you mean API_DOMAIN/,
  ],
  [
    "an unknown variable",
    { files: { ".env.production": "QQQQ=1" } },
    /^wrong variables: .* QQQQ has no effect\. Delete/,
  ],
  [
    "a secret in a file",
    { files: { ".env.production": "ADMIN_PASSWORD=a-long-password" } },
    /^wrong variables: \.env\.production contains ADMIN_PASSWORD\. .*`npx sst secret set`/,
  ],
  [
    "an access key in a file",
    { files: { ".env": "AWS_SECRET_ACCESS_KEY=abc" } },
    /^wrong variables: \.env contains AWS_SECRET_ACCESS_KEY/,
  ],
  [
    "a setting of two minds",
    { files: { ".env.production": "API_DOMAIN=b.example.com" } },
    /^wrong variables: API_DOMAIN is "api\.example\.com" in the shell, "b\.example\.com" in \.env\.production/,
  ],
  ["no region", { shell: { AWS_REGION: "" } }, /^missing region: AWS_REGION/],
  ["no such region", { shell: { AWS_REGION: "Frankfurt" } }, /^wrong region: AWS_REGION is "Frankfurt"/],
  [
    "a domain that is a URL",
    { shell: { API_DOMAIN: "https://api.example.com" } },
    /^wrong domains: API_DOMAIN must be a host name/,
  ],
  ["a wrong second domain", { shell: { MTLS_DOMAIN: "mtls" } }, /^wrong domains: MTLS_DOMAIN must be a host name/],
  ["no zone", { shell: { HOSTED_ZONE_ID: "" } }, /^wrong domains: API_DOMAIN needs HOSTED_ZONE_ID/],
  [
    "a zone's path",
    { shell: { HOSTED_ZONE_ID: "/hostedzone/Z1" } },
    /^wrong domains: HOSTED_ZONE_ID is "\/hostedzone\/Z1"\. Set it to the id alone/,
  ],
  ["no first domain", { shell: { API_DOMAIN: "" } }, /^wrong domains: MTLS_DOMAIN needs API_DOMAIN/],
  ["equal domains", { shell: { MTLS_DOMAIN: "api.example.com" } }, /^wrong domains: .* must be different/],
  ["domains of two zones", { shell: { MTLS_DOMAIN: "api.example.org" } }, /^wrong domains: .* cannot be in one zone/],
  [
    "a zone without domain",
    { stage: "staging", shell: { API_DOMAIN: "", MTLS_DOMAIN: "" } },
    /^wrong domains: HOSTED_ZONE_ID has no effect/,
  ],
  [
    "production without a domain",
    { shell: { API_DOMAIN: "", MTLS_DOMAIN: "", HOSTED_ZONE_ID: "" } },
    /^missing domains: API_DOMAIN\. Set it, and HOSTED_ZONE_ID: tokens name the domain of production as their issuer/,
  ],
  [
    "a stage whose name is too long",
    { stage: "a-feature-of-the-next-release" },
    /^wrong stage: The name of a stage has 1 to 24 letters, digits and hyphens/,
  ],
  ["no deployment.toml", { files: { "deployment.toml": undefined } }, /^wrong deployment\.toml: .* cannot be read/],
  ["no TOML", { files: { "deployment.toml": "a = " } }, /^wrong deployment\.toml: .*line 1, column/],
  [
    "an unknown key",
    { files: { "deployment.toml": "[scim2]\nprofil = 'wso2'" } },
    /^wrong deployment\.toml: .*did you mean "profile"/,
  ],
  [
    "a wrong user store",
    { files: { "deployment.toml": toml('[[user_store]]\ndomain = "PRIMARY"\nkind = "dynamodb"') } },
    /^wrong deployment\.toml: .*user_store/,
  ],
  [
    "a wrong pattern",
    {
      files: {
        "deployment.toml": toml(
          '[[custom_inbound_protocol]]\nname = "x"\n[[custom_inbound_protocol.property]]\nname = "y"\nvalidation_regex = "(?=a)"',
        ),
      },
    },
    /^wrong deployment\.toml: .*validation_regex/,
  ],
  [
    "a rule without operation",
    { files: { "deployment.toml": toml('[[resource.access_control]]\ncontext = "/nowhere"\nhttp_method = "GET"') } },
    /^wrong access rules: .*number 1/,
  ],
  [
    "certificates that do not count",
    { files: { "deployment.toml": "" } },
    /^wrong client certificates: MTLS_DOMAIN is set, but certificates are no credential/,
  ],
  [
    "an expired issuer",
    {
      files: {
        "deployment.toml": async () =>
          `[intermediate_cert_validation]\nenable = true\ncert_cns = ["Identity Admin API development CA"]\n[[intermediate_cert_validation.issuer]]\ncn = "Acme"\ncertificate = """\n${await authority("Acme")()}"""`,
      },
      inDays: 4_000,
      shell: { MTLS_DOMAIN: "" },
    },
    /^wrong client certificates: issuer "Acme": "Acme" expired at/,
  ],
  ["no truststore", { files: { "certs/truststore.pem": undefined } }, /^missing truststore: certs\/truststore\.pem/],
  [
    "an empty truststore",
    { files: { "certs/truststore.pem": "none" } },
    /^wrong truststore: .* contains no PEM certificate/,
  ],
  [
    "a damaged certificate",
    { files: { "certs/truststore.pem": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----" } },
    /^wrong truststore: .*certificate number 1 cannot be read/,
  ],
  [
    "a private key",
    { files: { "certs/truststore.pem": () => `${someone.trusted.certificate}${someone.trusted.key}` } },
    /^wrong truststore: .* contains a private key\. It would be uploaded/,
  ],
  ["an expired authority", { inDays: 4_000 }, /^wrong truststore: .* expired at/],
  ["an authority about to expire", { inDays: 3_640 }, /^wrong truststore: .* expires in \d days\. Replace it now/],
  ["an authority of the future", { inDays: -2 }, /^wrong truststore: .* is not valid before/],
  [
    "a client's certificate",
    {
      files: {
        "certs/truststore.pem": async () =>
          someone.trusted.certificate + (await issueLeaf(someone.trusted, "admin", { kind: "client" })).certificate,
      },
    },
    /^wrong truststore: .*"admin" is not the certificate of an authority/,
  ],
  [
    "a chain without its root",
    { files: { "certs/truststore.pem": () => someone.trusted.certificate + intermediate } },
    /^wrong truststore: .*"Acme Issuing CA": its issuer \(CN=Acme Root\) is not in the file\. Add the chain/,
  ],
  [
    "an authority that no client's issuer is",
    { files: { "certs/truststore.pem": authority("Acme") } },
    /^wrong truststore: No client could authenticate/,
  ],
  [
    "a truststore without domain",
    { shell: { MTLS_DOMAIN: "", TRUSTSTORE_FILE: "a.pem" } },
    /^wrong truststore: TRUSTSTORE_FILE has no effect/,
  ],
  [
    "a directory without password",
    { files: { "deployment.toml": toml(directory) } },
    /^missing secrets: secret DirectoryPassword\. `npx sst secret set DirectoryPassword --stage production`/,
  ],
  ["half a network", { shell: { DIRECTORY_SUBNETS: "subnet-1" } }, /^wrong directories: Set both DIRECTORY_SUBNETS/],
  [
    "a network without directory",
    { shell: { DIRECTORY_SUBNETS: "subnet-1", DIRECTORY_SECURITY_GROUPS: "sg-1" } },
    /^wrong directories: DIRECTORY_SUBNETS has no effect/,
  ],
  ["an administrator's name with a store", { shell: { ADMIN_USERNAME: "CORP/root" } }, /^wrong administrator: /],
  [
    "an administrator's name with a tenant",
    { shell: { ADMIN_USERNAME: "root@acme.example" } },
    /^wrong administrator: .*neither a tenant/,
  ],
  [
    "a short administrator's name",
    { shell: { ADMIN_USERNAME: "ab" } },
    /^wrong administrator: userName must have 3 to/,
  ],
  ["no recipient of alarms", { shell: { ALARM_EMAIL: "" } }, /^missing alarms: ALARM_EMAIL/],
  ["another word than on and off", { shell: { CANARY: "yes" } }, /^wrong synthetic check: CANARY must be on or off/],
  [
    "a rule that excludes the token of the check",
    { files: { "deployment.toml": toml(userRule('allowed_auth_handlers = ["BasicAuthentication"]')) } },
    /^wrong synthetic check: resource\.access_control number \d+ .* refuses the check, .* Add a rule for that path/,
  ],
  [
    "a rule with a scope that the check does not have",
    { files: { "deployment.toml": toml(userRule('scope = ["internal_user_mgt_delete"]')) } },
    /^wrong synthetic check: resource\.access_control number \d+ .* refuses the check/,
  ],
  [
    "a check without alarms",
    { stage: "dana", shell: { CANARY: "on" } },
    /^wrong synthetic check: CANARY has no effect in a developer's own stage/,
  ],
  ["a wrong recipient", { shell: { ALARM_EMAIL: "operators" } }, /^wrong alarms: ALARM_EMAIL is "operators"/],
  [
    "a wrong concurrency",
    { shell: { AUTHORIZER_CONCURRENCY: "many" } },
    /^wrong concurrency: AUTHORIZER_CONCURRENCY must be/,
  ],
  ["a wrong share", { shell: { SHIFT: "100" } }, /^wrong traffic: SHIFT must be at-once, or rising shares/],
  [
    "a function that cannot be kept started",
    { shell: { PROVISIONED_CONCURRENCY: "scim3=2" } },
    /^wrong traffic: PROVISIONED_CONCURRENCY must be pairs .*"scim3=2" is none/,
  ],
  [
    "a share in a stage whose traffic is not shifted",
    { stage: "dana", shell: { SHIFT: "10" } },
    /^wrong traffic: SHIFT has no effect: the traffic of dana moves with each deployment/,
  ],
  ["a wrong vault of backups", { shell: { BACKUP_COPY_TO: "vault" } }, /^wrong backups: BACKUP_COPY_TO must be/],
  [
    "an ARN as table",
    { shell: { RESTORED_TABLE: "arn:aws:dynamodb:eu-central-1:1:table/t" } },
    /^wrong restored table: .*not to its ARN/,
  ],
  [
    "no sealing key",
    { secrets: { SealKey: "" } },
    /^missing secrets: secret SealKey\. `node -e .* npx sst secret set SealKey --stage production`/,
  ],
  ["a short sealing key", { secrets: { SealKey: "abcd" } }, /^wrong secrets: secret SealKey is not 32 bytes in Base64/],
  ["no administrator's password", { secrets: { AdminPassword: "" } }, /^missing secrets: secret AdminPassword/],
  [
    "a short password",
    { secrets: { AdminPassword: "elevenchars" } },
    /^wrong secrets: secret AdminPassword: must have at least 12 characters/,
  ],
  [
    "a common password",
    { secrets: { AdminPassword: "administrator" } },
    /^wrong secrets: secret AdminPassword: .*most common/,
  ],
  [
    "wrong former keys",
    { secrets: { FormerSealKeys: `${OTHER_KEY}, x` } },
    /^wrong secrets: secret FormerSealKeys: each must be 32 bytes/,
  ],
  [
    "a former key that is the present one",
    { secrets: { FormerSealKeys: KEY } },
    /^wrong secrets: .*contains the present SealKey/,
  ],
  [
    "a misspelt secret",
    { secrets: { Sealkey: "x" } },
    /^wrong secrets: secret Sealkey has no effect\. `npx sst secret remove Sealkey --stage production`/,
  ],
];

describe("what is broken is the only thing that is reported:", () => {
  test.each(broken)("%s", async (_name, harm, message) => {
    const bad = await someone.badOf(harm);
    expect(bad.filter((line) => !message.test(line))).toEqual([]);
    expect(bad.length).toBeGreaterThan(0);
  });
  test("every check is broken at least once", () => {
    const found = checks.filter(
      ({ name }) => !broken.some(([, , { source }]) => source.includes(name.replace(".", "\\."))),
    );
    expect(found).toEqual([]);
  });
});

test("the variables are those that the documentation lists", async () => {
  const text = await readFile(join(project, "docs/operations.md"), "utf8");
  const section = /^## Settings of a stage\n([\s\S]*?)^## /m.exec(text)?.[1] ?? "";
  const listed = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) => cell?.match(/[A-Z_]{3,}/g) ?? []);
  expect([...listed].sort()).toEqual([...variables].sort());
});

test("no secret is in any line, whatever is wrong with it", async () => {
  const values = {
    SealKey: "short-seal-key-1",
    AdminPassword: "tiny pass",
    FormerSealKeys: "former-key-12345",
    Unheard: "unheard-value-1",
  };
  const text = JSON.stringify(
    await someone.examine({ secrets: values, files: { ".env.production": "ADMIN_PASSWORD=file-secret-1" } }),
  );
  for (const value of [...Object.values(values), "file-secret-1"]) expect(text).not.toContain(value);
});

test("the output of `sst secret list` is read; a secret of the stage wins over the fallback", () => {
  const stage = "# identity-admin-api/production\nSealKey=a=b==\nAdminPassword=\n";
  const fallback = "# fallback\nSealKey=other\nFormerSealKeys=none\n";
  const read = { SealKey: "a=b==", AdminPassword: "", FormerSealKeys: "none" };
  for (const text of [`${fallback}\n${stage}`, `${stage}\n${fallback}`])
    expect(Object.fromEntries(secretsIn(text))).toEqual(read);
});
