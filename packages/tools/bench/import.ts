/**
 * Creates the database file of the embedded engine from many items. The items are written in the format of DynamoDB
 * exports: the import of the engine is some ten times faster than requests.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SingleBar } from "cli-progress";
import { toStored } from "#core/database/table/client/values.ts";
import type { Item } from "#core/database/table/table.ts";
import { findProgram } from "../../local/engine.ts";

const CHARACTERS_PER_WRITE = 1_000_000;
const POLL_MS = 500;
/** Bytes of the database file per byte of an export, estimated for the progress bar. */
const FILE_FOR_EXPORT = 1.1;

/** Creates the file, which must not exist, with a table of these items. `count` is the total of the progress bar. */
export async function importItems(
  file: string,
  tableName: string,
  title: string,
  count: number,
  items: Iterable<Item>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "identity-admin-api-import-"));
  try {
    const data = join(directory, "export", tableName, "data");
    await mkdir(data, { recursive: true });
    const schema = join(directory, "schema.json");
    await writeFile(schema, JSON.stringify(schemaOf(tableName)));
    const exported = join(data, "items.json");
    await writeExport(exported, title, count, items);
    await runImport(join(directory, "export"), schema, file, (await bytesOf(exported)) * FILE_FOR_EXPORT);
  } finally {
    await rm(directory, { recursive: true });
  }
}

function schemaOf(tableName: string) {
  return {
    Table: {
      TableName: tableName,
      AttributeDefinitions: ["PK", "SK"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: [
        { AttributeName: "PK", KeyType: "HASH" },
        { AttributeName: "SK", KeyType: "RANGE" },
      ],
      TableStatus: "ACTIVE",
      BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
    },
  };
}

async function writeExport(file: string, title: string, count: number, items: Iterable<Item>): Promise<void> {
  const bar = newBar(title);
  bar.start(count, 0);
  const out = createWriteStream(file);
  let [text, written] = ["", 0];
  const flush = async () => {
    if (!out.write(text)) await once(out, "drain");
    text = "";
    bar.update(Math.min(written, count));
  };
  for (const item of items) {
    text += `${JSON.stringify({ Item: toStored(item) })}\n`;
    written += 1;
    if (text.length > CHARACTERS_PER_WRITE) await flush();
  }
  await flush();
  out.end();
  await once(out, "finish");
  bar.stop();
}

async function runImport(source: string, schema: string, output: string, expectedBytes: number): Promise<void> {
  const bar = newBar("import");
  bar.start(expectedBytes, 0);
  const polling = setInterval(async () => bar.update(Math.min(expectedBytes, await bytesOf(output))), POLL_MS);
  const args = ["import", "--source", source, "--schema", schema, "--output", output];
  const child = spawn(await findProgram(), args, { stdio: ["ignore", "ignore", "pipe"] });
  let errorOutput = "";
  child.stderr.on("data", (data: Buffer) => {
    errorOutput += data.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  clearInterval(polling);
  bar.stop();
  if (code !== 0) throw new Error(`The import failed with code ${code}: ${errorOutput.trim()}`);
}

function newBar(title: string): SingleBar {
  return new SingleBar({ format: `${title} {bar} {percentage} %`, clearOnComplete: true, stream: process.stderr });
}

function bytesOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
