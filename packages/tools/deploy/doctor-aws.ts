/**
 * What `npm run doctor -- --aws` asks AWS. It only reads: the secrets through `sst secret list`, and the table that
 * RESTORED_TABLE names.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import { type Finding, messageOf, missing, problemsOr, wrong } from "./doctor-finding.ts";
import { secretsIn } from "./doctor-secrets.ts";

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
