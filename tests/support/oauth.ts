/** OAuth clients for tests: applications with a client and authorized APIs, and requests of the token endpoint. */
import { systemApis } from "#core/kernel/domain/system-apis.ts";
import { apiResourcesOf } from "./api-resources.ts";
import { type Answer, APPLICATIONS, basic, type World } from "./world.ts";

export const TOKEN = "/oauth2/token";
export const ALL_GRANTS = ["client_credentials", "password", "refresh_token"];

/** A client. */
export interface TestClient {
  readonly applicationId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A form body. */
export const form = (fields: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join("&");

const FORM = { "content-type": "application/x-www-form-urlencoded" };

let made = 0;

/** Requests of clients of a service. */
export const oauthOf = (api: World) => {
  const { authorize } = apiResourcesOf(api);
  const oidcPath = (id: string) => `${APPLICATIONS}/${id}/inbound-protocols/oidc`;

  /** Creates an application with a client that is authorized for these scopes of the system APIs. */
  const newClient = async (
    scopes: readonly string[] = [],
    oidc: Readonly<Record<string, unknown>> = {},
  ): Promise<TestClient> => {
    made += 1;
    const body = { grantTypes: ALL_GRANTS, ...oidc };
    const applicationId = await api.create({ name: `client ${made}`, inboundProtocolConfiguration: { oidc: body } });
    for (const { id, scopes: own } of systemApis) {
      const names = own.map(({ name }) => name).filter((name) => scopes.includes(name));
      if (names.length > 0) await authorize(applicationId, { id, scopes: names });
    }
    const shown = (await api.ask("GET", oidcPath(applicationId))).body;
    return { applicationId, clientId: shown.clientId, clientSecret: shown.clientSecret };
  };

  /** Sends a form. `as` is the client of the Basic header; `null` sends no header. */
  const post = (
    path: string,
    fields: Readonly<Record<string, string | undefined>> | string,
    as: TestClient | string | null = null,
  ): Promise<Answer> => {
    const header =
      as !== null && typeof as !== "string" ? basic({ username: as.clientId, password: as.clientSecret }) : as;
    return api.ask("POST", path, {
      raw: typeof fields === "string" ? fields : form(fields),
      headers: FORM,
      as: header,
    });
  };

  /** Requests a token and expects a success. */
  const token = async (client: TestClient, fields: Readonly<Record<string, string | undefined>>) => {
    const answer = await post(TOKEN, fields, client);
    if (answer.status !== 200) throw new Error(`the token endpoint returned ${answer.status}: ${answer.text}`);
    return answer.body as {
      access_token: string;
      refresh_token?: string;
      scope?: string;
      expires_in: number;
      token_type: string;
    };
  };

  return {
    newClient,
    post,
    token,
    oidcPath,
    /** Requests a token with client_credentials. */
    ownToken: async (client: TestClient, scope?: string): Promise<string> =>
      (await token(client, { grant_type: "client_credentials", scope })).access_token,
  };
};
