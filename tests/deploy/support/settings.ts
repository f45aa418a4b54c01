/** The settings of the stages that tests evaluate. */
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueAuthority } from "#local/issue.ts";
import { secrets } from "./evaluate.ts";

/** Those of production, with both domains. Its truststore is a file in a new folder, which the caller may remove. */
export const production = async () => {
  const TRUSTSTORE_FILE = join(await mkdtemp(join(tmpdir(), "truststore-")), "truststore.pem");
  // The authority that the project's deployment.toml names.
  await writeFile(TRUSTSTORE_FILE, (await issueAuthority("Identity Admin API development CA")).certificate);
  return {
    ...secrets,
    TRUSTSTORE_FILE,
    API_DOMAIN: "api.example.com",
    MTLS_DOMAIN: "mtls.example.com",
    HOSTED_ZONE_ID: "Z0EXAMPLE",
    ALARM_EMAIL: "operators@example.com",
    BACKUP_COPY_TO: "arn:aws:backup:eu-west-1:210987654321:backup-vault:copies",
  };
};
