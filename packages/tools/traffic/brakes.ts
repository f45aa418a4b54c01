/** The alarms of a stage that stop a shift. */
import { CloudWatchClient, type CloudWatchClientConfig, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import { alarmsOf } from "../../../stacks/monitoring/alarms.ts";
import { servingNames } from "../../../stacks/plan.ts";
import { APP_NAME } from "../../../stacks/stage.ts";

/** The alarms that stop a shift. */
export interface Brakes {
  /**
   * The names of those that are raised. Throws an `Error` for people where one is missing: a brake that is not there
   * does not brake. Only the alarm of the synthetic check may be missing, which is an option of the stage.
   */
  raised(): Promise<readonly string[]>;
  close(): void;
}

const ATTEMPTS = 6;
/** CloudWatch's limit of names in one call. */
const NAMES_MAX = 100;

/**
 * The names of the alarms that a deployment can raise, without the name of the stage: those of every stage, or with
 * those of the synthetic check.
 */
export function brakeNames(isChecked = false): readonly string[] {
  // Their number decides how many alarms watch them.
  const functions = servingNames.map((service) => ({ service, functionName: "", logGroup: "", memoryMb: 0 }));
  const nothing = { app: "", stage: "", region: "", apiId: "", tableName: "", undeliveredName: "", accessLog: "" };
  const watched = { ...nothing, functions, followers: [], certificates: [], backupVault: undefined, isChecked };
  return alarmsOf(watched).flatMap(({ name, isUnrelated }) => (isUnrelated ? [] : [name]));
}

/** Opens the alarms of a stage, in the region of the environment unless `config` says another. */
export function openBrakes(stage: string, config: CloudWatchClientConfig = {}): Brakes {
  const client = new CloudWatchClient({ maxAttempts: ATTEMPTS, ...config });
  const prefix = `${APP_NAME}-${stage}-`;
  const required = brakeNames().map((name) => `${prefix}${name}`);
  const names = brakeNames(true).map((name) => `${prefix}${name}`);
  return {
    async raised() {
      const { MetricAlarms = [] } = await client.send(
        new DescribeAlarmsCommand({ AlarmNames: names, MaxRecords: NAMES_MAX }),
      );
      const states = new Map(MetricAlarms.map(({ AlarmName, StateValue }) => [AlarmName, StateValue]));
      const missing = required.filter((name) => !states.has(name));
      if (missing.length > 0) {
        throw new Error(
          `These alarms do not exist: ${missing.join(", ")}. Deploy again, or use --ignore-alarms to shift without.`,
        );
      }
      return names.filter((name) => states.get(name) === "ALARM").map((name) => name.slice(prefix.length));
    },
    close: () => client.destroy(),
  };
}
