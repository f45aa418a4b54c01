/** Measures the database costs of SCIM over HTTP, in a tenant with a given number of users. */
import { copyFile, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause } from "#core/kernel/clock.ts";
import { exists, tableFileIn } from "../../local/data-directory.ts";
import { sealKey } from "../../local/seal-key.ts";
import { startService, TABLE_NAME } from "../../local/service.ts";
import { callWith, costOf, heard, inMemory, isAuthorizer, type Sent } from "./calls.ts";
import { type Dataset, datasetOf } from "./dataset.ts";
import { importItems } from "./import.ts";
import type { Row } from "./report.ts";
import { groupCalls, NAMES_SETTLED_MS, type ScimCall, userCalls } from "./users-calls.ts";
import { type Walk, walks } from "./walks.ts";

/** The result of one call. */
interface Measured extends Pick<Row, "cost" | "ms"> {
  readonly body: unknown;
}

interface Listed {
  readonly totalResults?: number;
  readonly nextCursor?: string;
  readonly Resources?: readonly unknown[];
}

/** Measures SCIM with `size` users. The cache directory stores the data for later runs. */
export async function measureUsers(size: number, cache?: string): Promise<readonly Row[]> {
  const dataset = datasetOf(size);
  const directory = await dataFor(dataset, cache);
  try {
    const service = await startService({ ...inMemory, dataDirectory: directory });
    try {
      const { rows, run, walk, measured } = measuring(service.url, size);
      // Verifies the password once, which is not measured.
      await measured("GET", { path: "/scim2/ServiceProviderConfig" });
      for (const each of userCalls(dataset)) await run(each);
      for (const each of await groupCalls(dataset, run)) await run(each);
      // Groups were renamed: the container reads again which names are current.
      await measured("GET", { path: "/scim2/Users?count=1" });
      await pause(NAMES_SETTLED_MS);
      for (const each of walks(dataset)) await walk(each);
      return rows;
    } finally {
      await service.close();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** A directory with the data for one run, copied from the cache if there is one. */
async function dataFor(dataset: Dataset, cache: string | undefined): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "identity-admin-api-bench-"));
  const target = tableFileIn(directory);
  // Before the data, because the service refuses data without its key.
  await sealKey(directory);
  const load = (file: string) =>
    importItems(file, TABLE_NAME, `${dataset.size} users`, dataset.itemCount, dataset.items());
  if (cache === undefined) {
    await load(target);
  } else {
    await mkdir(cache, { recursive: true });
    const source = join(cache, `${dataset.size}-users.sqlite`);
    if (!(await exists(source))) {
      await load(`${source}.part`);
      await rename(`${source}.part`, source);
    }
    await copyFile(source, target);
  }
  return directory;
}

/**
 * Measures calls one after another. A failed call, or one with a wrong total, counts as over budget; the others
 * continue.
 */
function measuring(url: string, size: number) {
  const call = callWith(url);
  const rows: Row[] = [];
  const measured = async (method: string, sent: Sent): Promise<Measured> => {
    const { result, lines } = await heard(async () => {
      const before = performance.now();
      return { body: await call(method, sent), ms: performance.now() - before };
    });
    return { ...result, cost: costOf(lines.find((line) => !isAuthorizer(line))) };
  };
  const add = (name: string, budget: Row["budget"], { cost, ms }: Pick<Row, "cost" | "ms">) =>
    rows.push({ name, size, cost, budget, ms });
  const failed = (name: string, budget: Row["budget"], error: unknown) => {
    console.error(`${name}: ${error instanceof Error ? error.message : error}`);
    add(name, budget, { cost: costOf(undefined), ms: undefined });
  };

  const run = async ({ afterMs = 0, twice = false, ...rest }: ScimCall): Promise<unknown> => {
    const { name, method = "GET", path, body, budget, total } = rest;
    try {
      await pause(afterMs);
      if (twice) await measured(method, { path, body });
      const done = await measured(method, { path, body });
      const { totalResults } = (done.body ?? {}) as Listed;
      if (total !== undefined && totalResults !== total) {
        throw new Error(`totalResults is ${totalResults}, not ${total}`);
      }
      add(name, budget, done);
      return done.body;
    } catch (error) {
      failed(name, budget, error);
      return undefined;
    }
  };

  const pagesOf = async ({ path, total, pagesMax }: Walk): Promise<readonly Measured[]> => {
    const pages: Measured[] = [];
    let [cursor, seen] = ["", 0];
    do {
      const page = await measured("GET", { path: `${path}&cursor=${encodeURIComponent(cursor)}` });
      const { nextCursor = "", Resources = [] } = page.body as Listed;
      [cursor, seen] = [nextCursor, seen + Resources.length];
      pages.push(page);
    } while (cursor !== "" && pages.length < pagesMax);
    if (cursor === "" && seen !== total) throw new Error(`${seen} resources in ${pages.length} pages, not ${total}`);
    return pages;
  };

  /**
   * Adds a row for the first page, and one for the most expensive other page. Walks twice, so that group names are
   * known.
   */
  const walk = async (each: Walk): Promise<void> => {
    const { name, budget } = each;
    let pages: readonly Measured[] = [];
    try {
      await pagesOf(each);
      pages = await pagesOf(each);
    } catch (error) {
      failed(name, budget, error);
    }
    const [first, ...others] = pages;
    if (first) add(`${name}, first page`, budget, first);
    const [costliest] = others.sort(
      (a, b) => b.cost.roundTrips - a.cost.roundTrips || b.cost.readUnits - a.cost.readUnits,
    );
    if (costliest) add(`${name}, most expensive of ${others.length} more`, budget, costliest);
  };

  return { rows, run, walk, measured };
}
