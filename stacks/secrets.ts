import { join } from "node:path";
import { directoryPasswords, secretNameOf } from "./directories.ts";

/** The secrets of a stage. */
export type Secrets = ReturnType<typeof secrets>;

/** What is set with `sst secret set`, and never stands in the repository. A deployment without one that is needed fails and names it. */
export function secrets() {
  return {
    /** 32 bytes in Base64: what client secrets are sealed under. */
    sealKey: new sst.Secret("SealKey"),
    /** What they were sealed under before, by commas: without it those are unreadable. */
    formerSealKeys: new sst.Secret("FormerSealKeys", "none"),
    /** Of the first administrator; read when the stage is deployed for the first time. */
    adminPassword: new sst.Secret("AdminPassword"),
    /** Of the directories that deployment.toml declares, by their variables. */
    directoryPasswords: directoryPasswords(join($cli.paths.root, "deployment.toml")).map((variable) => ({
      variable,
      secret: new sst.Secret(secretNameOf(variable)),
    })),
  };
}
