/** What SCIM costs in the database, called over HTTP on a tenant of so many users. */
import { copyFile, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause } from "#core/platform/clock.ts";
import { sealKey } from "../../local/seal-key.ts";
import { startService, TABLE_NAME } from "../../local/service.ts";
import { administrator, callWith, costOf, isAuthorizer, listening, type Sent } from "./calls.ts";
import { type City, cityOf } from "./dataset.ts";
import { importItems } from "./import.ts";
import type { Row } from "./report.ts";
import { groupCalls, NAMES_SETTLED_MS, type ScimCall, userCalls, type Walk, walks } from "./users-calls.ts";

const DATABASE = "table.sqlite";

/** What one call came by. */
interface Measured extends Pick<Row, "cost" | "ms"> {
  readonly body: unknown;
}

interface Listed {
  readonly totalResults?: number;
  readonly nextCursor?: string;
  readonly Resources?: readonly unknown[];
}

/** Measures SCIM with `size` users. `kept` is a directory that keeps what was loaded for another run. */
export async function measureUsers(size: number, kept?: string): Promise<readonly Row[]> {
  const city = cityOf(size);
  const directory = await dataFor(city, kept);
  try {
    const service = await startService({
      port: 0,
      mtlsPort: undefined,
      dataDirectory: directory,
      administrator,
      endpoint: undefined,
      deploymentFile: undefined,
    });
    try {
      const { rows, run, walk, measured } = measuring(service.url, size);
      // The password is verified once and not measured here.
      await measured("GET", { path: "/scim2/ServiceProviderConfig" });
      for (const each of userCalls(city)) await run(each);
      for (const each of await groupCalls(city, run)) await run(each);
      // Which names hold is met anew, for groups were renamed.
      await measured("GET", { path: "/scim2/Users?count=1" });
      await pause(NAMES_SETTLED_MS);
      for (const each of walks(city)) await walk(each);
      return rows;
    } finally {
      await service.close();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** A directory with the city's data for one run. With `kept`, what was imported once is copied from there. */
async function dataFor(city: City, kept: string | undefined): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "identity-admin-api-bench-"));
  const target = join(directory, DATABASE);
  // Made before the data, as a service makes it: data without its key is refused.
  await sealKey(directory);
  const load = (file: string) => importItems(file, TABLE_NAME, `${city.size} users`, city.itemCount, city.items());
  if (kept === undefined) {
    await load(target);
  } else {
    await mkdir(kept, { recursive: true });
    const source = join(kept, `${city.size}-users.sqlite`);
    if (!(await exists(source))) {
      await load(`${source}.part`);
      await rename(`${source}.part`, source);
    }
    await copyFile(source, target);
  }
  return directory;
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** Measures calls one after the other. What fails, or answers another total, is over any budget; the rest is measured all the same. */
function measuring(url: string, size: number) {
  const call = callWith(url);
  const rows: Row[] = [];
  const measured = async (method: string, sent: Sent): Promise<Measured> => {
    let [body, ms]: [unknown, number] = [undefined, 0];
    const lines = await listening(async () => {
      const before = performance.now();
      body = await call(method, sent);
      ms = performance.now() - before;
    });
    return { body, ms, cost: costOf(lines.find((line) => !isAuthorizer(line))) };
  };
  const add = (name: string, budget: Row["budget"], { cost, ms }: Pick<Row, "cost" | "ms">) =>
    rows.push({ name, size, cost, budget, ms });
  const failed = (name: string, budget: Row["budget"], error: unknown) => {
    console.error(`${name}: ${error instanceof Error ? error.message : error}`);
    add(name, budget, { cost: costOf(undefined), ms: undefined });
  };

  const run = async ({ afterMs = 0, twice = false, ...asked }: ScimCall): Promise<unknown> => {
    const { name, method = "GET", path, body, budget, total } = asked;
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

  /** The first page counts, and is a row of its own; of the others the dearest is shown. Walked twice: then the names of groups are known. */
  const walk = async (asked: Walk): Promise<void> => {
    const { name, budget } = asked;
    let pages: readonly Measured[] = [];
    try {
      await pagesOf(asked);
      pages = await pagesOf(asked);
    } catch (error) {
      failed(name, budget, error);
    }
    const [first, ...others] = pages;
    if (first) add(`${name}, first page`, budget, first);
    const [dearest] = others.sort(
      (a, b) => b.cost.roundTrips - a.cost.roundTrips || b.cost.readUnits - a.cost.readUnits,
    );
    if (dearest) add(`${name}, dearest of ${others.length} more`, budget, dearest);
  };

  return { rows, run, walk, measured };
}
