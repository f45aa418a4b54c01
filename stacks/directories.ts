/**
 * The secrets that a stage needs for the directories of its deployment.toml. Pure except for the file that it reads.
 */
import { deploymentFromFile } from "#core/settings/deployment.ts";

/** The variables with the passwords of the declared directories. Throws like the functions at their start. */
export function directoryPasswords(file: string): readonly string[] {
  return [...new Set(deploymentFromFile(file).userStores.flatMap(({ directory }) => directory?.passwordEnv ?? []))];
}

/** The name of the secret of a variable: `CorpDirectoryPassword` for `CORP_DIRECTORY_PASSWORD`. */
export function secretNameOf(variable: string): string {
  return variable
    .split("_")
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join("");
}
