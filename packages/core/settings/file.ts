/** The file deployment.toml. */
import { readFileSync } from "node:fs";
import { type Deployment, readDeployment } from "./deployment.ts";

/**
 * Reads a deployment.toml once, while a function starts: a function with wrong settings must not serve requests. Throws
 * an `Error` that names the file and every wrong key, or the line that is not TOML.
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
    // The authorizer checks the rules against the operations later; its refusals name the file too.
    return { ...deployment, access: { certificates, rules: rules.map((rule) => ({ ...rule, file: path })) } };
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new Error(`${path}: ${cause.message}`, { cause });
  }
}
