/** Every POST and PATCH of the catalogue that changes something: a repeat with the same key has no effect (decision 0086). */
import { beforeAll, expect, test } from "vitest";
import { isRepeatable } from "#core/kernel/operation/repeatable.ts";
import { type OperationId, operations } from "#core/service/catalogue.ts";
import { contentOf, key, sameIn } from "#tests/support/repeatable.ts";
import { type Answer, world } from "#tests/support/world.ts";
import { ALWAYS, type Caller, type Sent } from "#tools/operation-units/caller.ts";
import { changes } from "#tools/operation-units/calls.ts";
import { createFixture } from "#tools/operation-units/fixture.ts";

const api = world();
const units = { roundTrips: 0, readUnits: 0, writeUnits: 0 };

const payloadOf = ({ body, form, file }: Sent) => {
  if (form) {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return { raw: new URLSearchParams(form).toString(), headers };
  }
  if (file === undefined) return { ...(body !== undefined && { body }), headers: {} };
  const head = 'Content-Disposition: form-data; name="file"; filename="a.xml"\r\nContent-Type: application/xml';
  return {
    raw: `--b\r\n${head}\r\n\r\n${file}\r\n--b--\r\n`,
    headers: { "content-type": "multipart/form-data; boundary=b" },
  };
};

const send = (id: OperationId, sent: Sent, idempotencyKey?: string): Promise<Answer> => {
  const { method = "", path: template = "" } = operations[id] ?? {};
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(sent.params?.[name] ?? ""));
  const { headers, ...payload } = payloadOf(sent);
  const all = { ...headers, ...(idempotencyKey !== undefined && key(idempotencyKey)) };
  return api.ask(method, sent.query ? `${path}?${sent.query}` : path, {
    ...payload,
    headers: all,
    ...(sent.as && { as: sent.as }),
  });
};

const received = (answer: Answer) => ({
  status: answer.status,
  id: answer.headers.get("location")?.split("/").at(-1) ?? "",
  body: answer.body ?? {},
  units,
});

let outcomes: ReadonlyMap<OperationId, { readonly problems: readonly string[] }>;

/** What is wrong with a repeat of a request. */
const problemsOf = async (id: OperationId, sent: Sent, first: Answer): Promise<readonly string[]> => {
  const before = await contentOf(api.service);
  const second = await send(id, sent, id);
  const after = new Set(await contentOf(api.service));
  const differences = before.filter((row) => !after.has(row));
  return [
    ...(first.status === ALWAYS[id] || first.status < 300
      ? []
      : [`the first answer is ${first.status}: ${first.text}`]),
    ...(JSON.stringify(sameIn(second)) === JSON.stringify(sameIn(first))
      ? []
      : [`${first.text} became ${second.text}`]),
    ...(second.headers.get("idempotency-replayed") === "true" ? [] : ["the repeat is not marked"]),
    ...(after.size === before.length ? differences : [`${before.length} rows became ${after.size}`]),
  ];
};

beforeAll(async () => {
  const caller: Caller = async (id, sent = {}) => {
    const answer = await send(id, sent);
    if (answer.status >= 300) throw new Error(`${id} returned ${answer.status}: ${answer.text}`);
    return received(answer);
  };
  const fixture = await createFixture(caller);
  const made = new Map<OperationId, Readonly<Record<string, unknown>>>();
  const found = new Map<OperationId, { problems: readonly string[] }>();
  for (const [id, call] of changes(fixture)) {
    const sent = typeof call === "function" ? call((of) => made.get(of) ?? {}) : call;
    const declared = operations[id];
    const isKeyed = declared !== undefined && isRepeatable(declared);
    const answer = await send(id, sent, isKeyed ? id : undefined);
    made.set(id, received(answer).body);
    if (isKeyed) found.set(id, { problems: await problemsOf(id, sent, answer) });
  }
  outcomes = found;
}, 180_000);

const repeatable = Object.entries(operations).filter(([, declared]) => isRepeatable(declared));

test.each(repeatable.map(([id]) => id))("%s", (id) => {
  expect(outcomes.get(id as OperationId)?.problems).toEqual([]);
});
