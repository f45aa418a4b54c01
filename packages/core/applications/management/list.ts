/** The list of applications: filter, page, links (AM-048 to AM-066). */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import { attributesOf, type Filter, matches, parseFilter, type Vocabulary } from "../../kernel/filter/filter.ts";
import { LIMIT_DEFAULTS, type ListQuery, type PageLink, pageOf } from "../../kernel/management-api.ts";
import type { ApplicationEntry } from "../registry/application-rows.ts";
import type { Candidates } from "../registry/candidates-store.ts";
import type { PageOfApplications } from "../registry/index-store.ts";
import { APPLICATION_VERSION } from "../registry/model.ts";
import { presentAdvanced, presentAssociatedRoles, selfOf } from "../registry/present.ts";
import type { ApplicationList, ApplicationListItem } from "../registry/shapes.ts";
import type { ShownApplication } from "../registry/shown-store.ts";
import type { ApplicationStore } from "../registry/store.ts";

/** What lists are filtered by. */
const filterable = ["name", "clientId", "issuer"] as const;

/** More than that of all values of a filter. */
const PREFIX_COST = 1_000;

/**
 * Which applications match the filter of a list. A name, a client id and an issuer belong to one application, and each
 * is the key of a row. So where equalities, or beginnings of names, say which applications can match, those are read
 * and no others (decision 0092). The rest is read from the index of applications (decision 0136).
 */
type Filterable = (typeof filterable)[number];

const vocabulary: Vocabulary<Filterable> = {
  attributes: filterable,
  names: ["name"],
  unknownAttribute: "filter.attribute",
  example: "name eq Pickup or (clientId sw ab and issuer co example)",
};

/** What `attributes` can add to the members that are always shown. */
const requestable = [
  "advancedConfigurations",
  "templateId",
  "templateVersion",
  "clientId",
  "issuer",
  "realm",
  "applicationEnabled",
  "applicationVersion",
  "enhancedOrgAuthenticationEnabled",
  "associatedRoles",
  "associatedRoles.allowedAudience",
] as const;
type Requestable = (typeof requestable)[number];

/**
 * One page of a tenant's applications with the exact total. At most five round trips.
 * Throws the filter's faults and `application.attribute_unknown`.
 */
export async function listApplications(
  store: ApplicationStore,
  tenant: string,
  query: ListQuery,
): Promise<z.input<typeof ApplicationList>> {
  const requested = requestedOf(query.attributes);
  const filter = query.filter?.trim() ? parseFilter(query.filter, vocabulary) : undefined;
  // Rows show the attributes that the filter compares.
  const shown = new Set<Requestable>([...requested, ...(filter ? attributesOf(filter) : [])].filter(isRequestable));
  const { limit, offset } = pageOf(query, LIMIT_DEFAULTS.applications);
  const { total, page } = await matching(store, tenant, filter, { offset, limit });
  const unread = page.flatMap(({ entry, shown: known }) => (known ? [] : [entry]));
  const read = new Map((await store.readMany(tenant, unread)).map((application) => [application.id, application]));
  const applications = page.flatMap(({ entry, shown: application = read.get(entry.id) }) =>
    application ? [presentItem(tenant, application, entry, shown)] : [],
  );
  return {
    totalResults: total,
    startIndex: offset + 1,
    count: applications.length,
    applications,
    links: linksOf(query, offset, limit, total),
  };
}

function requestedOf(attributes: string | undefined): ReadonlySet<Requestable> {
  const names = (attributes ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return new Set(
    names.map((name) => {
      const known = requestable.find((candidate) => candidate === name);
      if (known) return known;
      throw new Fault(
        "application.attribute_unknown",
        `Invalid attribute name '${name.slice(0, 50)}' provided as required attribute; use ${requestable.join(", ")}.`,
      );
    }),
  );
}

function isRequestable(name: string): name is Requestable {
  return requestable.some((candidate) => candidate === name);
}

function presentItem(
  tenant: string,
  application: ShownApplication,
  { clientId, issuer }: ApplicationEntry,
  requested: ReadonlySet<Requestable>,
): z.input<typeof ApplicationListItem> {
  const { id, name, description, imageUrl, accessUrl, templateId } = application;
  return {
    id,
    name,
    description,
    image: imageUrl,
    accessUrl,
    // A requested key of an application without that protocol is an empty text.
    clientId: clientId ?? (requested.has("clientId") ? "" : undefined),
    issuer: requested.has("issuer") ? (issuer ?? "") : undefined,
    templateId: requested.has("templateId") ? templateId : undefined,
    templateVersion: requested.has("templateVersion") ? application.templateVersion : undefined,
    realm: requested.has("realm") ? (application.realm ?? "") : undefined,
    applicationVersion: requested.has("applicationVersion") ? APPLICATION_VERSION : undefined,
    applicationEnabled: requested.has("applicationEnabled") ? application.applicationEnabled : undefined,
    enhancedOrgAuthenticationEnabled: requested.has("enhancedOrgAuthenticationEnabled")
      ? (application.enhancedOrgAuthenticationEnabled ?? false)
      : undefined,
    associatedRoles: rolesOf(application, requested),
    advancedConfigurations: requested.has("advancedConfigurations") ? presentAdvanced(application) : undefined,
    access: "WRITE",
    self: selfOf(tenant, id),
  };
}

function rolesOf(application: ShownApplication, requested: ReadonlySet<Requestable>) {
  if (!requested.has("associatedRoles") && !requested.has("associatedRoles.allowedAudience")) return undefined;
  const { allowedAudience, roles } = presentAssociatedRoles(application);
  return requested.has("associatedRoles") ? { allowedAudience, roles } : { allowedAudience };
}

function linksOf(query: ListQuery, offset: number, limit: number, total: number): PageLink[] {
  const rest = [
    ...(query.filter?.trim() ? [new URLSearchParams({ filter: query.filter }).toString()] : []),
    ...(query.attributes?.trim() ? [new URLSearchParams({ attributes: query.attributes }).toString()] : []),
  ];
  const link = (rel: PageLink["rel"], at: number, size: number): PageLink => ({
    rel,
    href: `applications?${[`offset=${at}`, `limit=${size}`, ...rest].join("&")}`,
  });
  const links: PageLink[] = [];
  if (offset + limit < total) links.push(link("next", offset + limit, limit));
  if (offset > 0 && offset < limit) links.push(link("previous", 0, offset));
  if (offset >= limit) {
    // From beyond the end, step back to the last page that has rows.
    const steps = offset - limit < total ? 1 : Math.ceil((offset - total + 1) / limit);
    links.push(link("previous", Math.max(0, offset - steps * limit), limit));
  }
  return links;
}

/**
 * A page of the matches, newest first. Two round trips where names decide, client ids or issuers, or where the tenant
 * has few applications; otherwise see `readList`.
 */
function matching(
  store: ApplicationStore,
  tenant: string,
  filter: Filter<Filterable> | undefined,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<PageOfApplications> {
  return store.page(tenant, {
    candidates: filter && candidatesOf(filter),
    query: {
      compared: filter ? [...attributesOf(filter)] : [],
      test: filter && (({ name, clientId, issuer }) => matches(filter, { name, clientId, issuer })),
      offset,
      limit,
    },
  });
}

/** What every match has at least one of; `undefined` where the filter does not say so. */
function candidatesOf(filter: Filter<Filterable>): Candidates | undefined {
  if (filter.kind === "compare") {
    const { attribute, operator, value } = filter;
    if (operator === "eq") return { values: [{ attribute, value }], prefixes: [] };
    return operator === "sw" && attribute === "name" && value !== "" ? { values: [], prefixes: [value] } : undefined;
  }
  const parts = filter.parts.map(candidatesOf);
  const known = parts.filter((part) => part !== undefined);
  // Every match is a match of each part: the cheapest one decides.
  if (filter.kind === "and") return known.sort((a, b) => costOf(a) - costOf(b))[0];
  return known.length === parts.length
    ? { values: known.flatMap(({ values }) => values), prefixes: known.flatMap(({ prefixes }) => prefixes) }
    : undefined;
}

/** A measure to compare candidates by: names read an entry, and short prefixes have the most names. */
function costOf({ values, prefixes }: Candidates): number {
  return (
    values.reduce((sum, { attribute }) => sum + (attribute === "name" ? 1 : 2), 0) +
    prefixes.reduce((sum, prefix) => sum + PREFIX_COST / prefix.length, prefixes.length * PREFIX_COST)
  );
}
