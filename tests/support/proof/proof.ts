/** What must hold of change records after any writes: holds the records against the table, the API and the answers. */
import { isDeepStrictEqual } from "node:util";
import { idInCallersTenant } from "#core/database/changes/change-id.ts";
import type { ChangeRecord } from "#core/database/changes/model.ts";
import type { Item } from "#core/database/table/table.ts";
import type { Pool, Sender } from "./pool.ts";
import { type Doc, MEMBER_SETS, type Replayed, replay } from "./replay.ts";
import { differencesFromApi } from "./shown.ts";
import { documentsOf, logTexts, recordsOf } from "./table.ts";
import type { Sent } from "./writers.ts";

/** What a proof looks at. */
export interface Evidence {
  readonly rows: readonly Item[];
  readonly sent: readonly Sent[];
  readonly pool: Pool;
  readonly send: Sender;
  /** All that the service wrote to its output. */
  readonly output: string;
}

const SHOWN_MOST = 20;
const HASH = /\$argon2|\$scrypt/;

const withoutSets = (doc: Doc | undefined): unknown => {
  const rest = Object.entries(doc ?? {}).filter(([name]) => ![...MEMBER_SETS, "password"].includes(name));
  return Object.fromEntries(rest);
};

/** Every resource that rows show has exactly the document that its records give, and no other is left. */
const differencesFromRows = (
  resources: ReadonlyMap<string, Replayed>,
  rows: ReadonlyMap<string, Replayed>,
): readonly string[] => {
  const keys = new Set([...resources.keys(), ...rows.keys()]);
  return [...keys].flatMap((key) => {
    const [said, stored] = [resources.get(key)?.doc, rows.get(key)?.doc];
    if ((said === undefined) !== (stored === undefined)) {
      return [`${key}: ${said ? "is there by its records, and has no row" : "has a row, and is gone by its records"}`];
    }
    if (isDeepStrictEqual(withoutSets(said), withoutSets(stored))) return [];
    return [`${key}: records say ${JSON.stringify(said)}, the row says ${JSON.stringify(stored)}`];
  });
};

/** Whether all operations of a bulk request failed, each with a status of its own: the answer as a whole is 200. */
const isNoneDone = (path: string, text: string): boolean => {
  if (!path.endsWith("/Bulk")) return false;
  const { Operations = [] } = JSON.parse(text) as {
    readonly Operations?: readonly { readonly status: string | { readonly code: string } }[];
  };
  return Operations.every(({ status }) => !(typeof status === "string" ? status : status.code).startsWith("2"));
};

const isFounding = ({ operation, actor }: ChangeRecord): boolean =>
  operation === "createTenant" && actor.type === "operator" && actor.signIn === undefined;

/** Every success that changes something has a record, and nothing that was refused has one. */
const differencesFromAnswers = (records: readonly ChangeRecord[], sent: readonly Sent[]): readonly string[] => {
  const traced = new Map(sent.map((one) => [one.traceId, one]));
  const recorded = Map.groupBy(records, ({ traceId }) => traceId);
  const missing = sent.flatMap(({ traceId, method, path, status, isChange, text }) =>
    isChange && status >= 200 && status < 300 && !recorded.has(traceId) && !isNoneDone(path, text)
      ? [`${method} ${path} returned ${status} and has no record`]
      : [],
  );
  const wrong = [...recorded].flatMap(([traceId, [first]]) => {
    const one = traced.get(traceId);
    // The operator creates the first tenant without a request.
    if (first && isFounding(first)) return [];
    if (!one) return [`a record of ${first?.operation} has the unknown trace id ${traceId}`];
    const { method, path, status, text } = one;
    // Where the answer was lost or the service was killed, either may have happened.
    if (status >= 400 && status < 500)
      return [`${method} ${path} was refused with ${status} and has a record: ${text}`];
    return [];
  });
  return [...missing, ...wrong];
};

/** Whether a record stands in the tenant of who made the change of another tenant's resource. */
const isSecond = ({ tenant, resource }: ChangeRecord): boolean =>
  resource.tenant !== undefined && resource.tenant !== tenant;

/**
 * A change of another tenant's resource has two records: the one of the resource names no operator, and a second one
 * in the tenant of the operator is the same with the name.
 */
const differencesOfSeconds = (records: readonly ChangeRecord[]): readonly string[] => {
  const seconds = new Map(records.filter(isSecond).map((record) => [`${record.tenant} ${record.id}`, record]));
  const anonymous = records.filter((record) => record.actor.type === "operator" && !isFounding(record));
  const problems = anonymous.flatMap((record) => {
    const key = `carbon.super ${idInCallersTenant(record.id, record.tenant)}`;
    const second = seconds.get(key);
    seconds.delete(key);
    const where = `record ${record.id} of ${record.operation} in ${record.tenant}`;
    if (!second) return [`${where}: no record of the super tenant says who did it`];
    const isNamed = second.actor.type !== "operator" && second.actor.id !== "" && second.sourceIp !== "";
    const isSame =
      second.resource.tenant === record.tenant &&
      second.resource.id === record.resource.id &&
      second.traceId === record.traceId &&
      isDeepStrictEqual(second.changes, record.changes);
    return isNamed && isSame ? [] : [`${where}: its second record names no caller, or is another one`];
  });
  return [...problems, ...[...seconds.keys()].map((key) => `${key}: a second record without a first one`)];
};

/** No secret is in a record or in the output. */
const leaks = ({ pool: { secrets }, rows, output }: Evidence): readonly string[] => {
  const places = [["the log", logTexts(rows)] as const, ["the output", [output]] as const];
  return places.flatMap(([place, texts]) => {
    const all = texts.join("\n");
    const found = [...secrets].filter((secret) => all.includes(secret));
    return [
      ...found.map((secret) => `${place} has the secret ${secret}`),
      ...(HASH.test(all) ? [`${place} has a hash`] : []),
    ];
  });
};

/** All that does not hold, in sentences; empty if everything holds. */
export const problemsOf = async (evidence: Evidence): Promise<readonly string[]> => {
  const { rows, sent, pool, send } = evidence;
  const records = recordsOf(rows);
  const { resources, problems } = replay(records.filter((record) => !isSecond(record)));
  const all = [
    ...problems,
    ...differencesOfSeconds(records),
    ...differencesFromRows(resources, documentsOf(rows)),
    ...differencesFromAnswers(records, sent),
    ...leaks(evidence),
    ...(await differencesFromApi(resources, pool, send)),
  ];
  return all.length > SHOWN_MOST ? [...all.slice(0, SHOWN_MOST), `and ${all.length - SHOWN_MOST} more`] : all;
};

/** In one line: how many records there are, and of what. */
export const summaryOf = (rows: readonly Item[], sent: readonly Sent[]): string => {
  const records = recordsOf(rows);
  const tally = (list: readonly string[]) =>
    [...Map.groupBy(list, (one) => one)].map(([name, all]) => `${name} ${all.length}`).join(", ");
  const answers = tally(sent.map(({ status }) => `${Math.floor(status / 100)}xx`));
  return `${sent.length} writes (${answers}), ${records.length} records: ${tally(records.map(({ resource }) => resource.type))}`;
};
