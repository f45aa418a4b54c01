/** The parts of a stage, in the order of their dependencies. */
import { api } from "./api.ts";
import { backupCopies } from "./backup.ts";
import { firstAdministrator } from "./bootstrap.ts";
import { canary } from "./canary.ts";
import { table } from "./data.ts";
import { certified, mutualTls } from "./domains.ts";
import { feed } from "./feed.ts";
import { functions } from "./functions.ts";
import { monitoring } from "./monitoring/index.ts";
import { secrets, variablesKey } from "./secrets.ts";
import { checkDomain, checkRecipient, settingsOf, stageOf } from "./stage.ts";
import { checkTraffic } from "./traffic.ts";

/** Creates the stage that SST was called for. Returns the outputs that `sst deploy` prints. */
export function deploy() {
  const stage = stageOf($app.stage);
  if ($dev && stage.kind !== "personal") {
    throw new Error(`sst dev would serve ${stage.name} from this machine. Choose a stage of your own.`);
  }
  const settings = settingsOf(process.env, stage);
  checkDomain(stage, settings);
  checkTraffic(stage, process.env);
  checkRecipient(stage, settings);
  const { domains } = settings;
  const ours = secrets();
  const data = table(stage, settings);
  backupCopies(stage, settings, data);
  const parts = {
    stage,
    settings,
    table: data,
    secrets: ours,
    variablesKey: stage.hasOwnKey ? variablesKey(stage) : undefined,
  };
  const made = functions(parts);
  const domain = domains && certified("Api", domains.api, domains.zoneId);
  const gateway = api({ stage, functions: made, domain });
  const changes = feed({ ...parts, origin: gateway.url });
  const mtls = domains && mutualTls(gateway, stage, domains);
  const certificates = [
    ...(domain ? [{ name: "Api" as const, arn: domain.certificateArn }] : []),
    ...(mtls ? [{ name: "Mtls" as const, arn: mtls.certificateArn }] : []),
  ];
  if (stage.isWatched)
    monitoring({ stage, settings, gateway, table: data, certificates, functions: made, feed: changes });
  firstAdministrator(made.bootstrap.lambda, settings, ours);
  canary({ ...parts, url: gateway.url });
  return {
    url: gateway.url,
    ...(mtls && { mtlsUrl: $interpolate`https://${mtls.domain.domainName}` }),
    table: data.name,
    eventBus: changes.bus.name,
    ...(stage.isShifted && { next: `npm run shift -- --stage ${stage.name}` }),
  };
}
