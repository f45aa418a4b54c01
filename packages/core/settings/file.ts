/** The deployment.toml beside a function. */
import { readFileSync } from "node:fs";
import { type Deployment, readDeployment } from "./deployment.ts";

/**
 * Reads a deployment.toml once, while the function starts: a function with wrong settings must not answer at all.
 * Throws an `Error` that names the file, and the key or line that is wrong.
 */
export function deploymentFromFile(path: string): Deployment {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`DEPLOYMENT_TOML ${path} cannot be read: ${reason}`, { cause });
  }
  try {
    const deployment = readDeployment(text);
    const { rules, certificates } = deployment.access;
    // Whether rules hold is known once the operations are, which is later; it is told with the file's name all the same.
    return { ...deployment, access: { certificates, rules: rules.map((rule) => ({ ...rule, file: path })) } };
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new Error(`${path}: ${cause.message}`, { cause });
  }
}
