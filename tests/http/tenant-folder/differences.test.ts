/** Random differences between a folder and its tenant: apply does what plan said, and nothing else. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import { beforeAll, expect, test } from "vitest";
import { type Document, differences, isDocument, type Value } from "#cli/tenant/document.ts";
import { fileOf } from "#cli/tenant/folder.ts";
import { kindNames } from "#cli/tenant/kind.ts";
import { kindsOf, readTenant } from "#cli/tenant/plan.ts";
import { linesOf } from "#cli/tenant/run.ts";
import type { Api } from "#client/client.ts";
import { deployment } from "#tests/support/any-application.ts";
import { allItems } from "#tests/support/protocols.ts";
import { randomOf } from "#tests/support/random.ts";
import {
  applyTo,
  contentOf,
  exportTo,
  fill,
  newTenant,
  planFor,
  temporaryFolder,
} from "#tests/support/tenant-folder.ts";
import { world } from "#tests/support/world.ts";

const ROUNDS = 12;
const EACH = 25;
const SEED = 7_301;

const service = world({ deployment });
let api = {} as Api;
let folder = "";
const random = randomOf(SEED);
const { of: pick } = random;
beforeAll(async () => {
  api = await newTenant(service.url, "random.com");
  await fill(api, { applications: 40, roles: 15, apis: 12, groups: 14, templates: 30 }, SEED);
  folder = await temporaryFolder();
  await exportTo(api, folder);
}, 300_000);

type Editable = Record<string, Value>;
const part = (document: Editable, name: string): Editable => {
  const value = document[name];
  const copy = isDocument(value) ? { ...value } : {};
  document[name] = copy;
  return copy as Editable;
};
const list = (value: Value | undefined): Value[] => (Array.isArray(value) ? [...value] : []);
const text = () => `text ${random.upTo(1_000_000)}`;

/** Changes of an application that the API accepts. */
const edits: readonly ((document: Editable) => void)[] = [
  (one) => Object.assign(one, { description: text() }),
  (one) => Reflect.deleteProperty(one, "description"),
  (one) => Object.assign(one, { accessUrl: `https://${text().replace(" ", "-")}.example.com` }),
  (one) => Object.assign(one, { applicationEnabled: one.applicationEnabled === false }),
  (one) => Object.assign(one, { enhancedOrgAuthenticationEnabled: one.enhancedOrgAuthenticationEnabled !== true }),
  (one) => {
    const advanced = part(one, "advancedConfigurations");
    advanced.skipLoginConsent = advanced.skipLoginConsent !== true;
  },
  (one) => {
    const advanced = part(one, "advancedConfigurations");
    advanced.discoverableGroups = [{ userStore: "PRIMARY", groups: ["group-1", "group-2"] }];
  },
  (one) => {
    part(one, "provisioningConfigurations").inboundProvisioning = { proxyMode: true };
  },
  (one) => {
    const protocols = part(one, "protocols");
    if (isDocument(protocols.oidc)) part(part(protocols, "oidc"), "accessToken").userAccessTokenExpiryInSeconds = 1_800;
  },
  (one) => {
    const protocols = part(one, "protocols");
    if (isDocument(protocols.saml)) part(protocols, "saml").enableAssertionQueryProfile = random.chance(0.5);
  },
  (one) => {
    const protocols = part(one, "protocols");
    if (isDocument(protocols.passiveSts))
      part(protocols, "passiveSts").replyTo = `https://${text().replace(" ", "-")}.example.com/`;
  },
  (one) => {
    const protocols = part(one, "protocols");
    if (isDocument(protocols.passiveSts)) part(protocols, "passiveSts").realm = text();
  },
  (one) => {
    const protocols = part(one, "protocols");
    if (isDocument(protocols.wsTrust)) part(protocols, "wsTrust").certificateAlias = text();
    else protocols.wsTrust = { audience: text(), certificateAlias: "new" };
  },
  (one) =>
    Reflect.deleteProperty(part(one, "protocols"), pick(["oidc", "saml", "passiveSts", "wsTrust", "any protocol"])),
  (one) => {
    part(one, "protocols").oidc ??= { grantTypes: ["client_credentials"] };
  },
  (one) => Object.assign(one, { authorizedApis: [{ identifier: "https://api1.example.com", scopes: ["a1:0"] }] }),
  (one) =>
    Object.assign(one, { authorizedApis: [{ identifier: "https://api6.example.com", scopes: ["a6:1", "a6:0"] }] }),
  (one) => Reflect.deleteProperty(one, "authorizedApis"),
  (one) => Object.assign(one, { assignments: [{ type: "role", name: "Role 1" }] }),
  (one) => Object.assign(one, { assignments: [{ type: "role", name: "role-4" }] }),
  (one) => Reflect.deleteProperty(one, "assignments"),
  (one) => Object.assign(one, { associatedRoles: { allowedAudience: "ORGANIZATION", roles: ["Role 1"] } }),
  (one) => Reflect.deleteProperty(one, "associatedRoles"),
];

let made = 0;
/** One difference of the folder. */
const differ = async (): Promise<void> => {
  const files = Object.keys(await contentOf(folder)).filter((file) => /^[a-z].*\/.*\.yaml$/.test(file));
  const of = (kind: string) => files.filter((file) => file.startsWith(`${kind}/`));
  const edit = async (file: string, act: (document: Editable) => void) => {
    const document = load(await readFile(join(folder, file), "utf8")) as Editable;
    act(document);
    await writeFile(join(folder, file), dump(document));
  };
  made += 1;
  const kind = random.upTo(100) / 100;
  if (kind < 0.6) return edit(pick(of("applications")), pick(edits));
  if (kind < 0.7) {
    return edit(pick(of("roles")), (role) => {
      role.permissions = pick<Value>([["internal_user_mgt_view"], ["internal_login", "a1:0"], []]);
      role.groups = pick<Value>([list(role.groups).slice(1), ["group-1"], list(role.groups)]);
    });
  }
  if (kind < 0.77) {
    return edit(pick(of("api-resources")), (one) => {
      one.description = text();
      one.scopes = [...list(one.scopes), { name: `new:${made}` }];
    });
  }
  if (kind < 0.82) return edit(pick(of("templates")), (one) => Object.assign(one, { description: text() }));
  if (kind < 0.87) {
    const displayName = `new group ${made}`;
    return writeFile(join(folder, fileOf("groups", displayName)), dump({ displayName }));
  }
  if (kind < 0.93) {
    const document = { name: `new ${made}`, protocols: { oidc: { grantTypes: ["client_credentials"] } } };
    return writeFile(join(folder, fileOf("applications", document.name)), dump(document));
  }
  await rm(join(folder, pick([...of("templates"), ...of("applications").filter((file) => file.includes("new-"))])));
};

/** All documents of the tenant, by their files. */
const tenantNow = async (): Promise<Readonly<Record<string, Document>>> => {
  const { found } = await readTenant(api, kindsOf(false));
  return Object.fromEntries(
    kindNames.flatMap((kind) => [...found[kind]].map(([key, { document }]) => [fileOf(kind, key), document])),
  );
};

test(`${ROUNDS * EACH} differences: the tenant changes as the plan says`, { timeout: 900_000 }, async () => {
  let shown = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let count = 0; count < EACH; count += 1) await differ();
    const [before, rows] = [await tenantNow(), await allItems(service.service)];
    const plan = await planFor(api, folder, true);
    expect(await allItems(service.service)).toEqual(rows);
    expect(plan.refused).toEqual([]);
    const lines = plan.changes.flatMap(linesOf);
    shown += lines.length;
    expect(lines.join("\n")).not.toContain("the value of");
    const outcomes = await applyTo(api, plan);
    expect(
      outcomes.filter(({ failure }) => failure !== undefined).map(({ change, failure }) => [change.file, failure]),
    ).toEqual([]);
    const after = await tenantNow();
    const actual = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((file) => {
      const [old, next] = [before[file], after[file]];
      const key = JSON.stringify(next?.identifier ?? next?.name ?? next?.displayName ?? "");
      if (old === undefined) return [`+ ${file} ${key}`];
      if (next === undefined) return [`- ${file}`];
      return differences(old, next).map(({ path }) => `~ ${file} ${path}`);
    });
    // A line says more than what changed: from what, to what.
    const said = lines.map((line) =>
      line.startsWith("~") ? line.replace(/: .*$/s, "") : line.replace(/^(- \S+) .*$/s, "$1"),
    );
    expect(said.toSorted()).toEqual(actual.toSorted());
    expect((await planFor(api, folder, true)).changes.flatMap(linesOf)).toEqual([]);
  }
  expect([made, shown > ROUNDS * EACH * 0.5]).toEqual([ROUNDS * EACH, true]);
});
