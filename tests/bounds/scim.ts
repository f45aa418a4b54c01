/** The parts of SCIM requests at their largest: bodies of 10,000 members and elements, filters of 8,192 bytes. */

import { memberIds } from "#core/directory/provisioning/groups.ts";
import { patched } from "#core/directory/scim-api/v1/changes.ts";
import { groupFilter, userFilter } from "#core/directory/scim-api/v1/filter.ts";
import { readRemoved, readSent } from "#core/directory/scim-api/v1/input.ts";
import { membershipOf, stepsOn } from "#core/directory/scim-api/v2/patch-steps.ts";
import { executeBulk } from "#core/scim/protocol/bulk.ts";
import { readBulk } from "#core/scim/protocol/bulk-request.ts";
import { bindFilter } from "#core/scim/protocol/filter/bind.ts";
import { matches } from "#core/scim/protocol/filter/evaluate.ts";
import { parseFilter } from "#core/scim/protocol/filter/parse.ts";
import { readResource } from "#core/scim/protocol/input.ts";
import { applyPatch } from "#core/scim/protocol/patch/apply.ts";
import { readPatch } from "#core/scim/protocol/patch/read.ts";
import { present, projectionOf } from "#core/scim/protocol/projection.ts";
import { requireAll } from "#core/scim/protocol/requirements.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";
import { many, type SizedCase, sized } from "./sized.ts";

const FILTER_BYTES = 8_192;
const MEMBERS = 10_000;
const OPERATIONS = 1_000;

const email = (at: number) => ({ value: `kim-${at}@a.example`, type: `t${at}` });
const address = (at: number) => ({ streetAddress: `${at}`, country: "c".repeat(20) });
const kim = (size = 100): Resource => ({
  id: "1",
  userName: "kim",
  emails: many(Math.min(size, 15), email),
  phoneNumbers: many(size, email),
  addresses: many(size, address),
});

/** Texts whose comparable form is expensive. */
const longKim: Resource = {
  ...kim(0),
  addresses: many(100, (at) => ({ streetAddress: `${at}${"\u0130".repeat(1_000)}` })),
};

const filter = (name: string, largest: number, input: (size: number) => string, outcome?: RegExp): SizedCase =>
  sized({
    name: `filter: ${name}`,
    largest: Math.floor(largest),
    input,
    run: (text) => matches(bindFilter(userType, parseFilter(text), { unknown: "refuse" }), kim()),
    ...(outcome && { outcome }),
  });
const joined = (size: number, term: (at: number) => string, word = "or"): string => many(size, term).join(` ${word} `);

const patch = (name: string, largest: number, operations: (size: number) => readonly unknown[], outcome?: RegExp) =>
  sized({
    name: `PATCH: ${name}`,
    largest,
    input: (size) => ({ Operations: operations(size) }),
    run: (body) => applyPatch(userType, kim(), readPatch(userType, body)),
    ...(outcome && { outcome }),
  });

const group = (name: string, largest: number, operations: (size: number) => readonly unknown[], outcome?: RegExp) =>
  sized({
    name: `PATCH of a group: ${name}`,
    largest,
    input: (size) => stepsOn(readPatch(groupType, { Operations: operations(size) }), "members"),
    run: (steps) =>
      membershipOf(steps, {
        name: "members",
        idsOf: memberIds,
        linkOf: (id) => `https://a.example/Users/${id}`,
        namesOf: async () => new Map(),
        read: async () => many(5_000, (at) => ({ id: `u-${at}`, name: `kim-${at}` })),
      }),
    ...(outcome && { outcome }),
  });

const body = (name: string, largest: number, input: (size: number) => Record<string, unknown>, outcome?: RegExp) =>
  sized({
    name: `resource: ${name}`,
    largest,
    input,
    run: (given) => {
      const resource = readResource(userType, given);
      requireAll(userType, resource);
      return present(projectionOf(userType, {}), resource);
    },
    ...(outcome && { outcome }),
  });

/** A bulk request whose operations need no table. */
const bulk = (name: string, largest: number, operations: (size: number) => readonly unknown[]) =>
  sized({
    name: `bulk: ${name}`,
    largest,
    // The next operation is searched from the first on: at most 1,000 times among 1,000.
    growth: 16,
    input: (size) => ({ Operations: operations(size) }),
    run: (given) =>
      executeBulk(
        {
          create: async () => ({ id: "1" }),
          change: async () => undefined,
          locationOf: () => "",
          takes: () => true,
          unknownPath: (reason) => {
            throw new Error(reason);
          },
          succeeded: () => true,
          failed: () => false,
        },
        { scopes: new Set(["internal_user_mgt_create", "internal_group_mgt_create"]), reportDefect: () => undefined },
        readBulk(given),
      ),
  });
const creation = (at: number, data: unknown, path = "/Users") => ({ method: "POST", path, bulkId: `b${at}`, data });

const names = (name: string, largest: number, input: (size: number) => readonly string[], outcome?: RegExp) =>
  sized({
    name: `attributes: ${name}`,
    largest: Math.floor(largest),
    input,
    run: (attributes) => projectionOf(userType, { attributes }),
    ...(outcome && { outcome }),
  });

const scim1 = (name: string, largest: number, input: (size: number) => Record<string, unknown>, outcome?: RegExp) =>
  sized({
    name: `SCIM 1.1: ${name}`,
    largest,
    input,
    run: (given) => patched(userType, kim(), readSent(userType, given), readRemoved(userType, given)),
    ...(outcome && { outcome }),
  });

export const cases: readonly SizedCase[] = [
  filter("comparisons", 200, (size) => joined(size, (at) => `title eq "${at}"`)),
  filter("too many comparisons", FILTER_BYTES / 12, (size) => joined(size, () => "id pr"), /200 comparisons|bytes/),
  filter("parentheses", FILTER_BYTES / 2, (size) => `${"(".repeat(size)}id pr${")".repeat(size)}`, /50 nested|bytes/),
  filter("levels of not", 48, (size) => `${"not (".repeat(size)}id pr${")".repeat(size)}`),
  filter("brackets", 190, (size) => `addresses[${joined(size, (at) => `country eq "${at}"`)}]`),
  filter("brackets of many elements", 60, (size) => joined(size, (at) => `addresses[country eq "${at}"]`)),
  filter("a word", FILTER_BYTES, (size) => "a".repeat(size), /operator/),
  filter("quotes", FILTER_BYTES - 20, (size) => `title eq "${'\\"'.repeat(size / 2)}"`),
  filter("blanks", FILTER_BYTES - 20, (size) => `id${" ".repeat(size)}pr`),
  filter(
    "attributes of every kind",
    80,
    (size) =>
      joined(size, () => "emails.value co kim and groups pr and meta.created gt 2020-01-01T00:00:00Z".slice(0, 40)),
    /./,
  ),
  patch("values of one attribute", OPERATIONS, (size) =>
    many(size, (at) => ({ op: "replace", path: "title", value: `${at}` })),
  ),
  patch("elements", OPERATIONS, (size) =>
    many(size, (at) => ({ op: "add", path: "addresses", value: [address(at % 50)] })),
  ),
  patch("many elements in many operations", OPERATIONS, (size) =>
    many(size, () => ({ op: "add", path: "addresses", value: many(9, address) })),
  ),
  patch("filters", OPERATIONS, (size) => many(size, (at) => ({ op: "remove", path: `addresses[country eq "${at}"]` }))),
  patch(
    "filters of many comparisons",
    300,
    (size) => many(size, () => ({ op: "remove", path: `addresses[${joined(100, (at) => `country eq "${at}"`)}]` })),
    /comparisons/,
  ),
  patch("removal of listed elements", OPERATIONS, (size) =>
    many(size, () => ({ op: "remove", path: "addresses", value: many(5, (at) => ({ country: `${at}` })) })),
  ),
  patch("parts of all elements", OPERATIONS, (size) =>
    many(size, (at) => ({ op: "replace", path: "addresses.country", value: `${at}` })),
  ),
  patch("attributes without a path", 3_000, (size) => [
    { op: "add", value: Object.fromEntries(many(size, (at) => [`m${at}`, 1])) },
  ]),
  patch(
    "paths of great length",
    120,
    (size) => many(size, () => ({ op: "remove", path: `addresses[${joined(190, () => 'country eq "a"')}]` })),
    /comparisons|bytes/,
  ),
  sized({
    name: "PATCH: listed parts of long texts",
    largest: 9_000,
    input: (size) => ({
      Operations: [{ op: "remove", path: "addresses", value: many(size, (at) => ({ streetAddress: `a${at}` })) }],
    }),
    run: (body) => applyPatch(userType, longKim, readPatch(userType, body)),
  }),
  sized({
    name: "PATCH: long texts in many operations",
    largest: OPERATIONS,
    // V8 counts fewer blocks of the smaller input where it compiles them early. Squared, the growth would be 16.
    growth: 8,
    input: (size) => ({
      Operations: many(size, (at) => ({ op: "remove", path: "addresses", value: [{ streetAddress: `a${at}` }] })),
    }),
    run: (body) => applyPatch(userType, longKim, readPatch(userType, body)),
  }),
  group("members", MEMBERS, (size) => [
    { op: "add", path: "members", value: many(size, (at) => ({ value: `u-${at}` })) },
  ]),
  group("a member in each operation", OPERATIONS, (size) =>
    many(size, (at) => ({ op: "remove", path: `members[value eq "u-${at}"]` })),
  ),
  group(
    "a filter in each operation",
    OPERATIONS,
    (size) => many(size, (at) => ({ op: "remove", path: `members[display eq "kim-${at}"]` })),
    /comparisons/,
  ),
  group(
    "filters of many comparisons",
    50,
    (size) =>
      many(size, (operation) => ({
        op: "remove",
        path: `members[${joined(190, (at) => `display eq "kim-${operation * 190 + at}"`)}]`,
      })),
    /comparisons/,
  ),
  body("elements", 100, (size) => ({
    userName: "kim",
    addresses: many(size, address),
    phoneNumbers: many(size, email),
  })),
  body(
    "too many elements",
    MEMBERS / 2,
    (size) => ({ userName: "kim", addresses: many(size, address) }),
    /at most 100 values/,
  ),
  body("unknown members", MEMBERS, (size) => ({
    userName: "kim",
    ...Object.fromEntries(many(size, (at) => [`m${at}`, at])),
  })),
  body("schemas", MEMBERS, (size) => ({ userName: "kim", schemas: many(size, () => "urn:a") })),
  body("a long value", 1_000_000, (size) => ({ userName: "k".repeat(size) }), /characters/),
  bulk("creations of users", OPERATIONS, (size) => many(size, (at) => creation(at, { userName: `u${at}` }))),
  bulk("references in a chain against the order", OPERATIONS, (size) =>
    many(size, (at) => creation(at, { members: [{ value: `bulkId:b${at + 1}` }] }, "/Groups")),
  ),
  bulk("references in a cycle", OPERATIONS, (size) =>
    many(size, (at) => creation(at, { members: [{ value: `bulkId:b${(at + 1) % size}` }] }, "/Groups")),
  ),
  bulk("many references of one operation", 9_000, (size) => [
    creation(0, { members: many(size, () => "bulkId:b1").map((value, at) => ({ value: `${value}${at}` })) }, "/Groups"),
    ...many(900, (at) => creation(at + 1, { members: [{ value: `bulkId:b${at + 2}` }] }, "/Groups")),
  ]),
  names("names", 1_000, (size) => many(size, (at) => `a${at}`)),
  names("too many names", 10_000, (size) => many(size, (at) => `a${at}`), /at most 1000 names/),
  names("commas", 1_000_000, (size) => [",".repeat(size)]),
  names("brackets", 1_000_000, (size) => ["[".repeat(size)]),
  names("quotes in brackets", 1_000_000, (size) => [`[${'"'.repeat(size)}`]),
  scim1("elements", 100, (size) => ({
    userName: "kim",
    addresses: many(size, address),
    phoneNumbers: many(size, email),
  })),
  scim1("elements marked for removal", 3_000, (size) => ({
    phoneNumbers: many(size, (at) => ({ ...email(at), operation: "delete" })),
  })),
  scim1("names to remove", 1_000, (size) => ({ meta: { attributes: many(size, () => "addresses") } })),
  scim1("unknown members", MEMBERS, (size) => Object.fromEntries(many(size, (at) => [`m${at}`, at]))),
  sized({
    name: "SCIM 1.1: a filter on users",
    largest: 9_000,
    input: (size) => `title eq "${"\\\\".repeat(size / 2)}"`,
    run: (text) => userFilter(userType, text),
    outcome: /./,
  }),
  sized({
    name: "SCIM 1.1: blanks in a filter",
    largest: 9_000,
    input: (size) => `displayName${" ".repeat(size)}x`,
    run: (text) => groupFilter(groupType, text, []),
    outcome: /not a filter/,
  }),
  sized({
    name: "SCIM 1.1: wildcards",
    largest: 4_000,
    input: (size) => `displayName eq ${"a*".repeat(size)}`,
    run: (text) => groupFilter(groupType, text, []).names?.test?.("a".repeat(255)),
  }),
];
