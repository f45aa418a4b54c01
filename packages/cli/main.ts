/**
 * The command `identity-admin` (docs/command-line.md): administers a service through its API. Answers go to standard
 * output, everything else to standard error; `frame/exit-codes.ts` has the exit codes.
 */
import { Command, CommanderError } from "commander";
import { declareChanges } from "./commands/changes.ts";
import { declareCollections } from "./commands/collections.ts";
import { declareCompletion } from "./commands/completion.ts";
import { declareDoctor } from "./commands/doctor.ts";
import { declareFiles } from "./commands/files.ts";
import { declareMembers } from "./commands/members.ts";
import { declareSeed } from "./commands/seed/seed.ts";
import { declareSession } from "./commands/session.ts";
import { explained } from "./frame/errors.ts";
import { exitCodes } from "./frame/exit-codes.ts";
import { plain } from "./frame/output.ts";
import { declareTenant } from "./tenant/command.ts";
import { version } from "./version.ts";

/** The whole command line, without running anything. */
export function programOf(): Command {
  const program = new Command("identity-admin")
    .description("Administers the Identity Admin API: users, groups, roles, applications, APIs, tenants.")
    .version(version)
    .option("--url <origin>", "the service (default: IDENTITY_ADMIN_URL, what login stored, http://127.0.0.1:3000)")
    .option("--tenant <domain>", "the tenant (default: IDENTITY_ADMIN_TENANT, what login stored)")
    .option("--json", "print JSON")
    .option("--quiet", "print answers and errors alone")
    .option("--allow-http", "send the credential to another machine without TLS")
    .showHelpAfterError("(add --help for all options)")
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText(
      "after",
      "\nExit codes: 0 done, 1 failed, 2 a plan has changes, 3 wrong input, 4 sign in, 5 scope missing,\n" +
        "6 not found, 7 conflict, 8 service unreachable, 130 cancelled.",
    );
  declareSession(program);
  const parents = declareCollections(program);
  declareMembers(parents);
  declareChanges(program);
  declareFiles(program, parents.users);
  declareTenant(program);
  declareSeed(program);
  declareDoctor(program);
  declareCompletion(program);
  for (const command of everyCommand(program))
    command.exitOverride().allowExcessArguments(false).configureHelp({ showGlobalOptions: true });
  return program;
}

/** A command with all below it. */
export function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** Runs a command line, and returns its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const program = programOf();
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongInput;
    const { message, next, code } = explained(error, program.opts().url ?? process.env.IDENTITY_ADMIN_URL);
    for (const line of [message, next ?? ""].join("\n").split("\n")) {
      if (line !== "") process.stderr.write(`${plain(line)}\n`);
    }
    return code;
  }
}
