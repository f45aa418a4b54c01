/** References to secrets: files name where a secret is, and never have it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { wrongInput } from "../frame/errors.ts";

const run = promisify(execFile);
const REFERENCE = /^\$\{(env|ssm):([^}]+)\}$/;

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
  const [, source, name = ""] = REFERENCE.exec(reference) ?? [];
  if (source === "env") {
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
