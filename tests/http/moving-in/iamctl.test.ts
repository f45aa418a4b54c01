/**
 * What `iamctl` of WSO2 sends, as it was recorded of its versions 1.0.8 (files) and 3.0.0 (resources one by one): a
 * tenant is exported, imported into another one, and exported again. The second export is the first, byte for byte.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { Shown } from "#tests/support/scim.ts";
import { type Answer, type Ask, basic, type World, world } from "#tests/support/world.ts";

const APPLICATIONS = 200;
const ROLES = 30;
const APIS = 40;
/** Client ids are unique in a deployment: a tenant moves to another one. */
const [api, second, third] = [world(), world(), world()];
const password = "a-long-password";
const base = "/api/server/v1";

/** Calls of one tenant. A failed call of the set-up or of the tool ends the test. */
const tenantAt = (at: World, tenant: string) => {
  const as = { username: `boss@${tenant}`, password };
  const ask = async (method: string, path: string, body?: unknown, more: Ask = {}): Promise<Answer> => {
    const answer = await at.ask(method, `/t/${tenant}${path}`, { as, ...(body !== undefined && { body }), ...more });
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  /** Reads a list as the tool does: a first call without parameters, then pages of the size that it showed. */
  const listed = async (path: string, list: string, index: "offset" | "startIndex"): Promise<Shown[]> => {
    const separator = path.includes("?") ? "&" : "?";
    const first = (await ask("GET", path)).body;
    const all: Shown[] = [...(first[list] ?? [])];
    const size = first.count ?? first.itemsPerPage;
    while (all.length < first.totalResults) {
      const at =
        index === "offset" ? `offset=${all.length}&limit=${size}` : `startIndex=${all.length + 1}&count=${size}`;
      const { body } = await ask("GET", `${path}${separator}${at}`);
      if (body[list].length === 0) throw new Error(`${path} ends early`);
      all.push(...body[list]);
    }
    return all;
  };
  return { tenant, ask, listed };
};
type Tenant = ReturnType<typeof tenantAt>;

const createTenant = async (at: World, domain = "moving.example"): Promise<Tenant> => {
  const owners = [{ username: "boss", password, email: `boss@${domain}`, provisioningMethod: "inline-password" }];
  const { status } = await at.ask("POST", `${base}/tenants`, { body: { domain, owners } });
  expect(status).toBe(201);
  return tenantAt(at, domain);
};

/** A tenant with everything that the tool moves. */
const furnish = async ({ ask }: Tenant): Promise<void> => {
  const apis: Shown[] = [];
  for (let at = 0; at < APIS; at += 1) {
    const scopes = [
      { name: `api${at}:read`, displayName: "Read", description: `Reads ${at}` },
      { name: `api${at}:write`, displayName: "Write" },
    ];
    const identifier = at % 2 === 0 ? `https://api.example.com/v${at}?x=1` : `api-${at}`;
    const body = { name: `API ${at}`, identifier, description: `no. ${at}`, requiresAuthorization: at % 3 > 0, scopes };
    apis.push((await ask("POST", `${base}/api-resources`, body)).body);
  }
  await ask("POST", `${base}/oidc/scopes`, {
    name: "badge",
    displayName: "Badge",
    description: "",
    claims: ["given_name"],
  });
  const create = async (at: number): Promise<void> => {
    const kinds = [
      { oidc: oidcOf(at) },
      {
        saml: {
          manualConfiguration: { issuer: `issuer-${at}`, assertionConsumerUrls: [`https://a${at}.example/acs`] },
        },
      },
      {
        oidc: {
          clientId: `machine-${at}`,
          clientSecret: `secret-Vq7rT2mZx9Lw4KcHs8Ny3-${at}`,
          grantTypes: ["client_credentials"],
        },
      },
      { passiveSts: { realm: `realm-${at}`, replyTo: `https://a${at}.example` } },
      {},
    ];
    const body = {
      name: `App ${at}`,
      description: `yes: "${at}" <&> #\n`,
      inboundProtocolConfiguration: kinds[at % kinds.length],
      claimConfiguration: {
        dialect: at % 2 === 0 ? "LOCAL" : "CUSTOM",
        ...(at % 2 === 1 && {
          claimMappings: [{ applicationClaim: "mail", localClaim: { uri: "http://wso2.org/claims/emailaddress" } }],
        }),
        role: { claim: { uri: "" }, includeUserDomain: at % 3 === 0 },
      },
      advancedConfigurations: { skipLoginConsent: at % 2 === 0, saas: at % 7 === 0 },
      ...(at % 4 === 0 && {
        authenticationSequence: {
          type: "USER_DEFINED",
          steps: [{ id: 1, options: [{ idp: "LOCAL", authenticator: "BasicAuthenticator" }] }],
          script: "var onLoginRequest = function (context) {\n  executeStep(1);\n};",
        },
      }),
    };
    const id = (await ask("POST", `${base}/applications`, body)).headers.get("location")?.split("/").at(-1);
    const authorized = apis[at % APIS];
    if (at % 3 === 0 && authorized) {
      const scopes = [`api${at % APIS}:read`];
      await ask("POST", `${base}/applications/${id}/authorized-apis`, {
        id: authorized.id,
        policyIdentifier: "RBAC",
        scopes,
      });
    }
  };
  for (let at = 0; at < APPLICATIONS; at += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, more) => create(at + more)));
  }
  for (let at = 0; at < ROLES; at += 1) {
    const permissions = [{ value: `api${at % APIS}:read` }, { value: "internal_user_mgt_view" }];
    await ask("POST", "/scim2/v2/Roles", { displayName: `role ${at}`, permissions: at % 5 === 0 ? [] : permissions });
  }
};

const oidcOf = (at: number) => ({
  clientId: `client-${at}`,
  clientSecret: `secret-Vq7rT2mZx9Lw4KcHs8Ny3-${at}`,
  grantTypes: ["authorization_code", "refresh_token"],
  callbackURLs: [`https://a${at}.example/cb`, ...(at % 10 === 0 ? [`https://b${at}.example/cb`] : [])],
  pkce: { mandatory: true, supportPlainTransformAlgorithm: false },
});

/** The members of an object in one order, without those that differ between any two tenants. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).filter(
    ([name, member]) => !["self", "access", "meta"].includes(name) && !(name === "id" && typeof member === "string"),
  );
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, plain(member)]),
  );
};
const textOf = (value: unknown): string => `${JSON.stringify(plain(value), null, 2)}\n`;
type Files = Map<string, string>;

/** The order of lists is that of their names. */
const apisOf = async ({ ask }: Tenant): Promise<Shown[]> => {
  const path = `${base}/api-resources?filter=${encodeURIComponent("type eq BUSINESS")}`;
  const { totalResults } = (await ask("GET", `${path}&limit=1`)).body;
  const { apiResources } = (await ask("GET", `${path}&limit=${Math.max(1, totalResults)}`)).body;
  const read = ({ id }: Shown) => ask("GET", `${base}/api-resources/${id}`).then(({ body }): Shown => body);
  return Promise.all(apiResources.map(read));
};

const exportApis = async (from: Tenant, files: Files): Promise<void> => {
  for (const one of await apisOf(from)) files.set(`ApiResources/${one.identifier}`, textOf(one));
};

const exportRest = async ({ ask, listed, tenant }: Tenant, files: Files): Promise<void> => {
  for (const scope of (await ask("GET", `${base}/oidc/scopes`)).body) {
    files.set(`OidcScopes/${scope.name}`, textOf((await ask("GET", `${base}/oidc/scopes/${scope.name}`)).body));
  }
  for (const dialect of (await ask("GET", `${base}/claim-dialects`)).body) {
    files.set(`Claims/${dialect.id}`, textOf((await ask("GET", `${base}/claim-dialects/${dialect.id}/claims`)).body));
  }
  for (const { id, displayName } of await listed("/scim2/v2/Roles", "Resources", "startIndex")) {
    const path = `/scim2/v2/Roles/${id}?excludedAttributes=meta,users,groups,associatedApplications`;
    const { audience, ...role } = (await ask("GET", path)).body;
    expect([role.permissions, audience]).toEqual([expect.any(Array), expect.any(Object)]);
    files.set(
      `Roles/${displayName}`,
      textOf({ ...role, audience: { ...audience, value: "", display: audience.display === tenant } }),
    );
  }
};

/** Version 3: the application, its protocols and its authorized APIs. */
const exportResources = async (from: Tenant): Promise<Files> => {
  const { ask, listed } = from;
  const files: Files = new Map();
  await ask("GET", `${base}/userstores`);
  await ask("GET", `${base}/identity-providers`);
  await exportApis(from, files);
  for (const { id, name } of await listed(`${base}/applications`, "applications", "offset")) {
    const { body } = await ask("GET", `${base}/applications/${id}`);
    const protocols: Shown = {};
    for (const { self } of body.inboundProtocols ?? []) {
      const protocol = String(self).split("/").at(-1) ?? "";
      protocols[protocol] = (await ask("GET", `${base}/applications/${id}/inbound-protocols/${protocol}`)).body;
    }
    const { inboundProtocols: _, ...rest } = body;
    files.set(`Applications/${name}`, textOf({ ...rest, inboundProtocolConfiguration: protocols }));
    const authorized = (await ask("GET", `${base}/applications/${id}/authorized-apis`)).body as Shown[];
    files.set(`AuthorizedApis/${name}`, textOf(authorized.toSorted((a, b) => (a.identifier < b.identifier ? -1 : 1))));
  }
  files.set("Applications/Resident", textOf((await ask("GET", `${base}/applications/resident`)).body));
  await exportRest(from, files);
  return files;
};

const importApis = async ({ ask }: Tenant, files: Files, existing: readonly Shown[]): Promise<Map<string, string>> => {
  const ids = new Map<string, string>(existing.map(({ identifier, id }) => [identifier, id]));
  for (const [file, text] of files) {
    if (!file.startsWith("ApiResources/")) continue;
    const { type: _, properties: __, subscribedApplications: ___, ...body } = JSON.parse(text);
    const known = ids.get(body.identifier);
    if (known === undefined) ids.set(body.identifier, (await ask("POST", `${base}/api-resources`, body)).body.id);
    else await ask("PUT", `${base}/api-resources/${known}/scopes`, body.scopes);
  }
  return ids;
};

const importRest = async ({ ask, listed }: Tenant, files: Files): Promise<void> => {
  const organization = (await ask("GET", `${base}/organizations/self`)).body.id;
  const scopes = new Set(((await ask("GET", `${base}/oidc/scopes`)).body as Shown[]).map(({ name }) => name));
  const roles = new Map(
    (await listed("/scim2/v2/Roles", "Resources", "startIndex")).map((one) => [one.displayName, one.id]),
  );
  for (const [file, text] of files) {
    const [kind, name = ""] = file.split("/");
    const body = JSON.parse(text);
    if (kind === "OidcScopes") {
      const { name: _, ...changes } = body;
      if (scopes.has(name)) await ask("PUT", `${base}/oidc/scopes/${name}`, changes);
      else await ask("POST", `${base}/oidc/scopes`, body);
    }
    if (kind !== "Roles" || name === "admin" || name === "everyone") continue;
    const audience = { type: "organization", value: organization };
    const known = roles.get(name);
    const permissions = body.permissions;
    if (known === undefined) await ask("POST", "/scim2/v2/Roles", { ...body, audience });
    else {
      const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
      const Operations = [{ op: "replace", value: { permissions } }];
      expect((await ask("PATCH", `/scim2/v2/Roles/${known}`, { schemas, Operations })).status).toBe(200);
    }
  }
};

/** Version 3: creates applications, or changes them and each of their protocols. */
const importResources = async (to: Tenant, files: Files): Promise<void> => {
  const { ask, listed } = to;
  const apis = await importApis(to, files, await apisOf(to));
  const applications = new Map(
    (await listed(`${base}/applications`, "applications", "offset")).map((one) => [one.name, one.id]),
  );
  for (const [file, text] of files) {
    const [kind, ...rest] = file.split("/");
    const name = rest.join("/");
    if (kind !== "Applications") continue;
    if (name === "Resident") {
      expect([200, 204]).toContain(
        (
          await ask("PATCH", `${base}/applications/resident`, JSON.parse(text)).catch(() =>
            ask("PUT", `${base}/applications/resident`, JSON.parse(text)),
          )
        ).status,
      );
      continue;
    }
    const { clientId: _, realm: __, issuer: ___, applicationVersion: ____, ...body } = JSON.parse(text);
    // The tool writes no claim where the role claim is the default one.
    const role = body.claimConfiguration.role;
    if (role.claim?.uri === "http://wso2.org/claims/role") role.claim.uri = "";
    const known = applications.get(name);
    const { inboundProtocolConfiguration: protocols, associatedRoles, ...others } = body;
    let id = known;
    if (known === undefined) {
      const { roles: _____, ...audience } = associatedRoles ?? {};
      const creation = { ...others, associatedRoles: audience, inboundProtocolConfiguration: creationOf(protocols) };
      id = (await ask("POST", `${base}/applications`, creation)).headers.get("location")?.split("/").at(-1);
    } else {
      const { isManagementApp: _____, templateId: ______, ...changes } = others;
      expect((await ask("PATCH", `${base}/applications/${id}`, { ...changes, associatedRoles })).status).toBe(200);
      for (const [protocol, settings] of Object.entries(protocols as Shown)) {
        const sent = protocol === "saml" ? { manualConfiguration: settings } : settings;
        await ask("PUT", `${base}/applications/${id}/inbound-protocols/${protocol}`, sent);
      }
    }
    const had = new Set(
      ((await ask("GET", `${base}/applications/${id}/authorized-apis`)).body as Shown[]).map((one) => one.identifier),
    );
    for (const one of JSON.parse(files.get(`AuthorizedApis/${name}`) ?? "[]") as Shown[]) {
      const scopes = one.authorizedScopes.map((scope: Shown) => scope.name);
      const apiId = apis.get(one.identifier);
      const path = `${base}/applications/${id}/authorized-apis`;
      if (had.has(one.identifier)) await ask("PATCH", `${path}/${apiId}`, { addedScopes: scopes, removedScopes: [] });
      else await ask("POST", path, { id: apiId, policyIdentifier: one.policyId, scopes });
    }
  }
  await importRest(to, files);
};

const creationOf = (protocols: Shown): Shown =>
  Object.fromEntries(
    Object.entries(protocols).map(([name, settings]) => {
      if (name === "saml") return ["saml", { manualConfiguration: settings }];
      return [name === "passive-sts" ? "passiveSts" : name === "ws-trust" ? "wsTrust" : name, settings];
    }),
  );

/** Version 1.0.8: applications as YAML files. */
const exportFiles = async ({ ask, listed }: Tenant): Promise<Files> => {
  const files: Files = new Map();
  for (const { id } of await listed(`${base}/applications`, "applications", "offset")) {
    const headers = { accept: "application/yaml", "content-type": "application/x-www-form-urlencoded" };
    const answer = await ask("GET", `${base}/applications/${id}/exportFile?exportSecrets=true`, undefined, { headers });
    const [, name = ""] = /filename="([^"]+)\.yml"/.exec(answer.headers.get("content-disposition") ?? "") ?? [];
    files.set(name, answer.text);
  }
  return files;
};

const importFiles = async ({ ask, listed }: Tenant, files: Files): Promise<void> => {
  const existing = new Set((await listed(`${base}/applications`, "applications", "offset")).map(({ name }) => name));
  for (const [name, text] of files) {
    const head = `Content-Disposition: form-data; name="file"; filename="${name}.yml"\r\nContent-Type: application/yaml`;
    // The tool sends the request before it closes the body.
    const raw = `--of-the-tool\r\n${head}\r\n\r\n${text}`;
    const headers = { "content-type": "multipart/form-data; boundary=of-the-tool" };
    const method = existing.has(name) ? "PUT" : "POST";
    const { status } = await ask(method, `${base}/applications/import`, undefined, { raw, headers });
    expect(status).toBe(method === "PUT" ? 200 : 201);
  }
};

let from: Tenant;
beforeAll(async () => {
  from = await createTenant(api);
  await furnish(from);
}, 120_000);

describe("a tenant of 200 applications, 30 roles and 40 APIs", () => {
  test("moves by version 3, twice, and the second export is the first", { timeout: 240_000 }, async () => {
    const to = await createTenant(second);
    const first = await exportResources(from);
    expect(first.size).toBeGreaterThan(2 * APPLICATIONS + ROLES + APIS);
    await importResources(to, first);
    const again = await exportResources(to);
    expect([...again.keys()].sort()).toEqual([...first.keys()].sort());
    for (const [name, text] of first) expect([name, again.get(name)]).toEqual([name, text]);
    await importResources(to, again);
    expect(new Map([...(await exportResources(to))].sort())).toEqual(new Map([...again].sort()));
  });

  test("moves by the files of version 1.0.8, twice, and the second export is the first", {
    timeout: 240_000,
  }, async () => {
    const to = await createTenant(third);
    const first = await exportFiles(from);
    expect(first.size).toBe(APPLICATIONS);
    await importFiles(to, first);
    const again = await exportFiles(to);
    for (const [name, text] of first) expect([name, again.get(name)]).toEqual([name, text]);
    await importFiles(to, again);
    expect(new Map([...(await exportFiles(to))].sort())).toEqual(new Map([...again].sort()));
  });
});

test("the token of the tool may ask for scopes that do not exist here", async () => {
  const id = await api.create({
    name: "the tool",
    inboundProtocolConfiguration: {
      oidc: { clientId: "tool", clientSecret: "secret-Vq7rT2mZx9Lw4KcHs8Ny3", grantTypes: ["client_credentials"] },
    },
  });
  const filter = encodeURIComponent('identifier eq "/api/server/v1/applications"');
  const [applications] = (await api.ask("GET", `${base}/api-resources?filter=${filter}`)).body.apiResources;
  const body = { id: applications.id, policyIdentifier: "RBAC", scopes: ["internal_application_mgt_view"] };
  await api.ask("POST", `${base}/applications/${id}/authorized-apis`, { body });
  const form = {
    grant_type: "client_credentials",
    scope: "internal_application_mgt_view internal_org_idp_view internal_flow_view",
  };
  const { status, body: token } = await api.ask("POST", "/t/carbon.super/oauth2/token", {
    as: basic({ username: "tool", password: "secret-Vq7rT2mZx9Lw4KcHs8Ny3" }),
    raw: new URLSearchParams(form).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect([status, token.scope]).toEqual([200, "internal_application_mgt_view"]);
});
