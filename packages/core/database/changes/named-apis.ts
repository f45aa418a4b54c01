/**
 * The names of APIs and scopes in records of authorized APIs, which are stored by id: an auditor understands a record
 * after the API is gone. Names are those of the time of the change. An API that was deleted before it has none there;
 * the record of its authorization has them. Pure.
 */
import { isDeepStrictEqual } from "node:util";
import { systemApi } from "../../kernel/domain/system-apis.ts";
import type { Item, Value } from "../table/table.ts";
import type { Change, Json } from "./model.ts";

/** An authorization as documents have it. */
interface Authorized {
  readonly apiId: string;
  readonly scopeIds: readonly string[];
}

/** What of an API names it. */
interface NamedApi {
  readonly name: string;
  readonly scopes: readonly { readonly id: string; readonly name: string }[];
}

/** A change of authorized APIs with the names of those that it adds, changes and removes. `rowOf` has rows of APIs. */
export function withNamesOfApis(change: Change, rowOf: (apiId: string) => Item | undefined): Change {
  const [before, after] = [authorizedIn(change.from), authorizedIn(change.value)];
  const changed = [...onlyIn(before, after), ...onlyIn(after, before)];
  const names = Object.fromEntries(
    changed.flatMap(({ apiId, scopeIds }): (readonly [string, string])[] => {
      const api: NamedApi | undefined = systemApi(apiId) ?? apiIn(rowOf(apiId));
      const known = (api?.scopes ?? []).filter(({ id }) => scopeIds.includes(id));
      return api ? [[apiId, api.name], ...known.map(({ id, name }) => [id, name] as const)] : [];
    }),
  );
  return Object.keys(names).length > 0 ? { ...change, names } : change;
}

/** The authorizations of a document, or of the list in it. */
function authorizedIn(value: Json | undefined): readonly Authorized[] {
  if (Array.isArray(value)) return value as readonly unknown[] as readonly Authorized[];
  if (typeof value !== "object" || value === null) return [];
  return authorizedIn((value as { readonly [name: string]: Json }).authorizedAPIs);
}

function onlyIn(some: readonly Authorized[], others: readonly Authorized[]): readonly Authorized[] {
  return some.filter((one) => !others.some((other) => isDeepStrictEqual(one, other)));
}

function apiIn(row: Item | undefined): NamedApi | undefined {
  const api = row?.api as Readonly<Record<string, Value>> | undefined;
  const { name, scopes } = api ?? {};
  if (typeof name !== "string" || !Array.isArray(scopes)) return undefined;
  return { name, scopes: scopes as readonly Value[] as NamedApi["scopes"] };
}
