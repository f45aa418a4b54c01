/** The files of the page at `/`, which a deployment builds. */
import { execFileSync } from "node:child_process";

let built: string | undefined;

/** Builds the files, once for each evaluation, by the project's own Node. Returns their directory. */
export function frontDirectory(): string {
  built ??= execFileSync("npm", ["run", "--silent", "front"], { cwd: $cli.paths.root, encoding: "utf8" }).trim();
  return built;
}
