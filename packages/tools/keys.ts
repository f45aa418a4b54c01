/**
 * `npm run keys -- list | rotate [--now] | drop <id>`: the keys that sign access tokens (decision 0020). With TABLE_NAME and
 * SEAL_KEY set it works on a deployment; otherwise on the data of the local service, which must not be running; it makes none.
 */
import { resolve } from "node:path";
import { systemClock } from "#core/platform/clock.ts";
import { newSeal, type Seal } from "#core/platform/seal.ts";
import { openTable } from "#core/table/dynamo.ts";
import { newMeter } from "#core/table/meter.ts";
import type { Table } from "#core/table/table.ts";
import { acceptedUntilMs, LEAD_MS, type Ring, type RingKey, signerAt } from "#core/tokens/key-ring.ts";
import { keyStore, readRing } from "#core/tokens/key-store.ts";
import { seal as deployedSeal, tableConfig } from "#functions/env.ts";
import { DataInUse } from "../local/file-lock.ts";
import { isThere, tableFileIn } from "../local/data-directory.ts";
import { clientFor } from "../local/database.ts";
import { type Engine, startEngine } from "../local/engine.ts";
import { existingSealKey } from "../local/seal-key.ts";
import { TABLE_NAME } from "../local/service.ts";
import { readSettings } from "../local/settings.ts";

const PATIENCE = { callMs: 9_000, requestMs: 25_000 };

/** Where the keys are, and how to let go of it. */
interface Place {
  readonly table: Table;
  readonly seal: Seal;
  close(): Promise<void>;
}

const USAGE = "npm run keys -- list | rotate [--now] | drop <id>";

if (import.meta.main) {
  try {
    const place = process.env.TABLE_NAME ? deployment() : await local(process.env);
    try {
      console.log(await manageKeys(process.argv.slice(2), place, systemClock.now()));
    } finally {
      await place.close();
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** Does what the words ask for. Answers what to print. Throws an `Error` with a sentence for people. */
export async function manageKeys(
  words: readonly string[],
  { table, seal }: Pick<Place, "table" | "seal">,
  nowMs: number,
): Promise<string> {
  const [verb, word] = words;
  const keys = keyStore(table, seal);
  const list = async () => {
    const ring = await readRing(table);
    return ring.map((key) => `${key.kid}  ${stateOf(ring, key, nowMs)}`).join("\n") || "There is no key yet.";
  };
  if (verb === "list" && words.length === 1) return list();
  if (verb === "rotate" && words.length <= 2 && (word === undefined || word === "--now")) {
    // Where there is none yet, the first key is made by the first token.
    await keys.open(nowMs);
    await keys.add(nowMs, word === "--now" ? nowMs : nowMs + LEAD_MS);
    return list();
  }
  if (verb === "drop" && word !== undefined && words.length === 2) {
    if (!(await keys.drop(word, nowMs))) throw new Error(`There is no key ${word}.`);
    return `${await list()}\nTokens of the key that was dropped are refused within 30 seconds.`;
  }
  throw new Error(USAGE);
}

function stateOf(ring: Ring, key: RingKey, nowMs: number): string {
  if (key.signsFromMs > nowMs) return `signs from ${time(key.signsFromMs)}`;
  if (key === signerAt(ring, nowMs)) return "signs";
  return `is accepted until ${time(acceptedUntilMs(ring, key))}`;
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

function deployment(): Place {
  return {
    table: openTable(tableConfig(PATIENCE))(newMeter()),
    seal: deployedSeal(),
    close: async () => undefined,
  };
}

async function local(environment: NodeJS.ProcessEnv): Promise<Place> {
  const { endpoint, dataDirectory } = readSettings(environment);
  if (!dataDirectory) throw new Error("DATA_DIR is :memory:, so there is nothing to keep keys in.");
  const key = await existingSealKey(dataDirectory);
  const engine = endpoint ? undefined : await openData(dataDirectory);
  const config = {
    tableName: TABLE_NAME,
    deadlineMs: PATIENCE.callMs,
    client: clientFor(engine?.endpoint ?? endpoint ?? ""),
  };
  return {
    table: openTable(config)(newMeter()),
    seal: newSeal(Buffer.from(key, "base64")),
    close: async () => engine?.stop(),
  };
}

/** Opens the data of a local service; makes none. */
async function openData(dataDirectory: string): Promise<Engine> {
  const dataFile = tableFileIn(dataDirectory);
  if (!(await isThere(dataFile))) {
    throw new Error(`There is no ${resolve(dataFile)}: set DATA_DIR to the directory that the service runs on.`);
  }
  try {
    return await startEngine({ dataFile });
  } catch (error) {
    if (!(error instanceof DataInUse)) throw error;
    throw new Error(`The service holds its data while it runs: stop it first (process ${error.pid}).`, {
      cause: error,
    });
  }
}
