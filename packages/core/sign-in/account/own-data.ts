/** What belongs to the own account besides the profile: sessions, consents, groups, roles, and recent changes. */

import { resourceHistory } from "../../database/changes/audit.ts";
import type { Change, ChangeRecord } from "../../database/changes/model.ts";
import { isObject } from "../../kernel/json.ts";
import type { RequestContext } from "../../kernel/operation/context.ts";
import { claimInWords, scopeInWords } from "../pages/consent-words.ts";
import type { Language } from "../pages/language.ts";
import { consentsOf } from "../sessions/consent-store.ts";
import { type SessionStores, sessionHandlers } from "../sessions/handlers.ts";
import type { AccountContext } from "./context.ts";
import type { Visitor } from "./visitor.ts";

/** The stores and the caller of the operations on own sessions and consents. */
export function ownContext({ tenant, principal }: Visitor, context: AccountContext): RequestContext & SessionStores {
  const { settings, limits } = context.tools;
  const { table, users } = context.as(principal);
  const { applications, traceId, now, origin, sourceIp, reportDefect } = context;
  const stores = { table, users, applications, sessionLimits: settings.sessions, tokenLimits: limits };
  return { traceId, now, origin, sourceIp, reportDefect, principal, tenant, ...stores };
}

const nothing = { params: undefined, query: undefined, headers: undefined, body: undefined } as const;

/** The sessions of the person that have not ended. Two round trips. */
export async function ownSessions(visitor: Visitor, context: AccountContext) {
  const { sessions } = await sessionHandlers.listMySessions(nothing, ownContext(visitor, context));
  return sessions;
}

/** What the person has agreed to. */
export interface OwnConsent {
  readonly applicationId: string;
  readonly name: string;
  readonly givenMs: number;
  /** Names of scopes and of single claims. */
  readonly scopes: readonly string[];
  readonly claims: readonly string[];
  /** The same for people. */
  readonly inWords: readonly string[];
}

/** The consents of the person for applications that exist. Two round trips. */
export async function ownConsents(
  { tenant, user, language }: Pick<Visitor, "tenant" | "user" | "language">,
  context: AccountContext,
): Promise<readonly OwnConsent[]> {
  const [given, known] = await Promise.all([
    consentsOf(context.table, tenant, user.id),
    context.oidcScopes.all(tenant),
  ]);
  const all = await Promise.all(
    given.map(async ({ applicationId, tenant: other = tenant, scopes, claims, givenMs }) => {
      const application = await context.applications.find(other, applicationId);
      if (!application) return [];
      // The words of another tenant for its scopes are not known here.
      const scopeOf = (name: string) => (other === tenant ? known.find((each) => each.name === name) : undefined);
      const inWords = wordsOf(scopes, claims, scopeOf, language);
      return [{ applicationId, name: application.name, givenMs, scopes, claims, inWords }];
    }),
  );
  return all.flat();
}

function wordsOf(
  scopes: readonly string[],
  claims: readonly string[],
  scopeOf: (name: string) => Parameters<typeof scopeInWords>[1],
  language: Language,
): readonly string[] {
  const all = [
    ...scopes.map((name) => scopeInWords(name, scopeOf(name), language).name),
    ...claims.map((name) => claimInWords(name, language).name),
  ];
  return [...new Set(all)];
}

/** The names of the groups and roles of the person. One round trip. */
export async function ownMemberships({ tenant, user }: Visitor, { groups, roles }: AccountContext) {
  const [ofGroups, ofRoles] = await Promise.all([
    groups.findMany(tenant, user.groupIds),
    roles.findMany(tenant, user.roleIds),
  ]);
  return {
    groups: ofGroups.flatMap((group) => (group ? [group.displayName] : [])),
    roles: ofRoles.map(({ name }) => name),
  };
}

/** A change of the own account, as its person may see it: without values, and without the names of others. */
export interface OwnChange {
  readonly atMs: number;
  readonly isOwn: boolean;
  /** The names of the attributes; `created` for the account as a whole. */
  readonly attributes: readonly string[];
}

/** The latest changes of the own account, the newest first. Up to two round trips. */
export async function ownChanges({ tenant, user }: Visitor, { table }: AccountContext, limit: number) {
  const page = await resourceHistory(table, tenant, { type: "user", id: user.id }, { limit });
  return (page?.records ?? []).map((record) => shownChange(record, user.id));
}

function shownChange({ atMs, actor, changes }: ChangeRecord, userId: string): OwnChange {
  const names = changes.flatMap(attributesIn);
  return { atMs, isOwn: actor.type === "user" && actor.id === userId, attributes: [...new Set(names)] };
}

/** The attributes that a change is about: of an extension those inside of it. */
function attributesIn({ path, value, from }: Change): readonly string[] {
  const [, first = "", second] = path.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (first === "") return ["created"];
  if (!first.includes(":")) return [first];
  if (second !== undefined) return [second];
  return [value, from].flatMap((one) => (isObject(one) ? Object.keys(one) : []));
}
