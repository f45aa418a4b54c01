/**
 * Records the table of a release: starts that release on an empty data directory, creates one of everything over its
 * API, and writes the rows, the sealing key and what was created as files. Usage, from the root of the project:
 *
 *     git worktree add ../before <tag or commit of the release> && ln -s $PWD/node_modules ../before/node_modules
 *     node tests/releases/record.ts ../before tests/data/releases/<release>
 *
 * Tokens that are valid for ten years need `max_access_token_lifetime = 315360000` in `[oauth]`: copy deployment.toml,
 * and set DEPLOYMENT_TOML to the copy.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type AttributeValue, DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { tableFileIn } from "#local/data-directory.ts";
import { clientFor } from "#local/database.ts";
import { startEngine } from "#local/engine.ts";
import { readSealKey } from "#local/seal-key.ts";
import { TABLE_NAME } from "#local/service.ts";
import { everything, sender } from "./everything.ts";
import { startRelease } from "./started.ts";

const [release, folder] = process.argv.slice(2);
if (release === undefined || folder === undefined) {
  throw new Error("usage: node tests/releases/record.ts <worktree of the release> <folder>");
}
const data = await mkdtemp(join(tmpdir(), "release-"));
try {
  const made = await createdBy(resolve(release));
  const rows = await rowsIn(data);
  process.stdout.write(`${rows.length} rows\n`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "table.jsonl"), `${rows.map(lineOf).join("\n")}\n`);
  const sealKey = await readSealKey(data);
  await writeFile(join(folder, "made.json"), `${JSON.stringify({ sealKey, ...made }, undefined, 2)}\n`);
} finally {
  await rm(data, { recursive: true, force: true });
}

/** Runs the release, and creates everything in it. */
async function createdBy(root: string) {
  const started = await startRelease(root, data);
  try {
    return await everything(sender(started.url));
  } finally {
    await started.stop();
  }
}

/** A row as JSON: bytes are texts in Base64, as in DynamoDB's own protocol. */
function lineOf(row: Readonly<Record<string, AttributeValue>>): string {
  return JSON.stringify(row, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
  );
}

/** The rows in the form of DynamoDB's API, in the order of their keys. */
async function rowsIn(directory: string) {
  const engine = await startEngine({ dataFile: tableFileIn(directory) });
  const client = new DynamoDBClient(clientFor(engine.endpoint));
  try {
    const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName: TABLE_NAME }));
    if (LastEvaluatedKey) throw new Error("the table is larger than one page: record less");
    const keyOf = ({ PK, SK }: (typeof Items)[number]) => `${PK?.S}\u0000${SK?.S}`;
    return Items.map((item) => Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))).sort(
      (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1),
    );
  } finally {
    client.destroy();
    await engine.stop();
  }
}
