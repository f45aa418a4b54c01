/** What a stage is made of, in the order in which one part needs another. */
import { api } from "./api.ts";
import { table } from "./data.ts";
import { certified, mutualTls } from "./domains.ts";
import { firstAdministrator } from "./founding.ts";
import { functions } from "./functions.ts";
import { monitoring } from "./monitoring/index.ts";
import { secrets } from "./secrets.ts";
import { settingsOf, stageOf } from "./stage.ts";

/** Makes the stage that SST was called for. Answers what a deploying person wants to know next. */
export function deploy() {
  const stage = stageOf($app.stage);
  if ($dev && stage.kind !== "personal") {
    throw new Error(`sst dev answers from this machine, which is not for ${stage.name}: choose a stage of your own.`);
  }
  const settings = settingsOf(process.env);
  const { domains } = settings;
  const ours = secrets();
  const data = table(stage, settings);
  const made = functions({ stage, settings, table: data, secrets: ours });
  const domain = domains && certified("Api", domains.api, domains.zoneId);
  const gateway = api({ stage, functions: made, domain });
  const mtls = domains && mutualTls(gateway, stage, domains);
  if (stage.isWatched) monitoring({ stage, settings, gateway, table: data, functions: made });
  firstAdministrator(made.founding, settings, ours);
  return {
    url: gateway.url,
    ...(mtls && { mtlsUrl: $interpolate`https://${mtls.domainName}` }),
    table: data.name,
  };
}
