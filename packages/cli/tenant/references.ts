/** References to secrets: files name where a secret is, and never have it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { wrongInput } from "../frame/errors.ts";

const run = promisify(execFile);
/**
 * Names as the environment and Systems Manager have them, and no other text: the command `aws` would read a name such
 * as `file://...` as the content of that file.
 */
const REFERENCE = /^\$\{(?:(env):([A-Za-z_]\w*)|(ssm):((?!-)(?:[\w.:-]|\/(?!\/))+))\}$/;
/** The credential of this program: a folder may come from others, and does not get it. */
const OWN = /^IDENTITY_ADMIN_(PASSWORD|CLIENT_SECRET|TOKEN)$/;

export function isReference(text: unknown): text is string {
  return typeof text === "string" && REFERENCE.test(text);
}

/** The reference that an export writes for a secret: the variable is named after its place. */
export function referenceFor(...place: readonly string[]): string {
  const name = place
    .join("_")
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toUpperCase();
  return `\${env:IDENTITY_ADMIN_SECRET_${name}}`;
}

/** The secret that a reference names. Throws a `CommandError` where there is none. */
export async function secretOf(reference: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const [, env, variable = "", , parameter = ""] = REFERENCE.exec(reference) ?? [];
  const name = env ? variable : parameter;
  if (env) {
    if (OWN.test(name)) {
      throw wrongInput(`${reference} is the credential of this program.`, "Keep the secret in another variable.");
    }
    const value = environment[name];
    if (!value) throw wrongInput(`The variable ${name} is not set.`, `Set it: a file refers to it as ${reference}`);
    return value;
  }
  try {
    const { stdout } = await run(
      "aws",
      ["ssm", "get-parameter", "--with-decryption", "--name", name, "--query", "Parameter.Value", "--output", "text"],
      { env: environment },
    );
    return stdout.replace(/\n$/, "");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw wrongInput(
      `The parameter ${name} cannot be read${isMissing ? ": the command aws is not installed" : ""}.`,
      `aws ssm get-parameter --with-decryption --name ${name}`,
    );
  }
}
