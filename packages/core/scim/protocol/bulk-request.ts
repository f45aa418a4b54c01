/** Reads bulk requests of both SCIM versions (RFC 7644 section 3.7). */
import { Fault, malformed, refuse } from "../../kernel/faults.ts";
import { checkTogether, eachTogether, readTogether } from "../../kernel/together.ts";
import { bulkIdsIn } from "./bulk-references.ts";
import { limits } from "./discovery.ts";
import { pickFrom } from "./input.ts";
import { isObject } from "./values.ts";

/** One operation of a request. */
export interface BulkOperation {
  /** Its place in the request. */
  readonly place: number;
  readonly method: string;
  readonly bulkId: string | undefined;
  readonly version: string | undefined;
  readonly path: string;
  readonly data: unknown;
  /** The bulkIds to which it refers. */
  readonly needs: ReadonlySet<string>;
}

export interface BulkRequest {
  readonly operations: readonly BulkOperation[];
  /** Stop after this number of failures; 0: never. */
  readonly failOnErrors: number;
}

/**
 * Parses a request; `checkSchemas` checks its `schemas`. Tells all faults at once. Throws `request.malformed`,
 * `request.invalid`, and `request.too_large` for more than 1,000 operations.
 */
export function readBulk(
  body: Readonly<Record<string, unknown>>,
  checkSchemas: (schemas: unknown) => void = () => undefined,
): BulkRequest {
  const member = pickFrom(body);
  const failOnErrors = member("failOnErrors") ?? 0;
  const ids = new Set<string>();
  const operations = readTogether<BulkOperation>(
    () => {
      checkSchemas(member("schemas"));
      return [];
    },
    () => {
      if (isCount(failOnErrors)) return [];
      throw refuse("failOnErrors must be a whole number, at least 0.");
    },
    () => eachTogether(listOf(member("Operations")).entries(), ([at, given]) => [operationOf(given, at, ids)]),
  );
  return { operations, failOnErrors: Number(failOnErrors) };
}

function isCount(given: unknown): boolean {
  return typeof given === "number" && Number.isSafeInteger(given) && given >= 0;
}

function listOf(operations: unknown): readonly unknown[] {
  if (!Array.isArray(operations)) throw malformed("Operations must be a list.");
  if (operations.length <= limits.bulkOperationsMax) return operations;
  throw new Fault(
    "request.too_large",
    `The request has ${operations.length} operations. Send at most ${limits.bulkOperationsMax} (maxOperations).`,
  );
}

/** Reads one operation; `ids` are the bulkIds of those before it. */
function operationOf(given: unknown, at: number, ids: Set<string>): BulkOperation {
  const place = `Operations[${at}]`;
  if (!isObject(given)) throw malformed(`${place} must be an object.`);
  const member = pickFrom(given);
  const texts: Record<string, string> = {};
  checkTogether(
    ...["method", "path", "bulkId", "version"].map((name) => () => {
      const value = member(name) ?? undefined;
      if (typeof value === "string") texts[name] = value;
      else if (value !== undefined) throw malformed(`${place}.${name} must be a string.`);
    }),
    () => {
      const { method, bulkId } = texts;
      const isGiven = (member("bulkId") ?? "") !== "";
      if (method?.toUpperCase() === "POST" && !isGiven) throw refuse(`${place}.bulkId is required for POST.`);
      if (bulkId === undefined) return;
      if (ids.has(bulkId)) throw refuse(`${place}.bulkId: "${bulkId.slice(0, 100)}" is used twice.`);
      ids.add(bulkId);
    },
  );
  const { method = "", path = "", bulkId, version } = texts;
  const data = member("data");
  return { place: at, method: method.toUpperCase(), bulkId, version, path, data, needs: bulkIdsIn(path, data) };
}
