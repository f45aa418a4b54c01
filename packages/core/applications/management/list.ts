/** The list of applications: filter, page, links (AM-048 to AM-066). */
import type * as z from "zod";
import { Fault } from "../../platform/faults.ts";
import { attributesOf, parseFilter, type Vocabulary } from "../../platform/filter/filter.ts";
import { LIMIT_DEFAULTS, type ListQuery, type PageLink, pageOf } from "../../platform/management-api.ts";
import type { ApplicationEntry } from "../registry/application-rows.ts";
import { APPLICATION_VERSION } from "../registry/model.ts";
import { presentAdvanced, presentAssociatedRoles, selfOf } from "../registry/present.ts";
import type { ApplicationList, ApplicationListItem } from "../registry/shapes.ts";
import type { ShownApplication } from "../registry/shown-store.ts";
import type { ApplicationStore } from "../registry/store.ts";
import { type Filterable, filterable, matching } from "./matching.ts";

const vocabulary: Vocabulary<Filterable> = {
  attributes: filterable,
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
