/** What a deployment's directories need of a stage: a secret for each password. Pure but for the file that is read. */
import { deploymentFromFile } from "#core/settings/file.ts";

/** The variables with the passwords of the directories that a deployment.toml declares. Throws as the functions do at their start. */
export function directoryPasswords(file: string): readonly string[] {
  return [...new Set(deploymentFromFile(file).userStores.flatMap(({ directory }) => directory?.passwordEnv ?? []))];
}

/** The secret of a variable: `CORP_DIRECTORY_PASSWORD` is `CorpDirectoryPassword`. */
export function secretNameOf(variable: string): string {
  return variable
    .split("_")
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join("");
}
