import { join } from "node:path";
import { directoryPasswords, mailOf, secretNameOf } from "./authorities.ts";
import type { Stage } from "./stage.ts";

/** The secrets of a stage. */
export type Secrets = ReturnType<typeof secrets>;

/** Set with `sst secret set`, never in the repository. A deployment without a required secret fails and names it. */
export function secrets() {
  const mail = mailOf(join($cli.paths.root, "deployment.toml"));
  return {
    /** Who sends mails, and how. */
    mail,
    /** The password of the mail server; absent where deployment.toml names no user of one. */
    smtpPassword: mail?.smtp?.user === undefined ? undefined : new sst.Secret("SmtpPassword"),
    /** 32 bytes in Base64: the key that seals client secrets. */
    sealKey: new sst.Secret("SealKey"),
    /** Former sealing keys, comma-separated. Without them, what they sealed cannot be read. */
    formerSealKeys: new sst.Secret("FormerSealKeys", "none"),
    /** The first administrator's password; read only by the first deployment of the stage. */
    adminPassword: new sst.Secret("AdminPassword"),
    /** The passwords of the directories that deployment.toml declares, by variable. */
    directoryPasswords: directoryPasswords(join($cli.paths.root, "deployment.toml")).map((variable) => ({
      variable,
      secret: new sst.Secret(secretNameOf(variable)),
    })),
  };
}

/**
 * The key that encrypts the variables with secrets (decision 0033). A reader of a function's configuration sees them
 * only with `kms:Decrypt` on this key, which AWS's policy `ReadOnlyAccess` does not include.
 */
export function variablesKey({ name, removal }: Stage) {
  const key = new aws.kms.Key("VariablesKey", {
    description: `Encrypts the secrets in the variables of ${$app.name}-${name}`,
    enableKeyRotation: true,
    deletionWindowInDays: removal === "retain" ? 30 : 7,
  });
  new aws.kms.Alias("VariablesKeyAlias", { name: `alias/${$app.name}-${name}`, targetKeyId: key.keyId });
  return key;
}
