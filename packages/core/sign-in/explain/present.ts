/** An explanation as callers see it: links that a caller may not see are counted, and not named. */
import type * as z from "zod";
import type { ApiResourceStore } from "../../applications/apis/store.ts";
import { shownName } from "../../directory/groups/model.ts";
import { qualifiedName } from "../../directory/users/model.ts";
import type { AccessExplanation } from "./contract.ts";
import { reasons } from "./gaps.ts";
import type { Known } from "./known.ts";
import type { LinkType } from "./link-model.ts";
import type { Question } from "./question-model.ts";
import type { Gap, Link, Path, Requirement, Verdict } from "./verdict-model.ts";

type Shown = z.input<typeof AccessExplanation>;
type ShownLink = Shown["requirements"][number]["paths"][number]["links"][number];

/** The most paths, and reasons, that one requirement shows. */
const SHOWN_MAX = 100;

/** The scope that shows links of each type. Which scopes an operation needs is no secret. */
const VIEW: Readonly<Record<LinkType, string | undefined>> = {
  user: "internal_user_mgt_view",
  client: "internal_application_mgt_view",
  group: "internal_group_mgt_view",
  role: "internal_role_mgt_view",
  application: "internal_application_mgt_view",
  api: "internal_api_resource_view",
  scope: undefined,
};

/** Whether a caller may see links of a type. */
function maySeeLinks(type: LinkType, scopes: ReadonlySet<string>): boolean {
  const scope = VIEW[type];
  return scope === undefined || scopes.has(scope);
}

/** Whether a caller may be told a reason: the caller may see what it is about, and the link next to the gap. */
export function mayTell({ reason, link }: Gap, scopes: ReadonlySet<string>): boolean {
  const { about } = reasons[reason];
  return (about === undefined || maySeeLinks(about, scopes)) && (link === undefined || maySeeLinks(link.type, scopes));
}

/** What an explanation consists of. */
export interface Explained {
  readonly question: Question;
  readonly known: Known;
  readonly verdict: Verdict;
}

/** The explanation for a caller with some scopes. One round trip where it may see API resources of the tenant. */
export async function present(
  { question: { wanted }, known, verdict }: Explained,
  {
    scopes,
    tenant,
    apiResources,
  }: {
    readonly scopes: ReadonlySet<string>;
    readonly tenant: string;
    readonly apiResources: Pick<ApiResourceStore, "findMany">;
  },
): Promise<Shown> {
  const isSeen = ({ type }: Link) => maySeeLinks(type, scopes);
  const apiIds = new Set(
    verdict.requirements.flatMap(({ paths }) => paths.flat().flatMap(({ type, id }) => (type === "api" ? [id] : []))),
  );
  const apis =
    maySeeLinks("api", scopes) && apiIds.size > 0 ? await apiResources.findMany(tenant, [...apiIds]) : new Map();
  const details = detailsOf(known);
  const shown = (link: Link): ShownLink => ({
    ...link,
    ...(link.type === "api" ? { name: apis.get(link.id)?.name } : details.get(`${link.type} ${link.id}`)),
  });
  const shownPath = (path: Path) => ({
    links: path.filter(isSeen).map(shown),
    hiddenLinks: path.filter((link) => !isSeen(link)).length,
  });
  const isTold = (gap: Gap) => mayTell(gap, scopes);
  const shownRequirement = ({ name, scope, isMet, paths, gaps }: Requirement) => ({
    name,
    ...(scope !== undefined && { scope }),
    isMet,
    paths: paths.slice(0, SHOWN_MAX).map(shownPath),
    totalPaths: paths.length,
    missing: gaps
      .filter(isTold)
      .slice(0, SHOWN_MAX)
      .map(({ reason, link }) => ({
        reason,
        description: reasons[reason].description,
        ...(link && { link: shown(link) }),
      })),
    hiddenMissing: gaps.filter((gap) => !isTold(gap)).length,
  });
  const { isAllowed, isPublic, isPart, credentials, requirements } = verdict;
  return {
    decision: isAllowed,
    ...(wanted.kind === "scope"
      ? { scope: wanted.name }
      : {
          operation: { id: wanted.target.operation, method: wanted.method, path: wanted.target.declared?.path ?? "" },
        }),
    isPublic,
    isPart,
    credentials: [...credentials],
    ...(wanted.kind === "operation" && wanted.rule && { rule: shownRule(wanted.rule) }),
    requirements: requirements.map(shownRequirement),
  };
}

function shownRule({
  place,
  scopes,
  handlers,
}: NonNullable<Extract<Question["wanted"], { kind: "operation" }>["rule"]>) {
  return { place, ...(scopes && { scopes: [...scopes] }), ...(handlers && { credentials: [...handlers] }) };
}

/** Names, by type and id. */
function detailsOf(known: Known): ReadonlyMap<string, Pick<ShownLink, "name" | "audience">> {
  const details = new Map<string, Pick<ShownLink, "name" | "audience">>();
  const { through } = known;
  if (through) {
    const { name, id } = through.application;
    details.set(`application ${id}`, { name });
    if (through.client) details.set(`client ${through.client.clientId}`, { name });
  }
  if (known.kind === "client") return details;
  details.set(`user ${known.user.id}`, { name: qualifiedName(known.user) });
  for (const group of known.groups) details.set(`group ${group.id}`, { name: shownName(group) });
  for (const { role } of known.held) details.set(`role ${role.id}`, { name: role.name, audience: role.audience.type });
  return details;
}
