/**
 * What the authorizer and the token endpoint decide, on any table: both as they are deployed, with a clock and stores of
 * the test. A question is asked as a caller would find it out: with a password, or with a token of the token endpoint.
 */
import { randomBytes } from "node:crypto";
import type { APIGatewayRequestAuthorizerEventV2 } from "aws-lambda";
import { apiResourceStore } from "#core/applications/apis/store.ts";
import { oidcScopeStore } from "#core/applications/oidc-scopes/store.ts";
import { defaultClientLimits } from "#core/applications/protocols/limits.ts";
import { clientStore } from "#core/applications/registry/client-store.ts";
import { secretUseStore } from "#core/applications/registry/secret-use-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import type { Table } from "#core/database/table/table.ts";
import { credentialStore, newCredential } from "#core/directory/credentials/store.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { userStore } from "#core/directory/users/store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { Fault } from "#core/kernel/faults.ts";
import type { Seal } from "#core/kernel/seal.ts";
import { protections } from "#core/service/protection.ts";
import type { ReadyRule } from "#core/sign-in/authentication/access-control/rules.ts";
import { anySamples } from "#core/sign-in/authentication/access-control/samples.ts";
import { newAuthenticate } from "#core/sign-in/authentication/authenticate.ts";
import { newAuthorizer } from "#core/sign-in/authentication/authorize.ts";
import { newFreshCache } from "#core/sign-in/authentication/fresh.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/sign-in/authentication/lockout-store.ts";
import { newSignIn } from "#core/sign-in/authentication/sign-in.ts";
import { newTokenReader } from "#core/sign-in/authentication/token-reader.ts";
import { newClientAuthenticator } from "#core/sign-in/oauth/client-authentication.ts";
import { clientLockoutStore } from "#core/sign-in/oauth/client-lockout-store.ts";
import { newClientProofs } from "#core/sign-in/oauth/client-proofs.ts";
import type { OAuthContext, OAuthTools } from "#core/sign-in/oauth/context.ts";
import { oauthHandlers } from "#core/sign-in/oauth/handlers.ts";
import { newProofReader } from "#core/tokens/dpop.ts";
import { familyStore } from "#core/tokens/refresh-family-store.ts";
import { type ModelQuestion, type ModelTenant, SECRET } from "./access-model.ts";
import { basic } from "./world.ts";

export const ORIGIN = "https://id.example";
const PASSWORD = "the password of all";
const none = (): never => {
  throw new Error("the model has no use for this");
};

/** Opens the oracle. Every user has one password, and is found by its name. */
export const newOracle = async (table: Table, seal: Seal, ruleSets: readonly (readonly ReadyRule[])[]) => {
  const credential = await newCredential(PASSWORD);
  const ids = new Map<string, string>();
  const users = {
    ...userStore(table),
    idOf: async ({ tenant, name }: { tenant: string; name: string }) => ids.get(`${name}@${tenant}`),
  };
  const stores = {
    table,
    tenants: tenantStore(table),
    users,
    roles: roleStore(table),
    groups: groupStore(table),
    credentials: { ...credentialStore(table), find: async () => credential },
    lockouts: lockoutStore(table, defaultLockoutPolicy),
  };
  const certificates = { enabled: false, issuers: [], exemptContexts: [] };
  const proofs = newProofReader(randomBytes(32));
  const authorizers = ruleSets.map((rules) =>
    newAuthorizer({
      access: { rules, certificates },
      operations: protections,
      userStoresOf: () => [PRIMARY],
      clock: systemClock,
      baseUrl: ORIGIN,
      proofs,
      stores: () => stores,
    }),
  );
  const authenticate = newAuthenticate(systemClock, systemScopes);
  const unused = new Proxy({}, { get: none });
  const tools = {
    ...(unused as OAuthTools),
    signIn: newSignIn(systemClock),
    identifiers: new Set(),
    clientAuthenticator: newClientAuthenticator(
      seal,
      newClientProofs(unused as Parameters<typeof newClientProofs>[0], certificates),
    ),
    notedUses: newFreshCache<number>(systemClock),
    limits: defaultClientLimits,
    reader: newTokenReader(() => [PRIMARY]),
    refusals: () => () => undefined,
  } as OAuthTools;
  const contextOf = (sourceIp: string): OAuthContext =>
    ({
      ...stores,
      ...{ tools, sourceIp, origin: ORIGIN, traceId: "t", now: Date.now(), reportDefect: none },
      sent: { method: "POST", origins: [ORIGIN], path: "/oauth2/token" },
      clients: clientStore(table),
      clientLockouts: clientLockoutStore(table),
      secretUses: secretUseStore(table),
      apiResources: apiResourceStore(table),
      applications: applicationStore(table),
      oidcScopes: oidcScopeStore(table),
      families: familyStore(table),
    }) as OAuthContext;
  let asked = 0;
  const nextSource = () => {
    asked += 1;
    return `10.${(asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}`;
  };

  /** A token as the question bounds it; `undefined` where there is none, and a fault of its resources. */
  const tokenFor = async (
    tenant: ModelTenant,
    { subject, application, token }: ModelQuestion,
    names: readonly string[],
  ) => {
    const user = tenant.users.find(({ id }) => id === subject.id);
    const clientId = `client-${application}`;
    const isPublic = tenant.applications.find(({ id }) => id === application)?.inbound.oidc?.publicClient === true;
    const form = {
      grant_type: user ? "password" : "client_credentials",
      ...(user && { username: user.userName, password: PASSWORD }),
      scope: (token?.scopes ?? names).join(" "),
      ...(token?.resources && { resource: token.resources }),
      ...(isPublic && { client_id: clientId }),
    };
    const headers = isPublic ? {} : { authorization: basic({ username: clientId, password: SECRET }) };
    try {
      const answer = await oauthHandlers.requestToken(
        { query: {}, headers, body: form, params: undefined } as never,
        contextOf(nextSource()) as never,
      );
      return answer as { readonly access_token: string; readonly scope?: string };
    } catch (error) {
      if (error instanceof Fault && error.row.status < 500) return error;
      throw error;
    }
  };

  return {
    know: ({ domain, users: some }: ModelTenant) => {
      for (const { userName, id } of some) ids.set(`${userName}@${domain}`, id);
    },
    /** The answer to a question; `"target"` where the token endpoint does not know its resources. */
    async decide(tenant: ModelTenant, question: ModelQuestion, names: readonly string[]): Promise<boolean | "target"> {
      const { subject, application, operation, scope = "" } = question;
      const user = tenant.users.find(({ id }) => id === subject.id);
      const isDirect = application === undefined;
      const sample = operation === undefined ? undefined : anySamples(protections).get(operation);
      const password = basic({ username: `${user?.userName}@${tenant.domain}`, password: PASSWORD });
      const issued = isDirect ? undefined : await tokenFor(tenant, question, names);
      if (issued instanceof Fault && issued.fault === "target.invalid") return "target";
      if (!sample) {
        if (isDirect) {
          return authenticate({ header: password, sourceIp: nextSource() }, stores as never, () => undefined).then(
            ({ scopes }) => scopes.intersection(systemScopes).has(scope),
            () => false,
          );
        }
        if (!issued || issued instanceof Fault) return false;
        return scope === "internal_login" || (issued.scope ?? "").split(" ").includes(scope);
      }
      const header = isDirect ? password : issued instanceof Fault ? undefined : `Bearer ${issued?.access_token}`;
      const event = {
        rawPath: sample.path,
        rawQueryString: "",
        headers: header === undefined ? {} : { authorization: header },
        requestContext: {
          requestId: "r",
          domainName: "unused",
          http: { method: sample.method, sourceIp: nextSource() },
        },
      } as unknown as APIGatewayRequestAuthorizerEventV2;
      const { context } = await (authorizers[tenant.rules] ?? none)(event);
      return context.decision !== "refuse";
    },
  };
};
