/** The groups of operations in generated clients and in the navigation of readers: by domain, derived from the path. */
import type { Operation } from "../operation/operation.ts";
import type { Json } from "./json-schema.ts";

/** A tag with the paths of its operations. The first tag that fits decides. */
interface Tag {
  readonly name: string;
  readonly description: string;
  /** A heading of the navigation, which holds several tags. */
  readonly group: string;
  readonly paths: RegExp;
}

const APPLICATIONS = "Applications";
const ACCESS = "APIs, scopes and claims";
const PEOPLE = "Users, groups and roles";
const TENANTS = "Tenants";
const TOKENS = "Tokens";
const CHANGES = "Changes and undo";
const EVENTS = "Events";
const ABOUT = "About this service";

const table: readonly Tag[] = [
  {
    name: "Undo",
    description: "Makes resources as they were after a change, and brings deleted ones back",
    group: CHANGES,
    paths: /\/restore$|^\/api\/server\/v1\/deleted-resources/,
  },
  {
    name: "Histories",
    description: "The changes of one resource, and the resource as it was after each of them",
    group: CHANGES,
    paths: /\/history(?:\/|$)/,
  },
  {
    name: "Changes",
    description: "The changes of all resources of a tenant: who changed what, and a feed for readers that continue",
    group: CHANGES,
    paths: /^\/api\/server\/v1\/(?:audit-events|changes)/,
  },
  {
    name: "Client secrets",
    description: "The secrets of an OAuth client, and its revocation",
    group: APPLICATIONS,
    paths: /\/inbound-protocols\/oidc\/./,
  },
  {
    name: "Application metadata",
    description: "What applications can be configured with: values of settings, sample scripts and groups",
    group: APPLICATIONS,
    paths: /^\/api\/server\/v1\/applications\/meta\//,
  },
  {
    name: "Inbound protocols",
    description: "How an application signs users in: SAML2, OpenID Connect, Passive STS, WS-Trust and custom protocols",
    group: APPLICATIONS,
    paths: /\/inbound-protocols/,
  },
  {
    name: "Authorized APIs",
    description: "The APIs and scopes that an application may request tokens for",
    group: APPLICATIONS,
    paths: /\/authorized-apis/,
  },
  {
    name: "Application templates",
    description: "Templates that new applications start from",
    group: APPLICATIONS,
    paths: /^\/api\/server\/v1\/applications\/templates/,
  },
  {
    name: "Application files",
    description: "Applications as files in XML, YAML and JSON: export, import and update",
    group: APPLICATIONS,
    paths: /^\/api\/server\/v1\/applications\/(?:import|.+\/export(?:File)?)$/,
  },
  {
    name: "Resident application",
    description: "The settings of a tenant itself, shown as an application",
    group: APPLICATIONS,
    paths: /^\/api\/server\/v1\/applications\/resident/,
  },
  {
    name: "Applications",
    description: "Applications, their owners and the steps in which users sign in to them",
    group: APPLICATIONS,
    paths: /^\/api\/server\/v1\/applications/,
  },
  {
    name: "API resources",
    description: "APIs of the tenant and of this service, with their scopes",
    group: ACCESS,
    paths: /^\/api\/server\/v1\/(?:api-resources|scopes|meta\/api-resource-collections)/,
  },
  {
    name: "OpenID Connect scopes",
    description: "Scopes that stand for claims of a user",
    group: ACCESS,
    paths: /^\/api\/server\/v1\/oidc\/scopes/,
  },
  {
    name: "Claims",
    description: "Attributes of users under the names that protocols give them",
    group: ACCESS,
    paths: /^\/api\/server\/v1\/claim-dialects/,
  },
  {
    name: "Users (SCIM 2.0)",
    description: "The users of a tenant",
    group: PEOPLE,
    paths: /^\/scim2\/Users/,
  },
  {
    name: "Own account (SCIM 2.0)",
    description: "The user who calls",
    group: PEOPLE,
    paths: /^\/scim2\/Me/,
  },
  {
    name: "Groups (SCIM 2.0)",
    description: "The groups of a tenant, and the users in them",
    group: PEOPLE,
    paths: /^\/scim2\/Groups/,
  },
  {
    name: "Roles (SCIM 2.0)",
    description: "Roles: permissions, with the users and groups that have them",
    group: PEOPLE,
    paths: /^\/scim2\/v2\/Roles/,
  },
  {
    name: "Roles, versions 1 and 3 (SCIM 2.0)",
    description: "The same roles by the first and the third version of their API",
    group: PEOPLE,
    paths: /^\/scim2\/(?:v3\/)?Roles/,
  },
  {
    name: "Features and schemas (SCIM 2.0)",
    description: "What the SCIM 2.0 service supports, and the attributes of its resources",
    group: PEOPLE,
    paths: /^\/scim2\/(?:ServiceProviderConfig|ResourceTypes|Schemas)/,
  },
  {
    name: "Bulk and search (SCIM 2.0)",
    description: "Users and groups together: many changes in one request, and one search",
    group: PEOPLE,
    paths: /^\/scim2/,
  },
  {
    name: "Users and groups (SCIM 1.1)",
    description: "The same users and groups by SCIM 1.1",
    group: PEOPLE,
    paths: /^\/svc\/scim/,
  },
  {
    name: "Tenants",
    description: "The tenants of the deployment and their owners, for the super tenant",
    group: TENANTS,
    paths: /^\/api\/server\/v1\/tenants/,
  },
  {
    name: "User stores",
    description: "The user stores that the deployment declares",
    group: TENANTS,
    paths: /^\/api\/server\/v1\/userstores/,
  },
  {
    name: "Organizations and identity providers",
    description: "What tools read of a tenant before they move its resources",
    group: TENANTS,
    paths: /^\/api\/server\/v1\/(?:organizations|identity-providers)/,
  },
  {
    name: "Security events",
    description: "Streams of security events by the Shared Signals Framework, pushed or polled",
    group: EVENTS,
    paths: /^\/ssf|^\/\.well-known\/ssf-configuration/,
  },
  {
    name: "Webhooks",
    description: "Signed events about changes, sent to receivers of a tenant",
    group: EVENTS,
    paths: /^\/api\/server\/v1\/webhooks/,
  },
  {
    name: "Keys and metadata",
    description: "Public keys, and the metadata of the OAuth 2.0 server and of the APIs that it protects",
    group: TOKENS,
    paths: /^\/oauth2\/(?:jwks|token\/\.well-known)|^\/\.well-known\/(?:oauth|openid)/,
  },
  {
    name: "Sign-in",
    description: "Signs people in to applications by OpenID Connect: authorization endpoint, pages, claims",
    group: TOKENS,
    paths: /^\/oauth2\/(?:authorize|sign-in|sign-out|consent|userinfo)|^\/oidc\/logout/,
  },
  {
    name: "Sessions and consents",
    description: "The sessions of users in browsers, and the applications that they have given access to",
    group: TOKENS,
    paths: /^\/api\/users\/v1/,
  },
  {
    name: "Tokens",
    description: "Issues, revokes and introspects access tokens",
    group: TOKENS,
    paths: /^\/oauth2\//,
  },
  {
    name: "API document",
    description: "This document",
    group: ABOUT,
    paths: /^\/openapi\.json$/,
  },
];

const groups = [APPLICATIONS, ACCESS, PEOPLE, TENANTS, TOKENS, CHANGES, EVENTS, ABOUT];

/** The name of the tag of an operation. Throws an `Error` where no row of the table fits its path. */
export function tagOf({ path }: Pick<Operation, "path">): string {
  const tag = table.find(({ paths }) => paths.test(path));
  if (!tag) throw new Error(`No tag of packages/core/documents/tags.ts fits ${path}: add it to a row.`);
  return tag.name;
}

/** The tags with these names, and their groups (`x-tagGroups`), in the order in which readers show them. */
export function tagsOf(used: ReadonlySet<string>): {
  readonly tags: readonly Json[];
  readonly groups: readonly Json[];
} {
  const grouped = groups
    .map((name) => ({ name, rows: table.filter((tag) => tag.group === name && used.has(tag.name)) }))
    .filter(({ rows }) => rows.length > 0)
    .map(({ name, rows }) => ({ name, rows: name === APPLICATIONS || name === TOKENS ? rows.toReversed() : rows }));
  return {
    tags: grouped.flatMap(({ rows }) => rows.map(({ name, description }) => ({ name, description }))),
    groups: grouped.map(({ name, rows }) => ({ name, tags: rows.map((tag) => tag.name) })),
  };
}
