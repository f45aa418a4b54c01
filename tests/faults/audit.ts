/**
 * The whole table held against itself, for what tests/unit/identities/audit.ts does not cover: applications, templates, API
 * resources and tenants. Reads items only.
 */

import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Item } from "#core/database/table/table.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { applicationIndexProblems } from "#tests/support/application-index.ts";
import type { TestTable } from "#tests/support/engine.ts";
import { discrepancies, everything } from "#tests/unit/identities/audit.ts";
import { canonical } from "./ledger.ts";

const MAIN = "A";
const ID = "0";

/** What only one of two lists has. */
const unlike = (what: string, found: Iterable<string>, expected: Iterable<string>): string[] => {
  const [has, should] = [new Set(found), new Set(expected)];
  return [
    ...[...has].filter((one) => !should.has(one)).map((one) => `${what}: ${one} must not exist`),
    ...[...should].filter((one) => !has.has(one)).map((one) => `${what}: ${one} is missing`),
  ];
};

/** The items of one kind in a table: main items below a prefix, or all items of a partition. */
const reader = (items: readonly Item[]) => ({
  main: (prefix: string) => items.filter(({ PK, SK }) => PK.startsWith(prefix) && SK === MAIN),
  partition: (PK: string) => items.filter((item) => item.PK === PK),
});

const hexOf = (value: unknown): string => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : "?");
const bare = (id: string): string => id.replaceAll("-", "");

// biome-ignore lint/suspicious/noExplicitAny: stored documents, whose members are compared and not used
type Stored = any;

/** Applications: item, entry, claims, client, authorized APIs. */
const applicationsOf = (items: readonly Item[], tenant: string): string[] => {
  const { main, partition } = reader(items);
  const prefix = keys.application(tenant, "").PK;
  const stored = main(prefix).map((item) => item.application as Stored);
  const ids = new Set(stored.map(({ id }) => String(id)));
  const apisItems = items.filter(({ PK, SK }) => PK.startsWith(prefix) && SK !== MAIN);
  const apisOf = (id: string) => apisItems.find(({ PK }) => PK === keys.authorizedApis(tenant, id).PK);

  const samlKey = ({ issuer, serviceProviderQualifier: qualifier }: Stored) =>
    qualifier ? `${issuer}:urn:sp:qualifier:${qualifier}` : issuer;
  const claims = stored.flatMap(({ id, inbound: { saml, oidc, passiveSts, wsTrust } }) => [
    ...(saml ? [[keys.inboundKey(tenant, "SAML", samlKey(saml)).PK, id]] : []),
    ...(oidc ? [[keys.client(oidc.clientId).PK, id]] : []),
    ...(passiveSts ? [[keys.inboundKey(tenant, "STS", passiveSts.realm).PK, id]] : []),
    ...(wsTrust ? [[keys.inboundKey(tenant, "WSTRUST", wsTrust.audience).PK, id]] : []),
  ]);
  const claimPrefixes = ["SAML", "STS", "WSTRUST"].map((kind) => keys.inboundKey(tenant, kind, "").PK);
  const foundClaims = items.filter(
    ({ PK, tenant: of }) =>
      claimPrefixes.some((one) => PK.startsWith(one)) || (PK.startsWith(keys.client("").PK) && of === tenant),
  );
  const entries = partition(keys.applicationEntries(tenant));
  return [
    ...unlike(
      "entries of applications",
      entries.map(({ SK, i, c, s }) => canonical([SK, hexOf(i), c ?? null, s ?? null])),
      stored.map(({ name, id, inbound: { oidc, saml } }) =>
        canonical([name, bare(id), oidc?.clientId ?? null, saml ? samlKey(saml) : null]),
      ),
    ),
    ...unlike(
      "claims of applications",
      foundClaims.map(({ PK, application }) => `${PK} of ${String(application)}`),
      claims.map(([PK, id]) => `${PK} of ${id}`),
    ),
    ...apisItems
      .map(({ PK }) => PK.slice(prefix.length))
      .filter((id) => !ids.has(id))
      .map((id) => `authorized APIs of ${id}, which does not exist`),
    ...stored.flatMap(({ id, applicationEnabled, inbound: { oidc } }) => {
      if (!oidc) return [];
      const row = items.find(({ PK }) => PK === keys.client(oidc.clientId).PK);
      const client = row?.client as Stored;
      const apis = apisOf(id);
      return [
        ...unlike(
          `the client of ${id}`,
          [canonical([client?.sealedSecret, client?.isEnabled, client?.state, client?.grantTypes])],
          [canonical([oidc.sealedSecret, applicationEnabled, oidc.state, oidc.grantTypes])],
        ),
        ...unlike(`the client's APIs of ${id}`, [canonical(row?.apis ?? [])], [canonical(apis?.apis ?? [])]),
        ...(apis && apis.clientId !== oidc.clientId
          ? [`the authorized APIs of ${id} name the client ${String(apis.clientId)}`]
          : []),
      ];
    }),
  ];
};

/** Templates: item and entry. */
const templatesOf = (items: readonly Item[], tenant: string): string[] => {
  const { main, partition } = reader(items);
  const prefix = keys.template(tenant, "").PK;
  return unlike(
    "entries of templates",
    partition(keys.templateEntries(tenant)).map(({ SK, id, ver, summary }) => canonical([SK, id, ver, summary])),
    main(prefix).map(({ PK, ver, summary }) =>
      canonical([(summary as Stored).name, PK.slice(prefix.length), ver, summary]),
    ),
  );
};

/** API resources: item, entry, the claim of each scope. */
const apisOf = (items: readonly Item[], tenant: string): string[] => {
  const { main, partition } = reader(items);
  const stored = main(keys.apiResource(tenant, "").PK).map(({ api }) => api as Stored);
  const scopePrefix = keys.scope(tenant, "").PK;
  return [
    ...unlike(
      "entries of API resources",
      partition(keys.apiResourceEntries(tenant)).map(({ SK, id, name }) => canonical([SK, id, name])),
      stored.map(({ identifier, id, name }) => canonical([identifier, id, name])),
    ),
    ...unlike(
      "claims of scopes",
      main(scopePrefix).map(({ PK, id, api }) => canonical([PK.slice(scopePrefix.length), id, api])),
      stored.flatMap((api) => api.scopes.map((scope: Stored) => canonical([scope.name, scope.id, api.id]))),
    ),
  ];
};

/** Tenants: item, entry, claim of the id, and what each has from its first moment. */
const tenantsOf = (items: readonly Item[]): { readonly problems: string[]; readonly domains: readonly string[] } => {
  const { partition } = reader(items);
  const [before = "", behind = ""] = keys.tenant("?").PK.split("?");
  const stored = items.filter(({ PK, SK }) => PK.startsWith(before) && PK.endsWith(behind) && SK === MAIN);
  const of = stored.map((item) => ({ item, domain: item.PK.slice(before.length, -behind.length) }));
  const idPrefix = keys.tenantId("").PK;
  const pairs = of.map(({ item, domain }) => canonical([domain, item.id]));
  const has = (PK: string) => items.some((item) => item.PK === PK);
  return {
    domains: of.map(({ domain }) => domain),
    problems: [
      ...unlike(
        "entries of tenants",
        partition(keys.tenantEntry("").PK).map(({ SK, id }) => canonical([SK, id])),
        pairs,
      ),
      ...unlike(
        "ids of tenants",
        items
          .filter(({ PK }) => PK.startsWith(idPrefix))
          .map(({ PK, domain }) => canonical([domain, PK.slice(idPrefix.length)])),
        pairs,
      ),
      ...of.flatMap(({ item, domain }) => [
        ...(has(keys.user(domain, String(item.administrator)).PK) ? [] : [`${domain} has no administrator`]),
        ...(has(keys.credential(domain, String(item.administrator)).PK)
          ? []
          : [`the owner of ${domain} has no password`]),
        ...(partition(keys.roleName(domain, "").PK).length >= 2 ? [] : [`${domain} lacks its roles`]),
      ]),
    ],
  };
};

/** Roles: item and entry. */
const rolesOf = (items: readonly Item[], tenant: string): string[] => {
  const { main, partition } = reader(items);
  return unlike(
    "entries of roles",
    partition(keys.roleName(tenant, "").PK).map(({ id }) => String(id)),
    main(keys.role(tenant, "").PK).map(({ id }) => String(id)),
  );
};

/** The name index: names have ranges. What the ranges hold is checked with the users and groups. */
const rangesOf = (items: readonly Item[], tenant: string): string[] => {
  const { partition } = reader(items);
  return [keys.userNames(tenant, PRIMARY), keys.groupNames(tenant, PRIMARY)].flatMap(({ entries, ranges }) =>
    partition(entries).length > 0 && partition(ranges).length === 0 ? [`the names ${entries} have no range`] : [],
  );
};

/** What belongs to no tenant that exists. A reservation that a kill left behind has no effect (decision 0062). */
const strayOf = (items: readonly Item[], domains: readonly string[]): string[] => {
  const [before = ""] = keys.tenant("?").PK.split("?");
  const known = new Set(domains);
  const tenantIn = (PK: string) => PK.slice(before.length).split("#")[0] ?? ID;
  const isReservation = ({ SK, kept }: Item) => SK === keys.tenantReservation("?").SK && kept === false;
  const stray = items.filter((item) => item.PK.startsWith(before) && !known.has(tenantIn(item.PK)));
  return [...new Set(stray.flatMap((item) => (isReservation(item) ? [] : [item.PK])))].map(
    (PK) => `${PK} belongs to no tenant`,
  );
};

/** Everything in the table that does not fit together, in sentences. No writer may be active. */
export const audit = async (table: TestTable): Promise<readonly string[]> => {
  const items = await everything(table);
  const tenants = tenantsOf(items);
  const people = await Promise.all(tenants.domains.map((domain) => discrepancies(table, domain)));
  const indexes = await Promise.all(
    tenants.domains.map((domain) => {
      const prefix = keys.application(domain, "").PK;
      const rows = items.filter(({ PK, SK }) => PK.startsWith(prefix) && SK === MAIN);
      return applicationIndexProblems(table.open(newMeter()), domain, rows);
    }),
  );
  return [
    ...tenants.problems,
    ...strayOf(items, tenants.domains),
    ...people.flat(),
    ...indexes.flat(),
    ...tenants.domains.flatMap((domain) => [
      ...applicationsOf(items, domain),
      ...templatesOf(items, domain),
      ...apisOf(items, domain),
      ...rolesOf(items, domain),
      ...rangesOf(items, domain),
    ]),
  ];
};
