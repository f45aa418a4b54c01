/**
 * `npm run rollback -- --stage <stage>`: gives all traffic back to the versions that had it before the latest shift
 * (decision 0071). Needs no build: the versions are on AWS. `USAGE` has the options. Needs AWS_REGION and credentials
 * that may read and change aliases. Exit codes: 0 done, 1 refused or failed (run it again).
 */
import { optionsOf, Refused, trafficOf } from "./command.ts";
import { openFleet } from "./fleet.ts";
import { goBack, latestOf, messageOf, stateOf } from "./going-back.ts";
import { keepOnlyLive } from "./kept.ts";

const USAGE = `npm run rollback -- --stage <stage> [--dry-run]

  --stage <stage>  production or staging
  --dry-run        say what each function serves and what would be done, and change nothing

Gives all traffic back to the versions before the latest shift, also one that is not complete. Functions that it did
not change stay. Run it again to go back one shift more. It changes neither the table nor deployment.toml of other
versions: docs/upgrading.md says for each release whether the one before can serve the same table.`;

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  try {
    const { stage, isDry } = optionsOf(words, USAGE);
    const fleet = openFleet(stage.name);
    try {
      const functions = await fleet.read();
      for (const live of functions) console.log(stateOf(live));
      const latest = latestOf(functions);
      if (!latest) throw new Error("no shift is recorded, so there is no version to go back to.");
      console.log(`${isDry ? "Would take" : "Takes"} back the shift of ${latest.at}:`);
      for (const { service, shifts } of latest.changed)
        console.log(`${service.padEnd(24)}to version ${shifts[0]?.from}`);
      if (isDry) return 0;
      await goBack(fleet, latest.at, console.log);
      // Last, so that no mistake in the settings stands in the way.
      const { provisioned } = trafficOf(stage, process.cwd(), process.env);
      await keepOnlyLive(fleet, await fleet.read(), provisioned, console.log);
      console.log("Done. The next deployment and npm run shift move the traffic to new versions again.");
      return 0;
    } finally {
      fleet.close();
    }
  } catch (error) {
    console.error(error instanceof Refused ? error.message : `npm run rollback failed: ${messageOf(error)}`);
    return 1;
  }
}
