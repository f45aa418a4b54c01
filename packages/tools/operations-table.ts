/**
 * `npm run operations-table` writes docs/operations-table.md from the catalogue and from what each operation costs on a
 * small data set; with `-- --check` it fails when the committed document differs.
 */
import { BYTES_MAX } from "#core/http/body.ts";
import { MEMBERS_MAX } from "#core/http/json.ts";
import { commonFailures, type Operation, PUBLIC } from "#core/kernel/operation/operation.ts";
import { type ServiceName, services } from "#core/kernel/operation/services.ts";
import { operations } from "#core/service/catalogue.ts";
import { writeOrCheck } from "./generated.ts";
import type { Units } from "./operation-units/caller.ts";
import { dataSet } from "./operation-units/fixture.ts";
import { measureUnits } from "./operation-units/measure.ts";

const NONE = "–";
const KIB = 1_024;

/**
 * Operations whose read units depend on ids, which are random: how records are spread over the lanes of a tenant. The
 * table states the next multiple of this number.
 */
const varying: ReadonlyMap<string, number> = new Map([
  ["createWebhook", 40],
  ["createStream", 40],
  ["pollStream", 40],
  ["listAuditEvents", 20],
]);

const number = (value: number): string => value.toLocaleString("en");

const sizeOf = (bytes: number): string =>
  bytes % KIB ** 2 === 0 ? `${bytes / KIB ** 2} MiB` : `${number(bytes / KIB)} KiB`;

const scopesOf = ({ scope, furtherScopes = [], partialScopes = [] }: Operation): string => {
  if (scope === PUBLIC) return "none";
  const names = (list: readonly string[]) => list.map((name) => `\`${name}\``).join(", ");
  return [
    names([scope]),
    ...(furtherScopes.length > 0 ? [`further: ${names(furtherScopes)}`] : []),
    ...(partialScopes.length > 0 ? [`partial: ${names(partialScopes)}`] : []),
  ].join("; ");
};

const bodyLimitOf = ({ body, media = "json", limits = {} }: Operation): string => {
  if (!body) return NONE;
  const bytes = sizeOf(limits.bytes ?? BYTES_MAX);
  return media === "json" ? `${bytes}, ${number(limits.members ?? MEMBERS_MAX)} members` : bytes;
};

const rowOf = (id: string, operation: Operation, units: Units | undefined): string => {
  if (!units) throw new Error(`${id} was not measured`);
  const { method, path, success, failures } = operation;
  const roughly = varying.get(id);
  const cells = [
    `\`${id}\``,
    method,
    `\`${path}\``,
    scopesOf(operation),
    bodyLimitOf(operation),
    success.status,
    failures.join(", ") || NONE,
    units.roundTrips,
    roughly === undefined ? units.readUnits : `up to ${Math.ceil(units.readUnits / roughly) * roughly}`,
    units.writeUnits,
  ];
  return `| ${cells.join(" | ")} |`;
};

const HEADER = [
  "| Operation | Method | Path | Scopes | Body limit | Success | Failures | Round trips | Read units | Write units |",
  "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
];

const INTRODUCTION = `# Operations

Written by \`npm run operations-table\` from the operation catalogue. Do not edit it:
\`npm run operations-table -- --check\` fails on a difference. \`docs/requirements.md\` says what operations are for;
\`docs/openapi.json\` has their shapes.

- **Scopes**: the scope that a credential needs. \`further\` scopes are needed too. Each \`partial\` scope allows a part
  of the operation. Operations with \`none\` need no credential of a user.
- **Body limit**: bytes of the body, and members of all objects of a JSON body together, and as many elements
  of its lists. ${NONE}: the operation reads no body.
- **Failures**: the statuses of the operation itself. Where they apply, any operation may also return
  ${commonFailures.join(", ")}: invalid input, no credential,
  a missing scope, an unknown path, another method, \`Accept\` without JSON, other writers that keep committing first, a
  condition that does not hold, a body that is too large or of another media type, a missing condition where the
  operator requires one, the rate limit of the gateway, headers that are too large, a defect, a busy database.
  \`docs/openapi.json\` lists them for each operation.
- **Round trips, read units, write units**: what one call costs in the table, in sequential round trips and in
  DynamoDB's capacity units, counted on the embedded engine. Authorising the request comes on top (\`docs/scaling.md\`).

The figures are of a function that has served requests before, and of this data set:
${dataSet}.
Lists cost more with more items: \`npm run bench\` measures large tenants. Some changes of applications also move the
entries of their index on, and then cost more than the table says
([decision 0136](decisions/0136-an-index-of-columns-for-applications.md)).
`;

/** The document, from what each operation costs. */
const documentOf = (units: ReadonlyMap<string, Units>): string => {
  const sections = (Object.keys(services) as ServiceName[]).map((service) => {
    const rows = Object.entries(operations)
      .filter(([, declaration]) => declaration.service === service)
      .map(([id, declaration]) => rowOf(id, declaration, units.get(id)));
    return [`## ${service}`, "", ...HEADER, ...rows, ""].join("\n");
  });
  return [INTRODUCTION, ...sections].join("\n");
};

/**
 * The least of two measurements. Ids are random, and so is which change finds a lane of an index full and moves its
 * entries on: one of some thirty measurements of `deleteApplication` does.
 */
const usualUnits = async (): Promise<ReadonlyMap<string, Units>> => {
  const [first, second] = [await measureUnits(), await measureUnits()];
  const costs = ({ roundTrips, readUnits, writeUnits }: Units) => roundTrips + readUnits + writeUnits;
  const lesser = (units: Units, other = units) => (costs(other) < costs(units) ? other : units);
  return new Map([...first].map(([id, units]) => [id, lesser(units, second.get(id))]));
};

await writeOrCheck("docs/operations-table.md", documentOf(await usualUnits()), "operations-table");
