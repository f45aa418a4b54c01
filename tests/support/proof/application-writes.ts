/** Random writes of applications with their protocols and secrets, templates, APIs, and tenants. */
import { fileOf, MULTIPART_TYPE, multipart } from "../files.ts";
import { APPLICATIONS } from "../world.ts";
import type { KnownApplication, Pool, Write } from "./pool.ts";

const APIS = "/api/server/v1/api-resources";
const TENANTS = "/api/server/v1/tenants";
const TEMPLATES = `${APPLICATIONS}/templates`;
/** Each has a password to hash. */
const TENANTS_MOST = 4;

const idIn = ({ headers }: { readonly headers: Headers }): string => headers.get("location")?.split("/").at(-1) ?? "";

const send = (method: string, path: string, body: unknown, rest: Pick<Write, "isChange" | "after">): Write => ({
  method,
  path,
  ...(body !== undefined && { ask: { body } }),
  ...rest,
});

const oidc = (pool: Pool) => ({
  clientId: pool.fresh("client"),
  ...(pool.chance(0.5) && { clientSecret: pool.secret() }),
  grantTypes: ["client_credentials", "authorization_code"],
  callbackURLs: [`https://${pool.fresh("callback")}.example/`],
});
const saml = (pool: Pool) => ({
  manualConfiguration: { issuer: pool.fresh("issuer"), assertionConsumerUrls: ["https://sp.example/acs"] },
});
const sts = (pool: Pool) => ({ realm: pool.fresh("realm"), replyTo: "https://sts.example/reply" });
const trust = (pool: Pool) => ({ audience: pool.fresh("audience"), certificateAlias: "wso2carbon" });
const cas = (pool: Pool) => ({
  name: "cas",
  configName: "cas",
  properties: [{ key: "serviceURL", value: `https://${pool.fresh("service")}.example/login` }],
});

const newApplication = (pool: Pool): Write => {
  const name = pool.fresh("application");
  const inboundProtocolConfiguration = {
    ...(pool.chance(0.5) && { oidc: oidc(pool) }),
    ...(pool.chance(0.3) && { saml: saml(pool) }),
    ...(pool.chance(0.2) && { passiveSts: sts(pool) }),
    ...(pool.chance(0.2) && { wsTrust: trust(pool) }),
    ...(pool.chance(0.2) && { custom: [cas(pool)] }),
  };
  const body = { name, description: pool.fresh("text"), inboundProtocolConfiguration };
  return send("POST", APPLICATIONS, body, {
    isChange: true,
    after: (reply) => pool.applications.push({ id: idIn(reply), name }),
  });
};

const imported = (pool: Pool): Write => {
  const known = pool.chance(0.3) ? pool.pick(pool.applications) : undefined;
  const name = known?.name ?? pool.fresh("imported");
  const file = fileOf({ name, extra: `<Description>${pool.fresh("text")}</Description>` });
  return {
    method: known ? "PUT" : "POST",
    path: `${APPLICATIONS}/import`,
    ask: { raw: multipart({ name: "file", content: file }), headers: { "content-type": MULTIPART_TYPE } },
    // Another writer may have renamed it.
    isChange: !known,
    ...(!known && { after: (reply) => pool.applications.push({ id: idIn(reply), name }) }),
  };
};

const protocolChange = (pool: Pool, at: string): Write => {
  const [name, body] = pool.pick([
    ["oidc", oidc],
    ["oidc", oidc],
    ["saml", saml],
    ["passive-sts", sts],
    ["ws-trust", trust],
    ["cas", cas],
  ] as const) ?? ["saml", saml];
  return send("PUT", `${at}/inbound-protocols/${name}`, body(pool), { isChange: true });
};

const secretChange = (pool: Pool, at: string): Write => {
  const path = `${at}/inbound-protocols/oidc`;
  // The values that the service makes must stay secret, too.
  const after: Write["after"] = ({ body }) => {
    for (const name of ["clientSecret", "secretValue"]) if (body?.[name]) pool.secrets.add(String(body[name]));
  };
  if (pool.chance(0.5)) return send("POST", `${path}/regenerate-secret`, undefined, { isChange: true, after });
  if (pool.chance(0.3)) return send("POST", `${path}/revoke`, undefined, { isChange: false });
  return send("POST", `${path}/secrets`, { description: pool.fresh("secret for") }, { isChange: true, after });
};

const authorization = (pool: Pool, at: string): Write | undefined => {
  const api = pool.pick(pool.apis);
  if (!api) return undefined;
  const roll = pool.upTo(3);
  const path = `${at}/authorized-apis`;
  const scopes = pool.some(api.scopes, 2);
  if (roll < 2) {
    return send("POST", path, { id: api.id, policyIdentifier: "RBAC", scopes }, { isChange: true });
  }
  if (roll === 2) return send("PATCH", `${path}/${api.id}`, { addedScopes: scopes }, { isChange: false });
  return send("DELETE", `${path}/${api.id}`, undefined, { isChange: false });
};

const changeOfApplication = (pool: Pool): Write | undefined => {
  const known = pool.pick(pool.applications);
  if (!known) return undefined;
  const at = `${APPLICATIONS}/${known.id}`;
  const roll = pool.upTo(19);
  if (roll < 4) return send("PATCH", at, { description: pool.fresh("text") }, { isChange: true });
  if (roll < 5) return send("PATCH", at, { name: pool.fresh("renamed") }, { isChange: true });
  if (roll < 6) {
    const settings = {
      advancedConfigurations: { skipLoginConsent: pool.chance(0.5) },
      accessUrl: `https://${pool.fresh("a")}.example/`,
    };
    return send("PATCH", at, settings, { isChange: true });
  }
  if (roll < 12) return protocolChange(pool, at);
  if (roll < 14) return secretChange(pool, at);
  if (roll < 16) {
    const name = pool.pick(["oidc", "saml", "passive-sts", "ws-trust", "cas"]);
    return send("DELETE", `${at}/inbound-protocols/${name}`, undefined, { isChange: false });
  }
  if (roll < 17) {
    const owner = pool.pick(pool.realms[0]?.users ?? []);
    return owner === undefined ? undefined : send("PUT", `${at}/owner`, { id: owner }, { isChange: false });
  }
  return authorization(pool, at);
};

const removedApplication = (pool: Pool): Write | undefined => {
  const known: KnownApplication | undefined = pool.take(pool.applications);
  return known && send("DELETE", `${APPLICATIONS}/${known.id}`, undefined, { isChange: true });
};

const resident = (pool: Pool): Write =>
  send(
    "PUT",
    `${APPLICATIONS}/resident`,
    { inboundProvisioning: { proxyMode: pool.chance(0.5) } },
    { isChange: false },
  );

const templateBody = (pool: Pool) => {
  const description = pool.fresh("text");
  const application = {
    name: "of a template",
    description,
    ...(pool.chance(0.5) && { inboundProtocolConfiguration: { oidc: { ...oidc(pool), clientSecret: pool.secret() } } }),
  };
  return { name: pool.fresh("template"), description, application };
};

const template = (pool: Pool): Write | undefined => {
  const roll = pool.upTo(5);
  if (roll < 2 || pool.templates.length === 0) {
    const after: Write["after"] = (reply) => pool.templates.push(idIn(reply));
    return send("POST", TEMPLATES, templateBody(pool), { isChange: true, after });
  }
  if (roll < 5) return send("PUT", `${TEMPLATES}/${pool.pick(pool.templates)}`, templateBody(pool), { isChange: true });
  return send("DELETE", `${TEMPLATES}/${pool.take(pool.templates)}`, undefined, { isChange: true });
};

const scopesOf = (pool: Pool, most: number) => Array.from({ length: 1 + pool.upTo(most) }, () => pool.fresh("scope"));
const named = (names: readonly string[]) => names.map((name) => ({ name, displayName: name }));

const api = (pool: Pool): Write | undefined => {
  const roll = pool.upTo(9);
  if (roll < 3 || pool.apis.length === 0) {
    const scopes = scopesOf(pool, 3);
    const body = { name: pool.fresh("api"), identifier: pool.fresh("urn:api"), scopes: named(scopes) };
    return send("POST", APIS, body, { isChange: true, after: ({ body: { id } }) => pool.apis.push({ id, scopes }) });
  }
  const known = pool.pick(pool.apis);
  if (!known) return undefined;
  const at = `${APIS}/${known.id}`;
  if (roll < 5) return send("PATCH", at, { name: pool.fresh("api") }, { isChange: true });
  if (roll < 7) {
    const added = scopesOf(pool, 1);
    return send(
      "PATCH",
      at,
      { addedScopes: named(added) },
      { isChange: true, after: () => known.scopes.push(...added) },
    );
  }
  const scope = pool.pick(known.scopes);
  if (roll === 7 && scope !== undefined) {
    return send("PATCH", `${at}/scopes/${scope}`, { displayName: pool.fresh("shown") }, { isChange: true });
  }
  if (roll === 8 && scope !== undefined) return send("DELETE", `${at}/scopes/${scope}`, undefined, { isChange: false });
  const gone = pool.take(pool.apis);
  return gone && send("DELETE", `${APIS}/${gone.id}`, undefined, { isChange: true });
};

const tenant = (pool: Pool): Write | undefined => {
  const known = pool.pick(pool.tenants);
  if (known !== undefined && (pool.realms.length > TENANTS_MOST || pool.chance(0.8))) {
    return send("PUT", `${TENANTS}/${known}/lifecycle-status`, { activated: pool.chance(0.7) }, { isChange: false });
  }
  if (pool.realms.length > TENANTS_MOST) return undefined;
  const domain = `${pool.fresh("t")}.example`;
  const password = pool.secret();
  const owner = { username: "owner", password, email: "o@t.example", provisioningMethod: "inline-password" };
  return send(
    "POST",
    TENANTS,
    { domain, owners: [owner] },
    {
      isChange: true,
      after(reply) {
        pool.tenants.push(idIn(reply));
        const as = { username: `owner@${domain}`, password };
        pool.realms.push({ tenant: domain, prefix: `/t/${domain}`, as, users: [], groups: [], roles: [] });
      },
    },
  );
};

/** Each with how often it is chosen. */
export const applicationWrites: readonly (readonly [number, (pool: Pool) => Write | undefined])[] = [
  [8, newApplication],
  [26, changeOfApplication],
  [3, removedApplication],
  [3, imported],
  [1, resident],
  [4, template],
  [7, api],
  [2, tenant],
];
