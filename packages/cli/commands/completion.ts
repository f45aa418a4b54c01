/** `completion`: scripts for bash and zsh. They complete commands and options, and ask no service. */
import { Argument, type Command } from "commander";
import { action } from "../frame/frame.ts";

/** Declares the command. It describes all commands that are declared when it runs. */
export function declareCompletion(program: Command): void {
  const completion = program
    .command("completion")
    .description("print a script that completes this command: source <(identity-admin completion bash)")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh"]));
  action<object, ["bash" | "zsh"]>(completion, async ({ out }, shell) => {
    const script = shell === "bash" ? bash(program) : zsh(program);
    if (out.isJson) out.value({ shell, script });
    else process.stdout.write(script);
  });
}

/** The words that can follow each command, by its path. */
function wordsOf(program: Command): readonly (readonly [path: string, words: readonly string[]])[] {
  const globals = flagsOf(program);
  const below = (command: Command, path: string): readonly (readonly [string, readonly string[]])[] => [
    [path, [...command.commands.map((one) => one.name()), ...flagsOf(command), "--help", ...(path ? globals : [])]],
    ...command.commands.flatMap((one) => below(one, path ? `${path} ${one.name()}` : one.name())),
  ];
  return below(program, "");
}

function flagsOf(command: Command): readonly string[] {
  return command.options.flatMap(({ long }) => long ?? []);
}

/** The words before the cursor that are commands choose the line of the table. */
function bash(program: Command): string {
  return `# Completion of identity-admin for bash: source <(identity-admin completion bash)
_identity_admin() {
  local current=\${COMP_WORDS[COMP_CWORD]} path= word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
${pathsCase(program, "path")}
    esac
  done
  case $path in
${wordsCase(program)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _identity_admin identity-admin
`;
}

function zsh(program: Command): string {
  return `#compdef identity-admin
# Completion of identity-admin for zsh: source <(identity-admin completion zsh)
_identity_admin() {
  local current=\${words[CURRENT]} path_= word list
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${path_:+$path_ }$word" in
${pathsCase(program, "path_")}
    esac
  done
  case $path_ in
${wordsCase(program).replaceAll("words=", "list=")}
  esac
  compadd -- \${=list}
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u }
compdef _identity_admin identity-admin
`;
}

function pathsCase(program: Command, variable: string): string {
  const paths = wordsOf(program).flatMap(([path]) => (path ? `"${path}"` : []));
  return `      ${paths.join("|")}) ${variable}="\${${variable}:+$${variable} }$word" ;;`;
}

function wordsCase(program: Command): string {
  return wordsOf(program)
    .map(([path, words]) => `    "${path}") words="${words.join(" ")}" ;;`)
    .join("\n");
}
