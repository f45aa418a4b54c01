/** `changes tail`: who changed what. */
import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import type { Api, ItemOf } from "#client/client.ts";
import { action } from "../frame/frame.ts";
import { wholeNumber } from "./kinds.ts";

type Change = ItemOf<"GET /api/server/v1/audit-events">;
const LAST = 20;
const POLL_MS = 2_000;
/** Paths of a change in its line. */
const PATHS_SHOWN = 20;

interface TailValues {
  readonly last: number;
  readonly follow?: boolean;
  readonly since?: string;
}

export function declareChanges(program: Command): void {
  const tail = program
    .command("changes")
    .description("changes of all resources")
    .command("tail")
    .description("show the latest changes, newest last")
    .option("--last <count>", "how many", wholeNumber, LAST)
    .option("--since <time>", "changes since a time, such as 2026-01-31T08:00:00Z, instead of the latest")
    .option("-f, --follow", "wait for new changes until you press Ctrl-C");
  action<TailValues, []>(tail, async ({ api, options, out }) => {
    const client = await api();
    const seen = new Set<string>();
    const show = (changes: readonly Change[]) => {
      for (const change of changes) {
        if (seen.has(change.id)) continue;
        seen.add(change.id);
        out.line(lineOf(change), change);
      }
      return changes.at(-1)?.time;
    };
    const { last, since, follow } = options;
    const first = since ? await changesSince(client, since) : (await newest(client, last)).toReversed();
    let until = show(first) ?? since ?? new Date().toISOString();
    while (follow) {
      await pause(POLL_MS);
      until = show(await changesSince(client, until)) ?? until;
    }
  });
}

function changesSince(api: Api, since: string): Promise<readonly Change[]> {
  return api.auditEvents.list({ since, order: "asc", limit: 1_000 }).all();
}

async function newest(api: Api, count: number): Promise<readonly Change[]> {
  const found: Change[] = [];
  for await (const change of api.auditEvents.list({ limit: Math.min(count, 1_000) })) {
    if (found.push(change) === count) break;
  }
  return found;
}

/** A change in one line. */
export function lineOf({
  time,
  actor,
  operation,
  resource,
  changes,
  changesTotalCount = changes.length,
}: Change): string {
  const paths = changes.map(({ path }) => path).filter((path) => path !== "");
  const what = `${resource.type} ${resource.name ?? resource.id}`;
  const others = paths.length - PATHS_SHOWN + changesTotalCount - changes.length;
  const more = paths.length > PATHS_SHOWN ? ` and ${others} more` : "";
  const list = paths.length > 0 ? `  ${paths.slice(0, PATHS_SHOWN).join(" ")}${more}` : "";
  return `${time}  ${actor.name ?? actor.id}  ${operation}  ${what}${list}`;
}
