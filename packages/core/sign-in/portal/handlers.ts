/** The handlers of the operations on the applications that the calling user can open. */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import { matches, parseFilter, type Vocabulary } from "../../kernel/filter/filter.ts";
import { LIMIT_DEFAULTS, type ListQuery, type PageLink, pageOf } from "../../kernel/management-api.ts";
import type { Principal } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { type Openable, openableBy, openableOf, type PortalStores } from "./applications.ts";
import type { MyApplication, MyApplicationList, portalOperations } from "./contract.ts";

type Shown = z.input<typeof MyApplication>;
type Member = Exclude<keyof Shown, "id">;

const vocabulary: Vocabulary<"name"> = {
  attributes: ["name"],
  names: ["name"],
  unknownAttribute: "filter.attribute",
  example: "name co board",
};

const members: readonly Member[] = ["name", "description", "image", "accessUrl"];

export const portalHandlers: Handlers<typeof portalOperations, PortalStores> = {
  async listMyApplications({ query }, context): Promise<z.input<typeof MyApplicationList>> {
    const shown = membersIn(query.attributes);
    const filter = query.filter?.trim() ? parseFilter(query.filter, vocabulary) : undefined;
    const { limit, offset } = pageOf(query, LIMIT_DEFAULTS.applications);
    const all = await openableBy(context, context.tenant, ownId(context.principal));
    const found = filter ? all.filter(({ name }) => matches(filter, { name })) : all;
    const page = found.slice(offset, offset + limit);
    return {
      totalResults: found.length,
      startIndex: offset + 1,
      count: page.length,
      applications: page.map((application) => present(application, shown)),
      links: linksOf(context.tenant, query, { offset, limit, total: found.length }),
    };
  },

  async getMyApplication({ params: { applicationId } }, context) {
    const found = await openableOf(context, context.tenant, ownId(context.principal), applicationId);
    if (found) return present(found, members);
    throw new Fault("portal.not_found", `You have no application with the id ${applicationId.slice(0, 100)}.`);
  },
};

/** The id of the calling user. Throws `auth.forbidden` for an application on its own account. */
function ownId({ kind, subject }: Principal): string {
  if (kind === "user") return subject;
  throw new Fault("auth.forbidden", "Only people have applications that they can open. Sign in as a user.");
}

/** The members to show. Throws `portal.attribute_unknown`. */
function membersIn(attributes: string | undefined): readonly Member[] {
  const names = (attributes ?? "").split(",").flatMap((name) => name.trim() || []);
  const unknown = names.find((name) => name !== "id" && !members.some((member) => member === name));
  if (unknown !== undefined) {
    throw new Fault(
      "portal.attribute_unknown",
      `attributes: '${unknown.slice(0, 50)}' is no member of an application; use ${["id", ...members].join(", ")}.`,
    );
  }
  return names.length === 0 ? members : members.filter((member) => names.includes(member));
}

function present({ id, imageUrl: image, ...values }: Openable, shown: readonly Member[]): Shown {
  const all: Omit<Shown, "id"> = { ...values, image };
  const given = shown.flatMap((member) => (all[member] === undefined ? [] : [[member, all[member]]]));
  return { id, ...Object.fromEntries(given) };
}

function linksOf(
  tenant: string,
  { filter, attributes }: ListQuery,
  { offset, limit, total }: Readonly<Record<"offset" | "limit" | "total", number>>,
): PageLink[] {
  const rest = { ...(filter?.trim() && { filter }), ...(attributes?.trim() && { attributes }) };
  const link = (rel: PageLink["rel"], from: number, count: number): PageLink => ({
    rel,
    href: `/t/${tenant}/api/users/v1/me/applications?${new URLSearchParams({
      offset: String(from),
      limit: String(count),
      ...rest,
    })}`,
  });
  const before = Math.min(offset, total);
  return [
    ...(offset + limit < total ? [link("next", offset + limit, limit)] : []),
    ...(before > 0 ? [link("previous", Math.max(0, before - limit), Math.min(limit, before))] : []),
  ];
}
