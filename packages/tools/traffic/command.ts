/** What `npm run shift` and `npm run rollback` share: the command line, the settings, and the stage. */
import { parseArgs } from "node:util";
import { type Stage, settingsOf, stageOf } from "../../../stacks/stage.ts";
import { environmentFiles, merged } from "../deploy/doctor-settings.ts";
import { messageOf } from "./going-back.ts";

/** A wrong command line, or a stage without shifts. The message is for people. */
export class Refused extends Error {}

/** A command line. */
export interface Options {
  readonly stage: Stage;
  readonly isDry: boolean;
  readonly ignoresAlarms: boolean;
}

/** Reads a command line. Throws `Refused`. */
export function optionsOf(words: readonly string[], usage: string, flags: readonly "ignore-alarms"[] = []): Options {
  const { stage, "dry-run": isDry, "ignore-alarms": ignoresAlarms } = parsed(words, usage, flags);
  if (typeof stage !== "string" || stage === "") throw new Refused(usage);
  const kind = stageOrRefusal(stage);
  if (!kind.isShifted) {
    throw new Refused(
      `The traffic of ${stage} moves with each deployment. To go back, check out the former commit and deploy it.`,
    );
  }
  return { stage: kind, isDry: isDry === true, ignoresAlarms: ignoresAlarms === true };
}

function parsed(words: readonly string[], usage: string, flags: readonly string[]) {
  try {
    const options = Object.fromEntries(["dry-run", ...flags].map((name) => [name, { type: "boolean" as const }]));
    const { values } = parseArgs({ args: [...words], options: { stage: { type: "string" as const }, ...options } });
    return values as Readonly<Record<string, string | boolean | undefined>>;
  } catch (error) {
    throw new Refused(`${messageOf(error)}\n\n${usage}`);
  }
}

function stageOrRefusal(name: string): Stage {
  try {
    return stageOf(name);
  } catch (error) {
    throw new Refused(messageOf(error));
  }
}

/** The settings of the traffic of a stage: from the shell, and from `.env.<stage>`. Throws an `Error` for people. */
export function trafficOf(stage: Stage, root: string, shell: NodeJS.ProcessEnv) {
  const { SHIFT, SHIFT_MINUTES, PROVISIONED_CONCURRENCY, AUTHORIZER_CONCURRENCY, SIGN_IN_CONCURRENCY } = merged(
    shell,
    environmentFiles(root, stage.name),
  );
  const variables = { SHIFT, SHIFT_MINUTES, PROVISIONED_CONCURRENCY, AUTHORIZER_CONCURRENCY, SIGN_IN_CONCURRENCY };
  return settingsOf(variables, stage);
}
