/**
 * The command `identity-admin` (docs/command-line.md): administers a service through its API. Answers go to standard
 * output, everything else to standard error; `frame/errors.ts` has the exit codes.
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
import { type CommandError, exitCodes, explained, wrongInput } from "./frame/errors.ts";
import { asTyped, plain } from "./frame/output.ts";
import { declareTenant } from "./tenant/command.ts";
import { version } from "./version.ts";

/** The whole command line, without running anything. */
export function programOf(): Command {
  const program = new Command("identity-admin")
    .description("Administers the Identity Admin API: users, groups, roles, applications, APIs, tenants.")
    .version(version)
    .option(
      "--url <origin>",
      "the service (default: IDENTITY_ADMIN_URL, the one stored by login, or http://127.0.0.1:3000)",
    )
    .option("--tenant <domain>", "the tenant (default: IDENTITY_ADMIN_TENANT, or the one stored by login)")
    .option("--json", "print JSON")
    .option("--quiet", "print only results and errors")
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
  onInterrupt(program);
  try {
    refuseSecrets(args);
    await program.parseAsync([...args], { from: "user" });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongInput;
    return told(explained(error, program.opts().url ?? process.env.IDENTITY_ADMIN_URL));
  }
}

/** Writes what is wrong and what to do next, and returns the exit code. */
function told({ message, next, code }: CommandError): number {
  for (const line of [message, next ?? ""].join("\n").split("\n")) {
    if (line !== "") process.stderr.write(`${plain(asTyped(line))}\n`);
  }
  return code;
}

/**
 * Options that would carry a secret. No command has them, and the message about an unknown option would repeat their
 * value, or suggest another option of a similar name.
 */
const SECRET_OPTION = /^--(password|passwd|secret|client-secret|token|access-token)(=|$)/;

/** Throws a `CommandError` for a secret among the arguments. */
function refuseSecrets(args: readonly string[]): void {
  const end = args.indexOf("--");
  const found = (end < 0 ? args : args.slice(0, end)).find((arg) => SECRET_OPTION.test(arg));
  if (found === undefined) return;
  const [option] = found.split("=");
  throw wrongInput(
    `${option} is not an option: arguments appear in the shell history and in process lists.`,
    "Write the secret to standard input, with --password-stdin or --secret-stdin (see --help). " +
      "To create a user who cannot sign in with a password, use --no-password.",
  );
}

/**
 * Ctrl-C ends the command with a sentence and the exit code of shells. `changes tail --follow` ends so by design, and
 * says nothing.
 */
function onInterrupt(program: Command): void {
  process.once("SIGINT", () => {
    const isFollowing = everyCommand(program).some((command) => command.opts().follow === true);
    if (!isFollowing)
      process.stderr.write("\nInterrupted. Finished work is kept; run the same command again to continue.\n");
    process.exit(exitCodes.interrupted);
  });
}
