/**
 * Environments that are kept started (provisioned concurrency). They belong to versions: Lambda refuses them for an
 * alias whose traffic is shared.
 */
import type { Provisioned } from "../../../stacks/traffic.ts";
import type { Fleet, Kept, Live } from "./fleet.ts";
import { allOf } from "./going-back.ts";

/** Waits so many milliseconds; rejects if the run is interrupted. */
export type Wait = (ms: number) => Promise<void>;

const POLL_MS = 10_000;
/** AWS starts some hundred environments a minute. */
const POLLS_MAX = 90;

/**
 * Keeps environments of these versions started, and waits until they are. Throws an `Error` for people where AWS cannot
 * start them.
 */
export async function keepStarted(
  fleet: Fleet,
  versions: readonly { readonly live: Live; readonly version: string }[],
  provisioned: Provisioned,
  wait: Wait,
): Promise<void> {
  await allOf(
    versions.map(async ({ live, version }) => {
      const count = provisioned[live.service] ?? 0;
      if (count === 0) return;
      const kept = await fleet.keptOf(live);
      if (kept.find((each) => each.version === version)?.count !== count) await fleet.keep(live, version, count);
      for (let polls = 0; ; polls += 1) {
        const now = (await fleet.keptOf(live)).find((each) => each.version === version);
        if (now?.status === "READY") return;
        if (now?.status === "FAILED" || polls === POLLS_MAX) throw new Error(notStarted(live, version, count, now));
        await wait(POLL_MS);
      }
    }),
  );
}

/** Keeps no other versions started than those with the traffic, and those as often as the settings say. */
export async function keepOnlyLive(
  fleet: Fleet,
  functions: readonly Live[],
  provisioned: Provisioned,
  print: (line: string) => void,
): Promise<void> {
  await allOf(
    functions.map(async (live) => {
      const wanted = provisioned[live.service] ?? 0;
      const kept = await fleet.keptOf(live);
      for (const { version } of kept.filter((each) => each.version !== live.version)) {
        await fleet.keep(live, version, 0);
        print(`${live.service.padEnd(24)}keeps version ${version} no longer started`);
      }
      const now = kept.find(({ version }) => version === live.version)?.count ?? 0;
      if (now === wanted) return;
      await fleet.keep(live, live.version, wanted);
      print(`${live.service.padEnd(24)}keeps ${wanted} of version ${live.version} started`);
    }),
  );
}

function notStarted({ service }: Live, version: string, count: number, kept: Kept | undefined): string {
  const reason = kept?.reason ?? "they were not ready in time";
  return `AWS did not start ${count} environments of ${service}, version ${version}: ${reason}. Raise the quota, or lower PROVISIONED_CONCURRENCY.`;
}
