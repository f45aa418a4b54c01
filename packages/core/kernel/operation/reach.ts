/**
 * What an operation does to which kind of resource: access rules must not protect one way to a resource and leave
 * another open (decision 0144). Pure.
 */
const acts = ["read", "create", "update", "delete"] as const;
type Act = (typeof acts)[number];

/** Kinds of resources that scopes do not name. Those of a scope have the word in it: `user`, `api_resource`. */
type Kind =
  | "application"
  | "application file"
  | "authorized API"
  | "assignment"
  | "template"
  | "owner"
  | "script"
  | "resident"
  | "protocol list"
  | "saml"
  | "oidc"
  | "passive-sts"
  | "ws-trust"
  | "custom"
  | "secret"
  | "OIDC scope"
  | "API scope"
  | "api_resource"
  | "user"
  | "group"
  | "role"
  | "tenant"
  | "webhook"
  | "audit"
  | "access"
  | "own account"
  | "own session"
  | "session"
  | "resources"
  | "deleted resource";

/** An act on a kind of resource. */
export type Reach = `${Act} ${Kind}`;

/** The verbs of scopes that have other names than the act. */
const verbs: Readonly<Record<string, Act>> = { view: "read", list: "read", modify: "update", manage: "update" };

/** The settings of the inbound protocols of an application. */
export const readsProtocols = ["read saml", "read oidc", "read passive-sts", "read ws-trust", "read custom"] as const;
export const updatesProtocols = [
  ...["update saml", "update oidc", "update passive-sts", "update ws-trust", "update custom"],
] as readonly Reach[];

/** What records of changes show. */
export const readsChanges: readonly Reach[] = [
  ...([
    "read application",
    ...readsProtocols,
    "read authorized API",
    "read assignment",
    "read template",
    "read resident",
  ] as const),
  ...(["read OIDC scope", "read API scope", "read api_resource", "read tenant", "read webhook"] as const),
  ...(["read user", "read group", "read role"] as const),
];

/** What security events show to receivers. */
export const readsPeople = ["read user", "read group", "read role"] as const;

/** The scopes of an operation, and what it declares. */
interface Declared {
  readonly scope: string;
  readonly furtherScopes?: readonly string[];
  readonly does?: readonly string[];
  readonly reaches?: readonly string[];
}

/** What operations do, as it was found out before. */
const found = new WeakMap<Declared, readonly string[]>();

/** What an operation does: as it declares, or as its scopes say. */
export function doneBy(declared: Declared): readonly string[] {
  const { does, scope, furtherScopes = [] } = declared;
  const acts = does ?? found.get(declared) ?? [...new Set([scope, ...furtherScopes].flatMap(actsOf))];
  if (!does) found.set(declared, acts);
  return acts;
}

/** What an operation does or gives besides. */
export function reachedBy(declared: Declared): readonly string[] {
  return [...doneBy(declared), ...(declared.reaches ?? [])];
}

/** What a scope is for; nothing where its name does not say it. */
export function actsOf(scope: string): readonly string[] {
  const [, leading, plural] = /^internal_(list|create|modify)_(\w+)s$/.exec(scope) ?? [];
  if (leading !== undefined) return [`${actOf(leading)} ${plural}`];
  const [, of, , act] =
    /^internal_(\w+?)(_mgt(?:_\w+)?)?_(view|list|create|update|delete)$/.exec(scope) ??
    /^(ssf)(\.)(read|manage)$/.exec(scope) ??
    [];
  return act === undefined ? [] : [`${actOf(act)} ${of}`];
}

/** The kind of resource in a reach. */
export function kindOf(reach: string): string {
  return reach.slice(reach.indexOf(" ") + 1);
}

function actOf(verb: string): string {
  return verbs[verb] ?? verb;
}
