/**
 * Lists of applications compared with a scan of a model: random filters of all attributes, operators, `and` and `or`,
 * with random pages, after random changes by several writers at a database that disturbs them. A failure names its
 * seed.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { listApplications } from "#core/applications/management/list.ts";
import { type Application, freshApplication } from "#core/applications/registry/model.ts";
import { applicationStore, TAKES_ONLY } from "#core/applications/registry/store.ts";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newId } from "#core/kernel/ids.ts";
import { applicationIndexProblems, foundIndex } from "#tests/support/application-index.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, hostileDatabase, type Odds, seeded } from "#tests/support/hostile-database.ts";
import { clientSettings, samlSettings } from "#tests/support/inbound-settings.ts";

const WRITERS = 8;
const CHECKPOINTS = 6;
const CHANGES_BETWEEN = 40;
const FILTERS = 50;
const TIMEOUT_MS = 120_000;
const HALF_MS = 40;
const HOSTILE: Odds = { conflict: 0.08, throttle: 0.02, half: 0.5, halfMs: HALF_MS, lost: 0.05, heldMs: 3 };

const attributes = ["name", "clientId", "issuer"] as const;
type Attribute = (typeof attributes)[number];
type Row = { readonly id: string } & { readonly [Name in Attribute]?: string };
const tests = {
  eq: (actual: string, value: string) => actual === value,
  sw: (actual: string, value: string) => actual.startsWith(value),
  ew: (actual: string, value: string) => actual.endsWith(value),
  co: (actual: string, value: string) => actual.includes(value),
} as const;
const operators = ["eq", "eq", "eq", "sw", "ew", "co"] as const;

/** A filter as text, and what it means. */
interface Sample {
  readonly text: string;
  test(row: Row): boolean;
}

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

/** With an index, of which the ranges are folded and split after few changes, from a few applications on. */
const INDEXED = { few: 6, foldBytes: 300, splitAt: () => 12 };

describe.each([
  { seed: 11, reading: "entries", options: {} },
  { seed: 12, reading: "entries", options: {} },
  { seed: 13, reading: "the index", options: INDEXED },
  { seed: 14, reading: "the index", options: INDEXED },
  { seed: 15, reading: "the index", options: { ...INDEXED, foldBytes: 1_000, splitAt: () => 40 } },
])("seed $seed, reading $reading", ({ seed, options }) => {
  test(
    "every filter answers what a scan of the model answers, total and order included",
    async () => {
      const tenant = `tenant-${seed}`;
      await foundIndex(table.open(newMeter()), tenant);
      const database = hostileDatabase(seed, CALM);
      const open = table.reopen({ deadlineMs: 9_000, client: { ...table.client, transport: database.transport } });
      const store = applicationStore(open(newMeter()), 0, options);
      const random = seeded(seed);
      const below = (count: number) => Math.floor(random() * count);
      const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
      const model = new Map<string, Row>();
      const busy = new Set<string>();

      const another: Record<Attribute, () => string> = {
        name: () => `App ${below(90)} of ${pick(["north", "south", "and so on"])}`,
        // Client ids are unique over all tenants.
        clientId: () => `client_${seed}_${below(90)}`,
        issuer: () => `https://sp-${below(40)}.example/${"long".repeat(pick([0, 1, 500]))}`,
      };
      const rowOf = (id: string): Row => ({
        id,
        name: another.name(),
        ...(random() < 0.7 && { clientId: another.clientId() }),
        ...(random() < 0.4 && { issuer: another.issuer() }),
      });
      const applied = ({ name = "", clientId, issuer }: Row, to: Application): Application => ({
        ...to,
        name,
        inbound: {
          ...(clientId !== undefined && { oidc: clientSettings(clientId) }),
          ...(issuer !== undefined && { saml: samlSettings(issuer) }),
        },
      });
      /** Whether no value of the row belonged to another application. */
      const succeeds = async (write: Promise<void>): Promise<boolean> => {
        try {
          await write;
          return true;
        } catch (error) {
          if (error instanceof Fault && /taken$/.test(error.fault)) return false;
          throw error;
        }
      };
      const changeOne = async () => {
        const free = [...model.keys()].filter((id) => !busy.has(id));
        const known = free.length > 40 || random() < 0.3 ? pick(free) : undefined;
        const id = known ?? newId();
        const row = rowOf(id);
        busy.add(id);
        if (known === undefined) {
          if (await succeeds(store.add(tenant, applied(row, freshApplication(id, "", "owner", false)), TAKES_ONLY))) {
            model.set(id, row);
          }
        } else if (random() < 0.3) {
          await store.remove(tenant, id);
          model.delete(id);
        } else if (await succeeds(store.update(tenant, id, TAKES_ONLY, (before) => applied(row, before)))) {
          model.set(id, row);
        }
        busy.delete(id);
      };

      const comparison = (): Sample => {
        const attribute = pick(attributes);
        const operator = pick(operators);
        const whole = pick([...model.values()])?.[attribute] ?? another[attribute]();
        const part = { sw: whole.slice(0, 9), ew: whole.slice(-2), co: whole.slice(4, 7), eq: whole }[operator];
        const value = random() < 0.15 ? another[attribute]() : part;
        return {
          text: `${attribute} ${operator} "${value}"`,
          test: ({ [attribute]: actual }) => actual !== undefined && tests[operator](actual, value),
        };
      };
      const sample = (depth: number): Sample => {
        if (depth === 0 || random() < 0.4) return comparison();
        const parts = Array.from({ length: 2 + below(2) }, () => sample(depth - 1));
        const isAnd = random() < 0.5;
        return {
          text: `(${parts.map(({ text }) => text).join(isAnd ? " and " : " or ")})`,
          test: (row) => (isAnd ? parts.every((part) => part.test(row)) : parts.some((part) => part.test(row))),
        };
      };

      for (let checkpoint = 0; checkpoint < CHECKPOINTS; checkpoint += 1) {
        database.set(HOSTILE);
        let left = CHANGES_BETWEEN;
        const writer = async () => {
          while (left-- > 0) await changeOne();
        };
        const reader = async () => {
          while (left > 0) {
            const { text, test: isMatch } = sample(1);
            const page = await listApplications(store, tenant, { filter: text, limit: 100, attributes: "issuer" });
            expect(new Set(page.applications.map(({ id }) => id)).size, text).toBe(page.count);
            expect(page.count, text).toBeLessThanOrEqual(page.totalResults);
            // What a list compares is what it shows, but for names, which are shown as they are a moment later.
            if (!text.includes("name")) expect(page.applications.every(isMatch), text).toBe(true);
          }
        };
        await Promise.all([...Array.from({ length: WRITERS }, writer), reader()]);
        database.set(CALM);
        await new Promise((done) => setTimeout(done, HALF_MS + 1));
        const newestFirst = [...model.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
        for (let turn = 0; turn < FILTERS; turn += 1) {
          const { text, test: isMatch } = sample(2);
          const [offset, limit] = [pick([0, 0, 1, below(60)]), 1 + below(100)];
          const page = await listApplications(store, tenant, { filter: text, offset, limit, attributes: "issuer" });
          const expected = newestFirst.filter(isMatch);
          const shown = page.applications.map(({ id, name, clientId, issuer }) => ({ id, name, clientId, issuer }));
          expect(page.totalResults, text).toBe(expected.length);
          expect(shown, `${text} ${offset} ${limit}`).toEqual(
            expected.slice(offset, offset + limit).map(({ id, name, clientId, issuer = "" }) => ({
              id,
              name,
              clientId: clientId ?? (text.includes("clientId") ? "" : undefined),
              issuer,
            })),
          );
        }
      }
      const rows = await table.open(newMeter()).getMany([...model.keys()].map((id) => keys.application(tenant, id)));
      const stored = rows.flatMap((row) => (row ? [row] : []));
      expect(stored).toHaveLength(model.size);
      expect(await applicationIndexProblems(table.open(newMeter()), tenant, stored)).toEqual([]);
      const { conflicts, lost, halves } = database.counts;
      expect(Math.min(conflicts, lost, halves)).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
