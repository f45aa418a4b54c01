/**
 * The architecture as data: rooms on floors, roles of files, and who may use which package. `problemsOf` holds source
 * files against it. tests/architecture.test.ts applies it to this project.
 */
import { posix } from "node:path";

/**
 * A folder (or a single file) with one purpose. Rooms of one floor do not import each other; a room imports lower
 * floors only.
 */
export interface Room {
  readonly path: string;
  readonly purpose: string;
}

/** All rooms, from the top floor down. */
export const floors: readonly (readonly Room[])[] = [
  [
    { path: "packages/tools", purpose: "benchmarks, generators, checks and helpers of deployment" },
    { path: "packages/local", purpose: "what `npm start` needs: gateway, embedded database, certificates" },
    { path: "stacks", purpose: "what is deployed on AWS" },
  ],
  [{ path: "packages/front", purpose: "builds the page at `/` from the documents and the API document" }],
  [{ path: "packages/sst", purpose: "applications and APIs as resources of SST and Pulumi, on the client" }],
  [{ path: "packages/cli", purpose: "the command line: moves applications and users between servers" }],
  [{ path: "packages/client", purpose: "the typed client: other programs import it" }],
  [{ path: "functions", purpose: "one entry for each Lambda: builds what the handlers use" }],
  [
    { path: "packages/core/catalogue.ts", purpose: "lists the operations of every contract" },
    { path: "packages/core/protection.ts", purpose: "what protects each operation, as a generated table" },
  ],
  [{ path: "packages/core/sign-in", purpose: "where people sign in: authorization requests, pages, sessions, claims" }],
  [
    { path: "packages/core/back-channel", purpose: "tells clients that sessions have ended" },
    { path: "packages/core/bus", purpose: "changes as events on a bus of Amazon EventBridge" },
    { path: "packages/core/canary", purpose: "the synthetic check of a stage, and what it uses" },
    { path: "packages/core/settings", purpose: "reads and validates deployment.toml" },
    { path: "packages/core/front", purpose: "serves the files of the page at `/`" },
    { path: "packages/core/signals", purpose: "streams of security events: SETs, push and poll delivery" },
    { path: "packages/core/oauth", purpose: "the token endpoint: grants, introspection, revocation" },
  ],
  [{ path: "packages/core/undo", purpose: "makes resources as they were after a change" }],
  [{ path: "packages/core/auth", purpose: "authenticates requests and decides what they may do" }],
  [{ path: "packages/core/history", purpose: "operations on the histories of resources" }],
  [{ path: "packages/core/auth/access-control", purpose: "the access rules of deployment.toml" }],
  [
    { path: "packages/core/applications/management", purpose: "operations on applications" },
    { path: "packages/core/recovery", purpose: "operations on deleted resources: restores them" },
    { path: "packages/core/scim-api/v1", purpose: "the SCIM 1.1 API" },
    { path: "packages/core/scim-api/v2", purpose: "the SCIM 2.0 API" },
    { path: "packages/core/sessions", purpose: "sessions of users in browsers, and what users have agreed to" },
    { path: "packages/core/user-stores", purpose: "operations that show and test declared user stores" },
  ],
  [
    { path: "packages/core/applications/authorized-apis", purpose: "operations on the APIs an application may call" },
    { path: "packages/core/applications/client-secrets", purpose: "operations on the secrets of a client" },
    { path: "packages/core/applications/files", purpose: "export and import of applications as files" },
    { path: "packages/core/applications/inbound-protocols", purpose: "operations on inbound protocols" },
    { path: "packages/core/applications/metadata", purpose: "metadata of protocols and adaptive scripts" },
    { path: "packages/core/applications/templates", purpose: "application templates" },
    { path: "packages/core/ldap", purpose: "LDAP directories as user stores" },
    { path: "packages/core/scim-api/resources", purpose: "what both SCIM versions share" },
    { path: "packages/core/tenants", purpose: "operations on tenants, and their bootstrap" },
    { path: "packages/core/webhooks", purpose: "operations on webhooks, and the events that they get" },
  ],
  [{ path: "packages/core/applications/registry", purpose: "applications: model, rules, store, representation" }],
  [{ path: "packages/core/applications/protocols", purpose: "settings of each inbound protocol" }],
  [
    { path: "packages/core/api-resources", purpose: "APIs and their scopes" },
    { path: "packages/core/claims", purpose: "the claims of Identity Server, which are the same everywhere" },
    { path: "packages/core/organizations", purpose: "what tools read of a tenant before they move its resources" },
    { path: "packages/core/oidc-scopes", purpose: "scopes of OpenID Connect" },
    { path: "packages/core/identities/provisioning", purpose: "changes of users, groups and roles, with their rules" },
    { path: "packages/core/identities/restoring", purpose: "brings deleted users, groups and roles back" },
  ],
  [
    { path: "packages/core/identities/credentials", purpose: "password hashes" },
    { path: "packages/core/identities/groups", purpose: "groups and how they are stored" },
    { path: "packages/core/identities/roles", purpose: "roles and how they are stored" },
    { path: "packages/core/identities/users", purpose: "users and how they are stored" },
  ],
  [{ path: "packages/core/identities/memberships", purpose: "relations: group members and role assignees" }],
  [
    { path: "packages/core/aside", purpose: "what deleted resources leave, so that they can be restored" },
    { path: "packages/core/documents", purpose: "the OpenAPI document" },
    { path: "packages/core/events", purpose: "delivers changes to subscribers: order, retries, leases" },
    { path: "packages/core/tokens", purpose: "tokens, signing keys, revocation" },
  ],
  [
    { path: "packages/core/http", purpose: "the request pipeline of a function" },
    { path: "packages/core/listing", purpose: "SCIM lists: plans and executes filter, order and page" },
  ],
  [{ path: "packages/core/changes", purpose: "change records: written with each change, and read" }],
  [{ path: "packages/core/domain", purpose: "shared names: tenant, qualified user name, API resource" }],
  [
    { path: "packages/core/scim", purpose: "the SCIM protocol: schemas, filters, PATCH" },
    { path: "packages/core/table", purpose: "the DynamoDB table, its keys and the name index" },
  ],
  [{ path: "packages/core/operation", purpose: "how an operation is declared, matched and called" }],
  [{ path: "packages/core/platform", purpose: "faults, parsing, ids, clock, sealing" }],
];

/** What the name of a file says about what it may do. The first pattern that fits decides. */
export interface Role {
  readonly name: string;
  readonly pattern: RegExp;
  readonly purpose: string;
  /** Paths of this project that files of the role do not import. */
  readonly never: RegExp;
}

const KEYS = "packages/core/table/keys\\.ts$";
const TABLE = "packages/core/table/";
const file = (names: string): string => `packages/core/.+/(?:${names})\\.ts$`;
const matching = (...patterns: readonly string[]): RegExp => new RegExp(patterns.map((one) => `^${one}`).join("|"));

/** The roles of files in packages/core, whatever their room. */
export const roles: readonly Role[] = [
  {
    name: "contract",
    pattern: matching(file("(?:contract|shapes)(?:-[a-z]+)?")),
    purpose: "declares operations and shapes as data",
    never: matching(TABLE, "packages/core/http/", file(".*(?:store|handlers|rules)")),
  },
  {
    name: "model",
    pattern: matching(file("(?:.+-)?model")),
    purpose: "types and pure functions of one resource",
    never: matching(TABLE, "packages/core/http/", file(".*(?:store|handlers)")),
  },
  {
    name: "rules",
    pattern: matching(file("(?:.+-)?rules")),
    purpose: "pure decisions that throw faults",
    never: matching(TABLE, "packages/core/http/", file(".*(?:store|handlers)")),
  },
  {
    name: "store",
    pattern: matching(file("(?:.+-)?(?:store|rows)"), "packages/core/identities/memberships/"),
    purpose: "the only code that knows the keys and attributes of its rows",
    never: matching("packages/core/http/", file(".*handlers")),
  },
  {
    name: "handlers",
    pattern: matching(file("handlers")),
    purpose: "parsed input and context to result",
    never: matching(KEYS, "packages/core/table/dynamo\\.ts$", "packages/core/http/lambda\\.ts$"),
  },
  { name: "table", pattern: matching(TABLE), purpose: "the table itself", never: /^$/ },
  { name: "module", pattern: matching("packages/core/"), purpose: "any other part of a room", never: matching(KEYS) },
];

/** Packages that only some rooms may import. */
export const reserved: readonly { readonly packages: RegExp; readonly rooms: RegExp }[] = [
  { packages: /^@aws-sdk\//, rooms: /^packages\/(core\/(bus|table)|local|tools)$/ },
  { packages: /^(@middy|@aws-lambda-powertools)\//, rooms: /^packages\/core\/http$/ },
  { packages: /^@fastify\/busboy$/, rooms: /^packages\/core\/http$/ },
  { packages: /^@rgrove\/parse-xml$/, rooms: /^packages\/core\/(platform|applications\/(files|protocols))$/ },
  { packages: /^zod$/, rooms: /^(?!packages\/core\/(table|scim|listing|tokens|identities|ldap|domain)(\/|$))/ },
  { packages: /^bcryptjs$/, rooms: /^packages\/core\/platform$/ },
  { packages: /^jsonc-parser$/, rooms: /^packages\/core\/http$/ },
  { packages: /^jose$/, rooms: /^packages\/core\/tokens$/ },
  { packages: /^smol-toml$/, rooms: /^packages\/core\/settings$/ },
  { packages: /^ldapts$/, rooms: /^packages\/core\/ldap$/ },
  { packages: /^@peculiar\//, rooms: /^packages\/local$/ },
  { packages: /^esbuild$/, rooms: /^packages\/(front|tools)$/ },
  { packages: /^marked$/, rooms: /^packages\/front$/ },
  { packages: /^(commander|@clack\/prompts|cli-table3)$/, rooms: /^packages\/cli$/ },
  { packages: /^cli-progress$/, rooms: /^packages\/(cli|tools)$/ },
];

/** Imports across floors that have a reason. Each must still exist. */
export const exceptions: readonly { readonly from: RegExp; readonly to: RegExp; readonly reason: string }[] = [
  {
    from: /^packages\/(local|tools)\//,
    to: /^stacks\/(authorities|bundling|directories|monitoring\/alarms|plan|stage|statements|traffic)\.ts$/,
    reason: "the local service and the tools apply the plan of what is deployed, which is pure data",
  },
  { from: /^packages\/tools\//, to: /^packages\/local\//, reason: "tools start the local service" },
  { from: /^stacks\//, to: /^packages\/tools\/deploy\//, reason: "a deployment uses its helpers" },
];

/** A source file. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** What does not fit the architecture, each with what to do. */
export const problemsOf = (sources: readonly Source[]): readonly string[] =>
  sources.flatMap((source) => [
    ...placeProblems(source),
    ...importsOf(source.text).flatMap((specifier) => importProblems(source.path, targetOf(source.path, specifier))),
  ]);

/** The room of a path: the longest that contains it. */
export const roomOf = (path: string): Room | undefined =>
  floors
    .flat()
    .filter((room) => path === room.path || path.startsWith(`${room.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];

/** The modules that a text imports, as written. */
export const importsOf = (text: string): string[] =>
  [
    ...text.matchAll(/^(?:import|export)\b[^;]*?from\s+"([^"]+)"/gm),
    ...text.matchAll(/^import\s+"([^"]+)"/gm),
    ...text.matchAll(/\bimport\("([^"]+)"\)/g),
  ].flatMap(([, specifier]) => (specifier ? [specifier] : []));

const floorOf = (room: Room): number => floors.findIndex((rooms) => rooms.includes(room));

/** Folders that hold rooms, not files. */
const placeProblems = ({ path }: Source): readonly string[] =>
  roomOf(path)
    ? []
    : [
        `${path} is in no room. Move it into one, or add a room with its floor and purpose to tests/support/architecture.ts.`,
      ];

const roots: Readonly<Record<string, string>> = {
  "#core/": "packages/core/",
  "#local/": "packages/local/",
  "#tools/": "packages/tools/",
  "#cli/": "packages/cli/",
  "#functions/": "functions/",
};

const targetOf = (from: string, specifier: string): string => {
  const [alias, root] = Object.entries(roots).find(([start]) => specifier.startsWith(start)) ?? [];
  if (alias && root) return specifier.replace(alias, root);
  return specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : specifier;
};

const isOurs = (target: string): boolean => /^(functions|packages|stacks)\//.test(target);

const importProblems = (path: string, target: string): readonly string[] => {
  if (!isOurs(target)) return packageProblems(path, target);
  return [...floorProblems(path, target), ...roleProblems(path, target)];
};

const packageProblems = (path: string, name: string): readonly string[] => {
  const rule = reserved.find(({ packages }) => packages.test(name));
  if (!rule || rule.rooms.test(roomOf(path)?.path ?? "")) return [];
  return [`${path} imports ${name}, which is for rooms ${rule.rooms.source}. Use what those rooms export.`];
};

const floorProblems = (path: string, target: string): readonly string[] => {
  const [room, other] = [roomOf(path), roomOf(target)];
  if (!room || !other || room === other || floorOf(other) > floorOf(room)) return [];
  if (exceptions.some(({ from, to }) => from.test(path) && to.test(target))) return [];
  return [
    `${path} imports ${target}, but ${other.path} is not on a lower floor than ${room.path}. Move what both need to a lower floor, or pass it in as a parameter.`,
  ];
};

const roleProblems = (path: string, target: string): readonly string[] => {
  const role = roles.find(({ pattern }) => pattern.test(path));
  if (!role?.never.test(target)) return [];
  return [
    `${path} (${role.name}: ${role.purpose}) imports ${target}. Move the code to a file whose role allows that import.`,
  ];
};
