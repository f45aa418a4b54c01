/** The commands of docs/guides, in the order of each guide. */
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { blocksOf, has, pasted, type Shell } from "#tests/support/pasted.ts";
import { project } from "#tests/support/patient.ts";
import { redirectPath, requestXml, samlOf } from "#tests/support/saml.ts";
import { ADMIN, APPLICATIONS, type World, world } from "#tests/support/world.ts";

const LINES_MAX = 90;
const guides = readdirSync(join(project, "docs/guides"));
const elsewhere = world();
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A folder in which the scripts of the project run, and that is no clone. */
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "guides-"));
  folders.push(folder);
  for (const name of ["package.json", "packages", "node_modules"]) symlinkSync(join(project, name), join(folder, name));
  return folder;
};

/** What each block of a guide prints. */
const ran = (guide: string, shell: Shell, { url, service }: World): Promise<string[]> => {
  const cwd = newFolder();
  const here = (block: string) =>
    block
      .replaceAll("http://127.0.0.1:3000", url)
      .replaceAll("https://localhost:3443", (service.mtlsUrl ?? "").replace("127.0.0.1", "localhost"))
      .replaceAll("certs=.data/certs", `certs=${service.certificates}`)
      .replaceAll("https://is.example:9443", elsewhere.url)
      .replaceAll("../applications", "applications")
      .replaceAll("npm run ", "npm run -s ");
  return pasted(shell, blocksOf(`docs/guides/${guide}.md`).map(here), { cwd });
};

describe.each(guides)("docs/guides/%s", (guide) => {
  const lines = readFileSync(join(project, "docs/guides", guide), "utf8")
    .trimEnd()
    .split("\n");

  test("is short, begins with what the reader has at the end, and ends with next steps", () => {
    expect(lines.length).toBeLessThanOrEqual(LINES_MAX);
    expect(lines[0]).toMatch(/^# \S/);
    expect(lines[2]).toMatch(/^At the end /);
    expect(lines).toContain("## Next steps");
  });
  test("has a test of its commands below", () => {
    expect(Object.keys(checks)).toContain(guide.replace(".md", ""));
  });
});

const checks: Readonly<Record<string, (said: readonly string[], api: World) => void | Promise<void>>> = {
  "first-application": ([, , , token, used]) => {
    expect(token).toContain('"scope":"internal_user_mgt_list"');
    expect(used).toMatch(/"userName":"admin".*\n.*"status":"403".*internal_user_mgt_create/s);
  },
  "roles-and-scopes": async ([, alone, inGroup, changed, scope], { ask }) => {
    expect(alone).toMatch(/"userName":"rosa".*\n.*"status":"403".*internal_user_mgt_list/s);
    expect(inGroup).toContain('"userName":"rosa"');
    expect(changed).toMatch(/^internal_user_mgt_list internal_user_mgt_update\n.*"title":"Help desk"/);
    expect(scope).toBe("internal_group_mgt_create");
    // The table of what stays forbidden.
    const idOf = async (path: string): Promise<string> => (await ask("GET", path)).body.Resources[0].id;
    const rosa = { username: "rosa", password: "maple-tree-42" };
    const member = [{ value: await idOf("/scim2/Users?filter=userName+eq+rosa") }];
    const change = async (path: string, operation: object) =>
      (await ask("PATCH", path, { as: rosa, body: { schemas: [PATCH], Operations: [operation] } })).status;
    const [admin, role, group] = await Promise.all([
      idOf("/scim2/Users?filter=userName+eq+admin"),
      idOf("/scim2/v2/Roles?filter=displayName+eq+admin"),
      idOf("/scim2/Groups?filter=displayName+eq+%22help+desk%22"),
    ]);
    expect([
      await change(`/scim2/Users/${admin}`, { op: "replace", path: "password", value: "maple-tree-4245" }),
      await change(`/scim2/v2/Roles/${role}`, { op: "add", path: "users", value: member }),
      await change(`/scim2/Groups/${group}`, { op: "add", path: "members", value: member }),
    ]).toEqual([403, 403, 403]);
  },
  "second-administrator": async ([, , names, check], { ask }) => {
    expect(names).toBe("admin ana");
    expect(check).toBe("200\n200");
    const second = { username: "ana", password: "maple-tree-42" };
    const me = async (as: typeof second) => (await ask("GET", "/scim2/Me", { as })).body;
    const [one, two] = [await me(ADMIN), await me(second)];
    expect(two.roles).toEqual(one.roles);
    // She can make a third one, and nothing can be done to the first one.
    const body = { userName: "cleo", password: "maple-tree-42", name: { familyName: "Ray" } };
    const { id } = (await ask("POST", "/scim2/Users", { as: second, body })).body;
    const Operations = [{ op: "add", path: "users", value: [{ value: id }] }];
    const patch = { as: second, body: { schemas: [PATCH], Operations } };
    const [role] = (await ask("GET", "/scim2/v2/Roles?filter=displayName+eq+admin", { as: second })).body.Resources;
    expect((await ask("PATCH", `/scim2/v2/Roles/${role.id}`, patch)).status).toBe(200);
    expect((await ask("DELETE", `/scim2/Users/${one.id}`, { as: second })).status).toBe(403);
    expect((await ask("DELETE", `/scim2/Users/${id}`, { as: second })).status).toBe(204);
  },
  "changes-and-undo": ([, record, undone, restored, tried]) => {
    expect(record).toMatch(/ admin patchUser \[.*"value":"Stoen","from":"Stone"/);
    expect(undone).toBe("Stone");
    expect(restored).toMatch(/"status":"404".*\n.*"resourceType":"user".*\n.*"userName":"lena"/s);
    expect(tried).toMatch(/"status":"409".*lena/s);
  },
  certificates: ([administrator, made, mine, ended]) => {
    expect(administrator).toContain('"userName":"admin"');
    expect(made).toContain('"userName":"noor"');
    expect(mine).toContain('"userName":"noor"');
    expect(ended).toMatch(/"active":false.*\n.*"status":"401"/s);
  },
  okta: ([token, search]) => {
    expect(token).toMatch(/^at_[\w-]{40,}$/m);
    expect(search).toMatch(/"totalResults":0,/);
  },
  "entra-id": ([token, answers]) => {
    expect(token).toMatch(/^at_[\w-]{40,}$/m);
    expect(answers).toMatch(/"totalResults":0,.*\n.*"userName":"omar@example\.com".*"active":false/s);
  },
  "saml-aws": async ([, metadata, registered, role], api) => {
    expect(metadata).toMatch(/^ *\d{4} identity-admin\.xml$/);
    expect(role).toBe("Auditor of AWS");
    expect(registered).toContain("201 Created");
    const { action, attributes } = await answerOf(api, "/samlsso?spEntityID=urn%3Aamazon%3Awebservices", "dana");
    expect(action).toBe("https://signin.aws.amazon.com/saml");
    const pair = "arn:aws:iam::123456789012:role/Auditor,arn:aws:iam::123456789012:saml-provider/IdentityAdmin";
    expect(attributes).toEqual({
      "https://aws.amazon.com/SAML/Attributes/Role": [pair],
      "https://aws.amazon.com/SAML/Attributes/RoleSessionName": ["dana"],
    });
  },
  "saml-gitlab": async ([, registered, configuration], api) => {
    expect(registered).toContain("201 Created");
    expect(configuration).toMatch(/idp_sso_service_url: 'http.*\/samlsso'/);
    const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/.exec(configuration ?? "")?.[0];
    expect(new X509Certificate(certificate ?? "").subject).toMatch(/CN=/);
    const person = {
      userName: "gil",
      password: "maple-tree-42",
      emails: [{ value: "gil@example.com", primary: true }],
    };
    await api.ask("POST", "/scim2/Users", { body: person });
    const request = requestXml({ issuer: "https://gitlab.example.com", destination: `${api.url}/samlsso` });
    const { format, attributes } = await answerOf(api, redirectPath(request), "gil");
    expect(format).toMatch(/persistent$/);
    expect(attributes).toEqual({ email: ["gil@example.com"], nickname: ["gil"] });
  },
  "saml-salesforce": ([, metadata, registered, settings]) => {
    expect(metadata).toMatch(/^ *\d{4} identity-admin\.xml$/);
    expect(registered).toContain("201 Created");
    expect(settings).toBe("https://example.my.salesforce.com FRONTCHANNEL_HTTP_REDIRECT");
  },
  "move-from-wso2": async ([, users, applications, group], { ask }) => {
    expect(users).toMatch(/"userName":"mira"[^\n]*"mira@example\.com"|"mira@example\.com"[^\n]*"userName":"mira"/);
    expect(applications).toMatch(/From elsewhere/);
    expect(group).toMatch(/"displayName":"accounting".*"display":"mira"/s);
    const names = (await ask("GET", `${APPLICATIONS}?filter=name+eq+%22From+elsewhere%22`)).body;
    expect(names.totalResults).toBe(1);
  },
};
/** Signs somebody in to a service provider of a guide, from a link of this side or a request. */
const answerOf = async (api: World, path: string, username: string) => {
  const { browser, enter, answerIn } = samlOf(api);
  const page = browser();
  await page.open(path);
  return answerIn(page, await enter(page, { username, password: "maple-tree-42" }));
};
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

describe.each<Shell>(["sh", "zsh"])("pasted into %s", (shell) => {
  const api = world({ hasMtls: true });
  const isMissing = !(has("curl") && has(shell) && has("openssl"));
  test.skipIf(isMissing).for(Object.entries(checks))(
    `the commands of %s do what it says (skipped without curl, openssl and ${shell})`,
    { timeout: 60_000 },
    async ([guide, check]) => {
      if (guide === "move-from-wso2") await source();
      await check(await ran(guide, shell, api), api);
    },
  );
});

/** The application that is moved: created once. */
let created: Promise<string> | undefined;
const source = (): Promise<string> => {
  created ??= elsewhere.create({
    name: "From elsewhere",
    inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
  });
  return created;
};
