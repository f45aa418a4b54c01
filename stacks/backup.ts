/**
 * Daily backups that are copied into a vault of another account or region: they outlive this account (decision 0070).
 * Restoring to a second of the last 35 days needs no copy.
 */
import type { Settings, Stage } from "./stage.ts";

/** Every day at 3 o'clock UTC. */
const DAILY = "cron(0 3 * * ? *)";
/** Days that backups are kept: here only until the copy is surely made, there as long as point-in-time recovery. */
const KEPT_DAYS = { here: 7, there: 35 };
/** AWS's own policy for the role that AWS Backup assumes. */
const BACKUP_POLICY = "arn:aws:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup";

/** The name of the vault of a stage. */
export function vaultName({ name }: Pick<Stage, "name">): string {
  return `${$app.name}-${name}`;
}

/** Creates the vault, the plan and the role of the copies; nothing where no other vault is set. */
export function backupCopies(
  { name, removal }: Stage,
  { backupCopyTo: destinationVaultArn }: Settings,
  table: sst.aws.Dynamo,
): void {
  if (destinationVaultArn === undefined) return;
  const title = vaultName({ name });
  // A vault with backups cannot be deleted.
  const vault = new aws.backup.Vault("BackupVault", { name: title }, { retainOnDelete: removal === "retain" });
  const role = new aws.iam.Role("BackupRole", {
    assumeRolePolicy: aws.iam.assumeRolePolicyForPrincipal({ Service: "backup.amazonaws.com" }),
  });
  new aws.iam.RolePolicyAttachment("BackupRolePolicy", { role: role.name, policyArn: BACKUP_POLICY });
  const plan = new aws.backup.Plan("BackupPlan", {
    name: title,
    rules: [
      {
        ruleName: "daily",
        targetVaultName: vault.name,
        schedule: DAILY,
        lifecycle: { deleteAfter: KEPT_DAYS.here },
        copyActions: [{ destinationVaultArn, lifecycle: { deleteAfter: KEPT_DAYS.there } }],
      },
    ],
  });
  new aws.backup.Selection("BackupSelection", {
    name: title,
    planId: plan.id,
    iamRoleArn: role.arn,
    resources: [table.arn],
  });
}
