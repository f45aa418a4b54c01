/** Every operation with a body at its largest bodies, in a service with a small data set. */

import { BYTES_MAX } from "#core/http/body.ts";
import { MEMBERS_MAX } from "#core/http/json.ts";
import type { Operation } from "#core/kernel/operation/operation.ts";
import { catalogue, type OperationId } from "#core/service/catalogue.ts";
import { startService } from "#local/service.ts";
import { inMemory } from "#tools/bench/calls.ts";
import { callerOf, type Sent } from "#tools/operation-units/caller.ts";
import { changes, reads } from "#tools/operation-units/calls.ts";
import { createFixture } from "#tools/operation-units/fixture.ts";
import document from "../../docs/openapi.json" with { type: "json" };
import { type Growth, growthsOf, type Schema } from "./largest.ts";
import type { SizedCase } from "./sized.ts";

interface Described {
  readonly operationId?: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const bodies = new Map(
  Object.values(document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Described>>>>)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId = "", requestBody }) => {
      const [schema] = Object.values(requestBody?.content ?? {});
      return schema ? [[operationId, schema.schema] as const] : [];
    }),
);

const service = await startService(inMemory);
const { url } = service;

/** Ends the service. */
export const stop = async (): Promise<void> => {
  await service.close();
};

const fixture = await createFixture(callerOf(url));
const calls = new Map(
  [...reads(fixture), ...changes(fixture)].map(([id, sent]) => [
    id,
    typeof sent === "function" ? sent(() => ({ access_token: "at_none" })) : sent,
  ]),
);
// The log of the functions would count, and hide the report of the tests.
for (const name of ["log", "info", "warn", "error", "debug"] as const) console[name] = () => undefined;

const contentTypes = { json: "application/json", form: "application/x-www-form-urlencoded", multipart: "" } as const;

const requestOf = (
  id: OperationId,
  { as, params = {} }: Sent,
): { readonly address: string; readonly init: RequestInit } => {
  const { method, path, media = "json" }: Operation = catalogue[id];
  const { username, password } = as ?? inMemory.administrator;
  return {
    address: url + path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? "")),
    init: {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
        "content-type": contentTypes[media],
      },
    },
  };
};

/** The members of a body that name what it creates. */
const NAMES: ReadonlySet<string> = new Set(["name", "userName", "displayName", "identifier", "domain"]);
let created = 0;

/** A body with other names, so that it creates something each time. */
const renamed = (body: unknown): unknown => {
  if (body === null || typeof body !== "object" || Array.isArray(body)) return body;
  created += 1;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      NAMES.has(name) && typeof value === "string" ? `n${created}.${value}` : value,
    ]),
  );
};

const caseOf = (id: OperationId, sent: Sent, { name, body, largest }: Growth): SizedCase => {
  const { media, method }: Operation = catalogue[id];
  const base = sent.form ?? sent.body ?? {};
  const { address, init } = requestOf(id, sent);
  return {
    name: `${id}: ${name}`,
    largest,
    prepare: (count) => {
      const grown = body(method === "POST" && !sent.form ? renamed(base) : base, count);
      const payload =
        media === "form" ? new URLSearchParams(grown as Record<string, string>).toString() : JSON.stringify(grown);
      return async () => {
        const response = await fetch(address, { ...init, body: payload, redirect: "manual" });
        const text = await response.text();
        throw new Error(`${response.status} ${payload.length} ${text.slice(0, 300)}`);
      };
    },
  };
};

/** Files have their own cases. Each operation of a bulk request is a request of its own: bulk has its own cases too. */
const elsewhere: ReadonlySet<string> = new Set(["importApplication", "updateApplicationFromFile", "bulk", "scim1Bulk"]);

export const cases: readonly SizedCase[] = (Object.keys(catalogue) as OperationId[]).flatMap((id) => {
  const { body, limits }: Operation = catalogue[id];
  if (!body || elsewhere.has(id)) return [];
  const [schema, sent] = [bodies.get(id), calls.get(id)];
  if (!schema || !sent) throw new Error(`${id} has a body, but no schema in the API document, or no call`);
  return growthsOf(schema, { bytes: BYTES_MAX, members: MEMBERS_MAX, ...limits }).map((growth) =>
    caseOf(id, sent, growth),
  );
});
