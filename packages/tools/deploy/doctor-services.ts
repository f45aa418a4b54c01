/** What the doctor asks AWS, the certificates and the canary. */
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import { operations } from "#core/service/catalogue.ts";
import { CANARY_SCOPES, CANARY_USER } from "#core/service/health/model.ts";
import type { Deployment } from "#core/service/settings/deployment.ts";
import { readyRules } from "#core/sign-in/authentication/access-control/lint.ts";
import { ruleFor } from "#core/sign-in/authentication/access-control/rules.ts";
import { hasCanary, settingsOf, stageOf } from "../../../stacks/stage.ts";
import { type Finding, messageOf, missing, ok, problemsOr, secretsIn, unchecked, wrong } from "./doctor-settings.ts";

const execute = promisify(execFile);
const SST_MS = 300_000;

/** The secrets of a stage. Throws an `Error` with the words of SST, which contain no secret. */
export async function secretsOnAws(
  root: string,
  stage: string,
  environment: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, string>> {
  const options = { cwd: root, timeout: SST_MS, env: { SST_TELEMETRY_DISABLED: "1", ...environment } };
  try {
    const { stdout } = await execute(
      join(root, "node_modules/.bin/sst"),
      ["secret", "list", "--stage", stage],
      options,
    );
    return secretsIn(stdout);
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    if (said.includes("No secrets found")) return new Map();
    throw new Error(`\`npx sst secret list --stage ${stage}\` failed: ${said || messageOf(error)}`, { cause: error });
  }
}

/** The table that a stage will use instead of its own: whether it exists and has what a restore does not inherit. */
export async function tableFindings(name: string, environment: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const endpoint = environment.DYNAMODB_ENDPOINT;
  const client = new DynamoDBClient({ region: environment.AWS_REGION, ...(endpoint && { endpoint }) });
  const which = { TableName: name };
  try {
    const [{ Table }, { TimeToLiveDescription }, { ContinuousBackupsDescription }] = await Promise.all([
      client.send(new DescribeTableCommand(which)),
      client.send(new DescribeTimeToLiveCommand(which)),
      client.send(new DescribeContinuousBackupsCommand(which)),
    ]);
    const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
    const todo = 'Do step 2 of "Restore from a backup" in docs/operations.md.';
    const problems = [
      ...(Table?.TableStatus === "ACTIVE"
        ? []
        : [wrong(`table ${name} is ${Table?.TableStatus}`, "Wait until it is ACTIVE.")]),
      ...(TimeToLiveDescription?.AttributeName === "expiresAtSeconds"
        ? []
        : [missing(`time to live of ${name} by expiresAtSeconds`, todo)]),
      ...(recovery === "ENABLED" ? [] : [missing(`point-in-time recovery of ${name}`, todo)]),
      ...(Table?.StreamSpecification?.StreamViewType === "KEYS_ONLY"
        ? []
        : [missing(`stream of ${name} with keys`, todo)]),
      ...(Table?.DeletionProtectionEnabled ? [] : [missing(`deletion protection of ${name}`, todo)]),
    ];
    return problemsOr(problems, `table ${name} is active and protected`);
  } catch (error) {
    const isAbsent = error instanceof Error && error.name === "ResourceNotFoundException";
    return [
      isAbsent
        ? missing(`table ${name} in ${environment.AWS_REGION ?? "the region of the profile"}`, "Check RESTORED_TABLE.")
        : wrong(`table ${name} cannot be read: ${messageOf(error)}`),
    ];
  } finally {
    client.destroy();
  }
}

/** Whether a stage is checked, and whether the rules of deployment.toml let the check pass. */
export async function canaryFindings(
  name: string,
  { CANARY }: NodeJS.ProcessEnv,
  deployment: Deployment | undefined,
): Promise<readonly Finding[]> {
  const stage = stageOf(name);
  const settings = settingsOf({ CANARY });
  if (settings.canary && !stage.isWatched) {
    return [wrong("CANARY has no effect in a developer's own stage: it has no alarms", "Delete it.")];
  }
  if (hasCanary(stage, settings)) {
    const refusal = deployment && (await refusalBy(deployment));
    return [refusal ?? ok("every minute, with an alarm where it fails or does not run")];
  }
  if (stage.kind !== "production") return [ok("none")];
  const todo = "Delete CANARY, or check the stage from elsewhere: no alarm reports an outage without traffic.";
  return [unchecked("production is not checked: CANARY is off", todo)];
}

async function refusalBy({ access }: Deployment): Promise<Finding | undefined> {
  // The check of the rules says what is wrong with them.
  const rules = await readyRules(access.rules, operations).catch(() => []);
  const path = `/scim2/Users/${CANARY_USER.id}`;
  const refusing = ["PATCH", "GET"]
    .map((method) => ruleFor(rules, method, path))
    .find((rule) => {
      const own: readonly string[] = CANARY_SCOPES;
      const lacksScope = rule?.scopes?.some((scope) => !own.includes(scope)) ?? false;
      return lacksScope || rule?.handlers?.has("OAuthAuthentication") === false;
    });
  if (!refusing) return undefined;
  return wrong(
    `${refusing.place} refuses the check, which uses a token with ${CANARY_SCOPES.join(" and ")} on ${path}`,
    "Add a rule for that path before it, or set CANARY to off and check the stage from elsewhere.",
  );
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text, with its number where one cannot be read. */
function certificatesIn(pem: string): readonly (X509Certificate | number)[] {
  return (pem.match(CERTIFICATE) ?? []).map((one, index) => {
    try {
      return new X509Certificate(one);
    } catch {
      return index + 1;
    }
  });
}

/** The common name of a certificate, or its whole subject. */
function nameOf({ subject }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll("\n", ", ");
}

/** A certificate that is not valid now, or not much longer. */
function validityOf(certificate: X509Certificate, where: string, nowMs: number): readonly Finding[] {
  const [fromMs, toMs] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const name = `${where}: "${nameOf(certificate)}"`;
  const days = Math.floor((toMs - nowMs) / DAY_MS);
  if (toMs <= nowMs) return [wrong(`${name} expired at ${certificate.validTo}`, "Replace it.")];
  if (fromMs > nowMs)
    return [wrong(`${name} is not valid before ${certificate.validFrom}`, "Check its date, and the clock.")];
  return days < SOON_DAYS ? [wrong(`${name} expires in ${days} days`, "Replace it now.")] : [];
}

/** The validity of the certificates in a PEM text, such as one of deployment.toml. */
export function validityFindings(pem: string, where: string, nowMs: number): readonly Finding[] {
  return certificatesIn(pem).flatMap((one) => (typeof one === "number" ? [] : validityOf(one, where, nowMs)));
}

/** What is wrong with the truststore of the gateway. */
export function truststoreFindings(pem: string, file: string, nowMs: number): readonly Finding[] {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    return [wrong(`${file} contains a private key`, "It would be uploaded: delete it from the file, and end its use.")];
  }
  const read = certificatesIn(pem);
  if (read.length === 0) return [wrong(`${file} contains no PEM certificate`, "Add the authorities of your clients.")];
  const authorities = read.flatMap((one) => (typeof one === "number" ? [] : [one]));
  const problems = read.flatMap((one) => {
    if (typeof one === "number") {
      return [
        wrong(`${file}: certificate number ${one} cannot be read`, "Copy it again, with its first and last line."),
      ];
    }
    return [...validityOf(one, file, nowMs), ...roleOf(one, authorities, file)];
  });
  const soonest = [...authorities].sort((a, b) => Date.parse(a.validTo) - Date.parse(b.validTo))[0];
  return problemsOr(
    problems,
    `${file}: ${authorities.map((one) => `"${nameOf(one)}"`).join(", ")}; the first expires at ${soonest?.validTo}`,
  );
}

/** A truststore holds authorities, each with its chain up to the root. */
function roleOf(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  file: string,
): readonly Finding[] {
  const name = `${file}: "${nameOf(certificate)}"`;
  if (!certificate.ca) {
    return [
      wrong(`${name} is not the certificate of an authority`, "Put the certificate of its issuer there instead."),
    ];
  }
  if (authorities.some((issuer) => certificate.checkIssued(issuer))) return [];
  const issuer = certificate.issuer.replaceAll("\n", ", ");
  return [wrong(`${name}: its issuer (${issuer}) is not in the file`, "Add the chain up to the root.")];
}

/** Runs a check that throws where something is wrong. */
export function refusalOf(check: () => void): readonly Finding[] {
  try {
    check();
    return [];
  } catch (error) {
    return [wrong(messageOf(error))];
  }
}
