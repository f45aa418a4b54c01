/** Commands of documents, run by the shells of this machine: as a script, or as somebody pastes them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { project } from "./patient.ts";

/** `sh` ends at the first failure; bash and zsh are interactive, without settings of a user, and go on. */
export type Shell = "sh" | "bash" | "zsh";

const commands: Readonly<Record<Shell, readonly string[]>> = {
  sh: ["-eu"],
  bash: ["--norc", "--noprofile", "--noediting", "-i"],
  zsh: ["-f", "-i"],
};
/** What shells say of text that they do not take as it is meant. */
const MISUNDERSTOOD =
  /not found|no matches found|parse error|syntax error|bad (?:pattern|substitution)|event not found|unmatched|not a valid identifier/i;
/** Between the output of two blocks. */
const MARK = "@end-of-block";

/** Whether this machine has a program. */
export const has = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;

/** The blocks of a document in a language, in their order. */
export const blocksOf = (file: string, language = "sh"): string[] => {
  const text = readFileSync(join(project, file), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, block]) => block ?? "",
  );
};

/**
 * Pastes blocks, each after the other, and returns what each printed. Throws if the shell did not understand something;
 * with `sh` also if a command failed or said anything on standard error.
 */
export const pasted = async (
  shell: Shell,
  blocks: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string[]> => {
  const child = spawn(shell, commands[shell], {
    // Without a terminal: an interactive shell would stop the test to get hold of it.
    detached: true,
    cwd: options.cwd ?? project,
    env: { ...process.env, PS1: "", PS2: "", PROMPT_EOL_MARK: "", TERM: "dumb", ...options.env },
  });
  let [said, wrong] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    wrong += text;
  });
  child.stdin.end(blocks.map((block) => `${block}\necho "${MARK}"\n`).join(""));
  const [code] = await once(child, "close");
  const hasFailed = shell === "sh" && (code !== 0 || wrong.trim() !== "");
  if (hasFailed || MISUNDERSTOOD.test(wrong)) throw new Error(`${shell} ended with ${code}: ${wrong}\n${said}`);
  const parts = said.split(MARK).map((part) => part.trim());
  if (parts.length !== blocks.length + 1) throw new Error(`${shell} did not run every block: ${said}`);
  return parts.slice(0, -1);
};
