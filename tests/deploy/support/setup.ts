/** Evaluates every stage that the tests use, and provides the results to them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { issueAuthority } from "#local/issue.ts";
import { evaluate, secrets } from "./evaluate.ts";

/** A production stage with both domains. */
const production = {
  ...secrets,
  API_DOMAIN: "api.example.com",
  MTLS_DOMAIN: "mtls.example.com",
  HOSTED_ZONE_ID: "Z0EXAMPLE",
  AUTHORIZER_CONCURRENCY: "200",
  ALARM_EMAIL: "operators@example.com",
  BACKUP_COPY_TO: "arn:aws:backup:eu-west-1:210987654321:backup-vault:copies",
};

export const setup = async ({ provide }: TestProject): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), "truststore-"));
  const TRUSTSTORE_FILE = join(directory, "truststore.pem");
  // The authority that the project's deployment.toml names.
  await writeFile(TRUSTSTORE_FILE, (await issueAuthority("Identity Admin API development CA")).certificate);
  provide("stages", {
    production: await evaluate({ stage: "production", environment: { ...production, TRUSTSTORE_FILE } }),
    staging: await evaluate({ stage: "staging" }),
    dana: await evaluate({ stage: "dana" }),
    "dana, live": await evaluate({ stage: "dana", isLive: true }),
  });
  await rm(directory, { recursive: true });
};
