/**
 * Replays change records from nothing, as a reader of the feed would: each change must fit to what is there, with the
 * value that was there before.
 */
import { isDeepStrictEqual } from "node:util";
import type { Change, ChangeRecord, Json } from "#core/database/changes/model.ts";

/** The names of the sets whose members are changes of their own. */
export const MEMBER_SETS = ["members", "users", "groups"] as const;

/** A document under replay. */
export type Doc = { [name: string]: Doc | Json };

/** A resource as its records leave it. */
export interface Replayed {
  readonly tenant: string;
  readonly type: string;
  readonly id: string;
  /** `undefined` after its removal. */
  doc: Doc | undefined;
  /** Of its records so far. */
  readonly ids: string[];
}

/** The result: the resources by `keyOf`, and what did not fit. */
export interface Replay {
  readonly resources: ReadonlyMap<string, Replayed>;
  readonly problems: readonly string[];
}

/** The name of a resource in a replay. A protocol is a part of its application. */
export const keyOf = (tenant: string, type: string, id: string): string => `${tenant} ${type} ${id}`;

const KNOWN_PROTOCOLS = new Set(["oidc", "saml", "passiveSts", "wsTrust"]);
const SECRET_VALUE = { secret: true };

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");
const escaped = (part: string): string => part.replaceAll("~", "~0").replaceAll("/", "~1");
const isObject = (value: unknown): value is Doc => typeof value === "object" && value !== null && !Array.isArray(value);

/** The resource of a record, and where its paths begin. */
const placeOf = ({ resource: { type, id, applicationId } }: ChangeRecord) =>
  type === "inbound-protocol"
    ? {
        type: "application",
        id: applicationId ?? "",
        prefix: `/inboundProtocolConfiguration/${KNOWN_PROTOCOLS.has(id) ? id : `custom/${escaped(id)}`}`,
      }
    : { type, id, prefix: "" };

/** What an empty set of members and an absent one have in common: neither is there. */
const withoutSets = (doc: unknown): unknown => {
  if (!isObject(doc)) return doc;
  const rest = Object.entries(doc).filter(([name]) => !(MEMBER_SETS as readonly string[]).includes(name));
  return Object.fromEntries(rest.filter(([name]) => name !== "password"));
};

/** Carries out one change. Returns the document, or a sentence about what does not fit. */
const applied = (doc: Doc | undefined, change: Change, path: string): Doc | undefined | string => {
  const { op, secret } = change;
  const value = structuredClone(secret ? SECRET_VALUE : change.value) as Doc;
  if (path === "") {
    if (op === "add") return doc === undefined ? value : "is added and is there";
    if (op === "replace") return "is replaced as a whole";
    if (doc === undefined) return "is removed and is not there";
    return isDeepStrictEqual(withoutSets(doc), withoutSets(change.from)) ? undefined : "is removed as another one";
  }
  if (doc === undefined) return "is changed and is not there";
  const parts = path.slice(1).split("/").map(unescaped);
  const name = parts.pop() ?? "";
  let at: Doc = doc;
  for (const part of parts) {
    const next = at[part];
    if (!isObject(next)) return `has no ${part}`;
    at = next;
  }
  const before = Object.hasOwn(at, name) ? at[name] : undefined;
  if (op === "add" && before !== undefined && name !== "password") return "adds what is there";
  if (op !== "add" && before === undefined) return "replaces or removes what is not there";
  if (op !== "add" && !secret && !isDeepStrictEqual(before, change.from)) {
    return `has another value before: ${JSON.stringify(before)}`;
  }
  if (op === "remove") delete at[name];
  else at[name] = value;
  return doc;
};

/** Members are added to these concurrently: each record names one before it, which need not be the last one. */
const isConcurrent = (type: string): boolean => type === "group" || type === "role";

/** Whether a record names the one before it; the first one names none. */
const follows = ({ type, ids }: Replayed, previous: string | undefined): boolean =>
  isConcurrent(type) ? previous === undefined || ids.includes(previous) : previous === ids.at(-1);

/** Replays records, which may come in any order: those of one resource are carried out by their ids. */
export const replay = (records: readonly ChangeRecord[]): Replay => {
  const resources = new Map<string, Replayed>();
  const problems: string[] = [];
  for (const record of [...records].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const { tenant, id, previous, operation } = record;
    const place = placeOf(record);
    const key = keyOf(tenant, place.type, place.id);
    const known = resources.get(key) ?? { ...place, tenant, doc: undefined, ids: [] };
    resources.set(key, known);
    const says = (sentence: string) => problems.push(`${key}: record ${id} of ${operation} ${sentence}`);
    if (!follows(known, previous)) says(`follows ${previous}, not ${known.ids.at(-1)}`);
    known.ids.push(id);
    if (record.changes.length === 0) says("has no changes");
    for (const change of record.changes) {
      const path = `${place.prefix}${change.path}`;
      const next = applied(known.doc, change, path);
      if (typeof next === "string") says(`${change.op} ${path || "the whole"} ${next}`);
      else known.doc = next;
    }
  }
  return { resources, problems };
};
