/** How each operation is called on the data set, once for its figure: `calls.yaml` has the calls. */
import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { type OperationId, operations } from "#core/service/catalogue.ts";
import type { Sent } from "./caller.ts";
import { CAS, type Fixture, PASSWORD, SAML, STS, TRUST } from "./fixture.ts";

type Answer = Readonly<Record<string, unknown>>;

/**
 * Calls in the order in which they are made. The resource that an earlier call created is in `made`, by the id of its
 * operation.
 */
export type Calls = readonly (readonly [OperationId, Sent | ((made: (id: OperationId) => Answer) => Sent)])[];

/** What the file says of a request. */
interface Given {
  readonly params?: Answer;
}

/** A call as the file has it: the id of an operation, alone or with what is sent. */
type Written = string | Readonly<Record<string, Given>>;

const file = load(readFileSync(new URL("calls.yaml", import.meta.url), "utf8")) as {
  /** Of paths, by their names. */
  readonly parameters: Answer;
  readonly reads: readonly Written[];
  readonly changes: readonly Written[];
};

const constants = { CAS, PASSWORD, SAML, STS, TRUST };
const NAME = /\$(\w+(?:\.\w+)*)/g;
const WHOLE_NAME = /^\$(\w+(?:\.\w+)*)$/;
const ENCODED = /^base64url\((.*)\)$/;

/** Operations that change nothing, called before the others. A GET that the file does not have needs no more. */
export const reads = (fixture: Fixture): Calls => callsOf([...file.reads, ...plainReads()], fixture);

/** Operations that change something, each with what it needs still in place. */
export const changes = (fixture: Fixture): Calls => callsOf(file.changes, fixture);

function plainReads(): readonly Written[] {
  const written = new Set([...file.reads, ...file.changes].map(idOf));
  return Object.entries(operations).flatMap(([id, { method }]) =>
    method === "GET" && !written.has(id as OperationId) ? [id] : [],
  );
}

function callsOf(list: readonly Written[], fixture: Fixture): Calls {
  const known: Answer = { ...constants, ...fixture };
  return list.map((call, at) => {
    const id = idOf(call);
    const given = withParameters(id, typeof call === "string" ? {} : (call[id] ?? {}));
    const before = list[at - 1];
    const send = (made: (id: OperationId) => Answer): Sent => {
      const named = (name: string) => {
        const [first = "", ...rest] = name.split(".");
        return first in known ? inside(known[first], rest) : String(inside(made(first as OperationId), rest));
      };
      const sent = resolved(given, named) as Given;
      if (sent.params?.version === undefined || before === undefined) return sent as Sent;
      const version = versionIn(made(idOf(before)).records, Number(sent.params.version));
      return { ...sent, params: { ...sent.params, version } } as Sent;
    };
    let isAsked = false;
    const sent = send(() => {
      isAsked = true;
      return {};
    });
    return [id, isAsked ? send : sent];
  });
}

/** Throws an `Error` for what is no operation. */
function idOf(call: Written): OperationId {
  const [id = ""] = typeof call === "string" ? [call] : Object.keys(call);
  if (!Object.hasOwn(operations, id)) throw new Error(`calls.yaml calls ${id}, which is no operation`);
  return id as OperationId;
}

/** What is sent, with all parameters of the path. */
function withParameters(id: OperationId, given: Given): Given {
  const names = [...(operations[id]?.path ?? "").matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.length === 0) return given;
  const { params = {}, ...rest } = given;
  return { params: Object.fromEntries(names.map((name) => [name, params[name] ?? file.parameters[name]])), ...rest };
}

/** The n-th latest change of a history, or its first one where it has fewer. */
function versionIn(records: unknown, n: number): string {
  const versions = (records ?? []) as readonly { readonly version: string }[];
  return (versions[n] ?? versions.at(-1))?.version ?? "";
}

/** The value at a path of members. */
export function inside(value: unknown, path: readonly string[]): unknown {
  return path.reduce((part, name) => (part as Answer | undefined)?.[name], value);
}

/** A value with what the names in its texts, such as `$users.1`, stand for. */
export function resolved(value: unknown, named: (name: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => resolved(part, named));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolved(part, named)]));
  }
  if (typeof value !== "string") return value;
  const [, encoded] = ENCODED.exec(value) ?? [];
  if (encoded !== undefined) return Buffer.from(encoded).toString("base64url");
  const [, whole] = WHOLE_NAME.exec(value) ?? [];
  return whole === undefined ? value.replace(NAME, (_, name: string) => String(named(name))) : named(whole);
}
