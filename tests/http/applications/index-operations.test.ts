/**
 * Lists of many applications, which an index answers (decision 0136), after random operations of all kinds: a change
 * that was answered is in the next list, and a rehearsal is in none. A failure names its seed.
 */
import { expect, test } from "vitest";
import { concurrently } from "#core/kernel/concurrently.ts";
import { randomOf } from "#tests/support/random.ts";
import { DELETED } from "#tests/support/recovery.ts";
import { saasOf } from "#tests/support/saas.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

/** A list reads up to 200 applications without the index. */
const MANY = 220;
const CHANGES = 80;
const ODD = ["Straße", "İstanbul", "e\u0301t", "\u00e9t", "\u{1F600}", "\uFFFD", 'a"b', "a or b", "=", "\u{10FFFF}"];
const ATTRIBUTES = ["name", "clientId", "issuer"] as const;
const api = world();

interface Row {
  readonly id: string;
  readonly name: string;
  readonly clientId?: string;
  readonly issuer?: string;
}

const rowOf = ({ id, name, clientId, issuer }: Row): Row => ({
  ...{ id, name },
  ...(clientId && { clientId }),
  ...(issuer && { issuer }),
});

test.each([1, 2])("seed %i", { timeout: 120_000 }, async (seed) => {
  const tenant = await saasOf(api).newTenant(`seed-${seed}.example`);
  const random = randomOf(seed);
  const rows = new Map<string, Row>();
  const deleted: string[] = [];
  let count = 0;
  const some = (): Row => random.of([...rows.values()]);
  const next = () => {
    count += 1;
    return `${seed}-${count}`;
  };
  const samlOf = () => ({
    manualConfiguration: { issuer: `${random.of(ODD)}${next()}`, assertionConsumerUrls: ["https://sp.example/acs"] },
  });
  const newBody = (name = `app ${next()}`) => ({
    name,
    inboundProtocolConfiguration: {
      ...(random.chance(0.5) && { oidc: { clientId: `client-${next()}`, grantTypes: ["client_credentials"] } }),
      ...(random.chance(0.5) && { saml: samlOf() }),
    },
  });
  const send = (method: string, path: string, body?: object) =>
    tenant.ask(method, path, body === undefined ? {} : { body });
  const read = async (id: string) => {
    const { status, body } = await send("GET", `${APPLICATIONS}/${id}`);
    if (status === 200) rows.set(id, rowOf(body));
    else rows.delete(id);
  };
  const create = async (name?: string) => {
    const { headers, text, status } = await send("POST", APPLICATIONS, newBody(name));
    if (status !== 201) throw new Error(text);
    await read(headers.get("location")?.split("/").at(-1) ?? "");
  };
  const remove = async (id: string) => {
    expect((await send("DELETE", `${APPLICATIONS}/${id}`)).status).toBe(204);
    rows.delete(id);
    deleted.push(id);
  };
  const change = async (method: string, path: string, body?: object) => {
    const { id } = some();
    await send(method, `${APPLICATIONS}/${id}${path}`, body);
    await read(id);
  };
  const operations: readonly (() => Promise<unknown>)[] = [
    () => create(),
    () => change("PATCH", "", { name: `renamed ${next()}` }),
    () => change("PUT", "/inbound-protocols/saml", samlOf()),
    () => change("DELETE", "/inbound-protocols/oidc"),
    () => remove(some().id),
    async () => {
      const { id, name } = some();
      await remove(id);
      await create(name);
    },
    async () => {
      const id = deleted.pop();
      if (id === undefined) return;
      // Another one may have its name by now.
      await send("POST", `${DELETED}/${id}/restore`);
      await read(id);
    },
    async () => {
      const { id } = some();
      const { body } = await send("GET", `${APPLICATIONS}/${id}/history`);
      const { version } = random.of(body.records as readonly { readonly version: string }[]);
      await send("POST", `${APPLICATIONS}/${id}/history/${version}/restore`);
      await read(id);
    },
    // Rehearsals.
    () => send("POST", `${APPLICATIONS}?dryRun=true`, newBody()),
    () => send("PATCH", `${APPLICATIONS}/${some().id}?dryRun=true`, { name: `never ${next()}` }),
    () => send("DELETE", `${APPLICATIONS}/${some().id}?dryRun=true`),
    () => send("POST", `${DELETED}/${deleted.at(-1)}/restore?dryRun=true`),
  ];
  const listed = async (filter: string | undefined): Promise<{ total: number; found: readonly Row[] }> => {
    const found: Row[] = [];
    for (let total = 1; found.length < total; ) {
      const query = {
        limit: "100",
        offset: String(found.length),
        attributes: "clientId,issuer",
        ...(filter && { filter }),
      };
      const { body } = await send("GET", `${APPLICATIONS}?${new URLSearchParams(query)}`);
      total = body.totalResults;
      if (total === 0) return { total, found };
      found.push(...body.applications.map(rowOf));
    }
    return { total: found.length, found };
  };

  await concurrently(Array.from({ length: MANY }), 4, () => create());
  for (let at = 0; at < CHANGES; at += 1) {
    await random.of(operations)();
    const expected = [...rows.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
    expect(await listed(undefined)).toEqual({ total: expected.length, found: expected });
    const attribute = random.of<(typeof ATTRIBUTES)[number]>(ATTRIBUTES);
    const [first = "a", ...others] = some()[attribute] ?? "none";
    const value = `${first}${others.slice(0, 3).join("")}`;
    const matching = expected.filter((row) => row[attribute]?.includes(value));
    const filter = `${attribute} co "${value.replaceAll('"', '\\"')}"`;
    expect(await listed(filter), filter).toEqual({ total: matching.length, found: matching });
  }
  expect(rows.size).toBeGreaterThan(200);
});
