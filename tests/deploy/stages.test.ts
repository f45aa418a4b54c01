/** The differences between stages, and the errors for wrong settings. */
import { describe, expect, test } from "vitest";
import { evaluate, secrets } from "./support/evaluate.ts";
import { deploymentOf, part, type StageName } from "./support/stages.ts";

const stages: StageName[] = ["production", "staging", "dana"];
const tableOf = (stage: StageName) => deploymentOf(stage).one("aws:dynamodb/table:Table", "DataTable");

describe("a stage", () => {
  test("is removed with its data if it is a developer's own, and never if it is production", () => {
    const rules = stages.map((stage) => {
      const { removal, protect } = deploymentOf(stage).evaluation.app;
      return { removal, protect };
    });
    expect(rules).toEqual([
      { removal: "retain", protect: true },
      { removal: "retain", protect: false },
      { removal: "remove", protect: false },
    ]);
  });
  test("protects and retains its table: production, staging; not a developer's own", () => {
    const rules = stages.map((stage) => {
      const { isProtected, isRetained, inputs } = tableOf(stage);
      return [isProtected, isRetained, inputs.deletionProtectionEnabled];
    });
    expect(rules).toEqual([
      [true, true, true],
      [false, true, true],
      [false, false, false],
    ]);
  });
  test.each(stages)(
    "%s has a table with 35 days of point-in-time recovery, encryption and expiry, without an index",
    (stage) => {
      expect(tableOf(stage).inputs).toMatchObject({
        hashKey: "PK",
        rangeKey: "SK",
        billingMode: "PAY_PER_REQUEST",
        pointInTimeRecovery: { enabled: true, recoveryPeriodInDays: 35 },
        serverSideEncryption: { enabled: true },
        ttl: { attributeName: "expiresAtSeconds", enabled: true },
        globalSecondaryIndexes: [],
        localSecondaryIndexes: [],
      });
    },
  );
  test("has the log level and the retention of its kind", () => {
    const rules = stages.map((stage) => {
      const { inputs } = deploymentOf(stage).one("aws:lambda/function:Function", "ApplicationsFunction");
      const level = part(part(inputs, "environment"), "variables").POWERTOOLS_LOG_LEVEL;
      const retention = deploymentOf(stage)
        .ofType("aws:cloudwatch/logGroup:LogGroup")
        .map((group) => group.inputs.retentionInDays);
      return [level, ...new Set(retention)];
    });
    expect(rules).toEqual([
      ["WARN", 365],
      ["INFO", 30],
      ["DEBUG", 7],
    ]);
  });
  test("outputs its addresses and its table", () => {
    expect(deploymentOf("production").evaluation.outputs).toMatchObject({
      url: "https://api.example.com",
      mtlsUrl: "https://mtls.example.com",
      table: expect.stringContaining("DataTable"),
      eventBus: "identity-admin-api-production",
    });
  });
});

test("a restored table replaces the stage's own, which is retained", async () => {
  const environment = { ...secrets, RESTORED_TABLE: "from-a-backup" };
  const { resources } = await evaluate({ stage: "staging", environment });
  const inputsOf = (name: string) => resources.find((resource) => resource.name === name)?.inputs;
  expect(inputsOf("DataTable")).toMatchObject({ deletionProtectionEnabled: true });
  const settings = part(part(inputsOf("ApplicationsFunction") ?? {}, "environment"), "variables");
  expect(settings.TABLE_NAME).toBe("from-a-backup");
  expect(JSON.stringify(inputsOf("ApplicationsRole"))).toContain(":table/from-a-backup");
  expect(inputsOf("ChangeEventsStream")?.eventSourceArn).toContain(":table/from-a-backup/stream/");
  expect(JSON.stringify(inputsOf("TableThrottlesAlarm"))).toContain('"from-a-backup"');
});

describe("backups of a stage", () => {
  const inputsOf = (type: string, name: string) => deploymentOf("production").one(type, name).inputs;
  test("are copied daily into the vault that is set, and outlive the stage", () => {
    expect(inputsOf("aws:backup/plan:Plan", "BackupPlan").rules).toEqual([
      {
        ruleName: "daily",
        targetVaultName: "identity-admin-api-production",
        schedule: "cron(0 3 * * ? *)",
        lifecycle: { deleteAfter: 7 },
        copyActions: [
          {
            destinationVaultArn: "arn:aws:backup:eu-west-1:210987654321:backup-vault:copies",
            lifecycle: { deleteAfter: 35 },
          },
        ],
      },
    ]);
    expect(deploymentOf("production").one("aws:backup/vault:Vault", "BackupVault").isRetained).toBe(true);
  });
  test("are of its table alone, by a role that only AWS Backup assumes", () => {
    const { resources } = inputsOf("aws:backup/selection:Selection", "BackupSelection");
    expect(resources).toEqual([expect.stringContaining("DataTable")]);
    const { assumeRolePolicy } = inputsOf("aws:iam/role:Role", "BackupRole");
    expect(JSON.stringify(assumeRolePolicy)).toContain("backup.amazonaws.com");
  });
  test("are not copied without the setting", () => {
    for (const stage of ["staging", "dana"] as const) {
      expect(deploymentOf(stage).resources.filter(({ type }) => type.startsWith("aws:backup/"))).toEqual([]);
    }
  });
});

describe("a deployment is refused with the reason", () => {
  test("with a vault that is none", async () => {
    const environment = { ...secrets, BACKUP_COPY_TO: "my-vault" };
    await expect(evaluate({ stage: "staging", environment })).rejects.toThrow(/BACKUP_COPY_TO must be the ARN/);
  });
  test("of production without a domain", async () => {
    await expect(evaluate({ stage: "production" })).rejects.toThrow(
      /production needs a domain of its own, .* Set API_DOMAIN, .* and HOSTED_ZONE_ID/,
    );
  });
  test("without a secret", async () => {
    const environment = { SST_SECRET_AdminPassword: "some password" };
    await expect(evaluate({ stage: "staging", environment })).rejects.toThrow(/Set a value for SealKey/);
  });
  test("with a wrong setting", async () => {
    const environment = { ...secrets, API_DOMAIN: "api.example.com" };
    await expect(evaluate({ stage: "staging", environment })).rejects.toThrow(/API_DOMAIN needs HOSTED_ZONE_ID/);
  });
  test("with live functions in a shared stage", async () => {
    await expect(evaluate({ stage: "staging", isLive: true })).rejects.toThrow(/Choose a stage of your own/);
  });
});
