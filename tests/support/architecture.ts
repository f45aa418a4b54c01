/**
 * The architecture as data: rooms on floors, roles of files, and who may use which package. `problemsOf` holds source
 * files against it. tests/architecture.test.ts applies it to this project.
 */
import { posix } from "node:path";
import { importsOf } from "./syntax.ts";

/**
 * A folder (or a single file) with one purpose. Rooms of one floor do not import each other; a room imports lower
 * floors only.
 */
export interface Room {
  readonly path: string;
  readonly purpose: string;
  /** The floors inside of the room, from the top down: its folders and files, below its path. */
  readonly inside?: readonly (readonly string[])[];
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
  [{ path: "packages/cli", purpose: "the command line `identity-admin`" }],
  [{ path: "packages/client", purpose: "the typed client: other programs import it" }],
  [{ path: "functions", purpose: "one entry for each Lambda: builds what the handlers use" }],
  [
    {
      path: "packages/core/service",
      purpose: "the service as a whole: catalogue of operations, protection, settings, documents, page, health",
      inside: [
        ["catalogue.ts", "protection.ts"],
        ["documents", "settings", "site", "health"],
      ],
    },
  ],
  [
    {
      path: "packages/core/versions",
      purpose: "earlier versions of resources: histories, undo, and what was deleted",
      inside: [["undo"], ["history", "deleted"]],
    },
  ],
  [
    {
      path: "packages/core/events",
      purpose: "changes for others: webhooks, security events, the bus, and their delivery",
      inside: [["webhooks", "shared-signals"], ["mail"], ["delivery", "bus"]],
    },
  ],
  [
    {
      path: "packages/core/sign-in",
      purpose: "who calls and who signs in: authentication, rules, tokens for clients, pages, sessions",
      inside: [
        ["passive-sts"],
        ["account", "saml", "cas", "explain"],
        ["sso"],
        ["flow", "recovery"],
        ["mails"],
        ["oauth", "logout", "pages"],
        ["openid"],
        ["portal"],
        ["authentication"],
        ["sessions"],
      ],
    },
  ],
  [
    {
      path: "packages/core/applications",
      purpose: "applications, their protocols, files and templates, the APIs that they may call, and who may use them",
      inside: [
        ["management"],
        ["files", "inbound-protocols", "authorized-apis", "assignments", "client-secrets", "templates"],
        ["registry", "metadata"],
        ["protocols", "apis", "oidc-scopes"],
      ],
    },
  ],
  [
    {
      path: "packages/core/directory",
      purpose: "tenants, users, groups and roles, where they are stored, and the SCIM operations on them",
      inside: [
        ["scim-api", "organizations"],
        ["tenants", "user-stores"],
        ["provisioning"],
        ["ldap", "restoring"],
        ["users", "groups", "roles"],
        ["memberships", "credentials", "claims", "tenant-store.ts"],
      ],
    },
  ],
  [{ path: "packages/core/tokens", purpose: "tokens, signing keys, proofs of possession, revocation" }],
  [
    {
      path: "packages/core/scim",
      purpose: "the SCIM protocol: schemas, filters, PATCH, bulk requests and lists",
      inside: [["listing"], ["protocol"]],
    },
  ],
  [{ path: "packages/core/http", purpose: "the pipeline of a function, from the event to the response" }],
  [
    {
      path: "packages/core/database",
      purpose: "the table, its keys and indexes, the records of changes, and what deleted resources leave",
      inside: [["changes", "trash"], ["table"]],
    },
  ],
  [
    {
      path: "packages/core/kernel",
      purpose: "faults, parsing, ids, clock, sealing; how an operation is declared; names that all share",
    },
  ],
];

/** What the name of a file says about what it may do. The first pattern that fits decides. */
export interface Role {
  readonly name: string;
  readonly pattern: RegExp;
  readonly purpose: string;
  /** Paths of this project that files of the role do not import. */
  readonly never: RegExp;
}

const KEYS = "packages/core/database/table/keys\\.ts$";
const TABLE = "packages/core/database/table/";
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
    pattern: matching(file("(?:.+-)?(?:store|rows)"), "packages/core/directory/memberships/"),
    purpose: "the only code that knows the keys and attributes of its rows",
    never: matching("packages/core/http/", file(".*handlers")),
  },
  {
    name: "handlers",
    pattern: matching(file("handlers")),
    purpose: "parsed input and context to result",
    never: matching(KEYS, "packages/core/database/table/dynamo\\.ts$", "packages/core/http/lambda\\.ts$"),
  },
  { name: "table", pattern: matching(TABLE), purpose: "the table itself", never: /^$/ },
  { name: "module", pattern: matching("packages/core/"), purpose: "any other part of a room", never: matching(KEYS) },
];

/** Packages that only some folders may import. */
export const reserved: readonly { readonly packages: RegExp; readonly folders: RegExp }[] = [
  {
    packages: /^@aws-sdk\//,
    folders: /^packages\/(core\/(events\/(bus|mail)|database\/table)|local|tools)\//,
  },
  { packages: /^(@middy|@aws-lambda-powertools)\//, folders: /^packages\/core\/http\// },
  { packages: /^@fastify\/busboy$/, folders: /^packages\/core\/http\// },
  {
    packages: /^@rgrove\/parse-xml$/,
    folders: /^packages\/core\/(kernel|applications\/(files|protocols)|sign-in\/saml)\//,
  },
  { packages: /^(xml-crypto|xml-encryption|@xmldom\/xmldom)$/, folders: /^packages\/core\/sign-in\/saml\// },
  {
    packages: /^zod$/,
    folders:
      /^(?!packages\/core\/(database\/table|scim|tokens|kernel\/domain|directory\/(users|groups|roles|memberships|credentials|ldap|provisioning|restoring))\/)/,
  },
  { packages: /^nodemailer(\/|$)/, folders: /^packages\/core\/events\/mail\// },
  { packages: /^bcryptjs$/, folders: /^packages\/core\/kernel\// },
  { packages: /^jsonc-parser$/, folders: /^packages\/core\/http\// },
  { packages: /^jose$/, folders: /^packages\/core\/tokens\// },
  { packages: /^smol-toml$/, folders: /^packages\/core\/service\/settings\// },
  { packages: /^ldapts$/, folders: /^packages\/core\/directory\/ldap\// },
  { packages: /^@peculiar\//, folders: /^packages\/(local|core\/tokens)\// },
  { packages: /^esbuild$/, folders: /^packages\/(front|tools)\// },
  { packages: /^marked$/, folders: /^packages\/front\// },
  { packages: /^(commander|@clack\/prompts|cli-table3)$/, folders: /^packages\/cli\// },
  { packages: /^cli-progress$/, folders: /^packages\/(cli|tools)\// },
];

/** Imports across floors that have a reason. Each must still exist. */
export const exceptions: readonly { readonly from: RegExp; readonly to: RegExp; readonly reason: string }[] = [
  {
    from: /^packages\/(local|tools)\//,
    to: /^stacks\/(authorities|bundling|directories|monitoring\/alarms|plan|stage|statements|traffic)\.ts$/,
    reason: "the local service and the tools apply the plan of what is deployed, which is pure data",
  },
  { from: /^packages\/tools\//, to: /^packages\/local\//, reason: "tools start the local service" },
];

/** A source file. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** What does not fit the architecture, each with what to do. */
export const problemsOf = (sources: readonly Source[]): readonly string[] => {
  const imports = new Map(sources.map((source) => [source.path, targetsOf(source)]));
  return [
    ...sources.flatMap((source) => [
      ...placeProblems(source),
      ...(imports.get(source.path) ?? []).flatMap((target) => importProblems(source.path, target)),
    ]),
    ...circlesIn(imports),
  ];
};

/** The room of a path. */
export const roomOf = (path: string): Room | undefined =>
  floors.flat().find((room) => path === room.path || path.startsWith(`${room.path}/`));

/** The paths and packages that a file imports, types too. */
export const targetsOf = ({ path, text }: Source): readonly string[] =>
  importsOf(path, text).map((specifier) => targetOf(path, specifier));

const roots: Readonly<Record<string, string>> = {
  "#core/": "packages/core/",
  "#local/": "packages/local/",
  "#tools/": "packages/tools/",
  "#cli/": "packages/cli/",
  "#client/": "packages/client/",
  "#functions/": "functions/",
  "#tests/": "tests/",
};

const targetOf = (from: string, specifier: string): string => {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  const [alias, root] = Object.entries(roots).find(([start]) => specifier.startsWith(start)) ?? [];
  return alias && root ? specifier.replace(alias, root) : specifier;
};

const isOurs = (target: string): boolean => /^(functions|packages|stacks|tests)\//.test(target);

/** Folders that hold rooms, not files. */
const placeProblems = ({ path }: Source): readonly string[] => {
  const room = roomOf(path);
  const what = "Move it into one, or add it with its floor and purpose to tests/support/architecture.ts.";
  if (!room) return [`${path} is in no room. ${what}`];
  if (room.inside && insideFloorOf(room, path) < 0) return [`${path} is in no folder of ${room.path}. ${what}`];
  return [];
};

const importProblems = (path: string, target: string): readonly string[] => {
  if (target.startsWith("#")) return [`${path} imports ${target}, which no entry of "imports" in package.json has.`];
  if (target.endsWith(".json")) return [];
  if (!isOurs(target)) return packageProblems(path, target);
  if (target.startsWith("tests/")) return [`${path} imports ${target}. Only tests import tests.`];
  return [...floorProblems(path, target), ...roleProblems(path, target)];
};

const packageProblems = (path: string, name: string): readonly string[] => {
  const rule = reserved.find(({ packages }) => packages.test(name));
  if (!rule || rule.folders.test(path)) return [];
  return [`${path} imports ${name}, which is for ${rule.folders.source}. Use what those folders export.`];
};

const floorOf = (room: Room): number => floors.findIndex((rooms) => rooms.includes(room));

/** The floor of a path inside of its room, from the top; -1 where none has it. */
const insideFloorOf = ({ path, inside = [] }: Room, of: string): number =>
  inside.findIndex((floor) => floor.some((part) => of.startsWith(`${path}/${part}/`) || of === `${path}/${part}`));

const partOf = ({ path, inside = [] }: Room, of: string): string | undefined =>
  inside.flat().find((part) => of.startsWith(`${path}/${part}/`) || of === `${path}/${part}`);

const floorProblems = (path: string, target: string): readonly string[] => {
  const [room, other] = [roomOf(path), roomOf(target)];
  if (!room || !other || exceptions.some(({ from, to }) => from.test(path) && to.test(target))) return [];
  const advice = "Move what both need to a lower floor, or pass it in as a parameter.";
  if (room !== other) {
    if (floorOf(other) > floorOf(room)) return [];
    return [`${path} imports ${target}, but ${other.path} is not on a lower floor than ${room.path}. ${advice}`];
  }
  if (!room.inside || partOf(room, path) === partOf(room, target)) return [];
  if (insideFloorOf(room, target) > insideFloorOf(room, path)) return [];
  return [
    `${path} imports ${target}, but ${partOf(room, target)} is not below ${partOf(room, path)} in ${room.path}. ${advice}`,
  ];
};

const roleProblems = (path: string, target: string): readonly string[] => {
  const role = roles.find(({ pattern }) => pattern.test(path));
  if (!role?.never.test(target)) return [];
  return [
    `${path} (${role.name}: ${role.purpose}) imports ${target}. Move the code to a file whose role allows that import.`,
  ];
};

/** Files that import each other, directly or over others: one sentence for each circle. */
const circlesIn = (imports: ReadonlyMap<string, readonly string[]>): readonly string[] => {
  const done = new Set<string>();
  const path: string[] = [];
  const found: string[] = [];
  const visit = (file: string): void => {
    if (path.includes(file)) {
      found.push(
        `${[...path.slice(path.indexOf(file)), file].join(" imports ")}. Move what they share to a file below.`,
      );
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const target of imports.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of imports.keys()) visit(file);
  return found;
};
