/** The ways from a subject to a scope or an application, and what is missing of them. Pure. */
import { directScopesOf, isFor, scopesOf } from "../../directory/roles/model.ts";
import { systemScopes } from "../../kernel/domain/system-apis.ts";
import { SIGNED_IN } from "../../kernel/operation/operation.ts";
import type { WayToRole } from "../authentication/role-ids.ts";
import { authorizedFor, givingOf, targetNames } from "../oauth/scopes.ts";
import type { Known, Through } from "./known.ts";
import type { Question } from "./question-model.ts";
import type { Gap, Link, Path } from "./verdict-model.ts";

type KnownUser = Extract<Known, { kind: "user" }>;

/** All ways to a scope that the subject has. */
export function pathsToScope(name: string, known: Known): readonly Path[] {
  const scope: Link = { type: "scope", id: name };
  const through = known.through && linksOf(known.through, name, known);
  if (known.kind === "client") return [[clientLink(known.through), ...(through ?? []), scope]];
  const user = userLink(known);
  if (!known.through || !through) {
    if (name === SIGNED_IN) return [[user, scope]];
    return waysTo(known, ({ role }) => directScopesOf(role, systemScopes).includes(name)).map((way) => [
      user,
      ...way,
      scope,
    ]);
  }
  const { client } = known.through;
  const needsRole = name !== SIGNED_IN && client && authorizedFor(name, { ...client, ...known })?.policy === "RBAC";
  if (!needsRole) return [[user, ...through, scope]];
  return waysTo(known, ({ role }) => givingOf(role, name, client) === "gives").map((way) => [
    user,
    ...way,
    ...through,
    scope,
  ]);
}

/** All ways by which a user may use an application that asks for an assignment. */
export function pathsToApplication(known: KnownUser, { application }: Through): readonly Path[] {
  const [user, end] = [userLink(known), { type: "application", id: application.id } as const];
  return (known.assigned ?? []).flatMap(({ type, id }): readonly Path[] => {
    if (type === "user") return [[user, end]];
    if (type === "group") return [[user, { type, id }, end]];
    return waysTo(known, ({ role }) => role.id === id).map((way) => [user, ...way, end]);
  });
}

/** Why the subject lacks a scope. */
export function gapsOfScope(name: string, { scopes }: Question, known: Known): readonly Gap[] {
  const { through } = known;
  if (through) {
    const { client, targets } = through;
    // The requirement of the application says it.
    if (!client) return [];
    const application: Link = { type: "application", id: through.application.id };
    const limits: readonly Gap[] = [
      ...(scopes && !scopes.includes(name) ? [{ reason: "not_in_token" } as const] : []),
      ...(targetNames({ names: [name], targets, places: known.places }).length === 0
        ? [{ reason: "not_of_resource" } as const]
        : []),
    ];
    const authorized = authorizedFor(name, { ...client, ...known });
    if (name !== SIGNED_IN && !authorized) return [...limits, { reason: "api_not_authorized", link: application }];
    if (known.kind === "client" || authorized?.policy !== "RBAC") return limits;
    const near = known.held.flatMap(({ role }): readonly Gap[] => {
      const giving = givingOf(role, name, client);
      const link: Link = { type: "role", id: role.id };
      if (giving === "for another application") return [{ reason: "role_of_application", link }];
      return giving === "does not count" ? [{ reason: "role_not_counted", link }] : [];
    });
    const isGiven = known.held.some(({ role }) => givingOf(role, name, client) === "gives");
    return isGiven ? limits : [...limits, ...orNoRole(near)];
  }
  if (known.kind !== "user" || !systemScopes.has(name)) return [{ reason: "needs_token" }];
  const near = known.held.filter(({ role }) => !isFor(role) && scopesOf(role, systemScopes).includes(name));
  return orNoRole(near.map(({ role }) => ({ reason: "role_of_application", link: { type: "role", id: role.id } })));
}

function orNoRole(near: readonly Gap[]): readonly Gap[] {
  return near.length > 0 ? near : [{ reason: "no_role" }];
}

/** The ways of a user to some of its roles. */
function waysTo(known: KnownUser, counts: (held: KnownUser["held"][number]) => boolean): readonly Path[] {
  return known.held.filter(counts).flatMap(({ role, ways }) => ways.map((way) => [...groupOf(way), roleLink(role.id)]));
}

function groupOf({ groupId }: WayToRole): readonly Link[] {
  return groupId === undefined ? [] : [{ type: "group", id: groupId }];
}

/** The application, and its API of the scope. */
function linksOf({ application, client }: Through, name: string, { places }: Pick<Known, "places">): readonly Link[] {
  const authorized = client && authorizedFor(name, { ...client, places });
  return [
    { type: "application", id: application.id },
    ...(authorized ? [{ type: "api", id: authorized.apiId } as const] : []),
  ];
}

function roleLink(id: string): Link {
  return { type: "role", id };
}

function userLink({ user }: KnownUser): Link {
  return { type: "user", id: user.id };
}

function clientLink({ client }: Through): Link {
  return { type: "client", id: client?.clientId ?? "" };
}
