/** Token exchanges for tests: clients that may exchange, tokens of users, and requests. */
import { oauthOf, type TestClient, TOKEN } from "./oauth.ts";
import { ADMIN, type Answer, type World } from "./world.ts";

export const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const ACCESS = "urn:ietf:params:oauth:token-type:access_token";
export const JWT = "urn:ietf:params:oauth:token-type:jwt";

type Fields = Readonly<Record<string, string | undefined>>;

/** Requests of token exchanges of a service. */
export const exchangesOf = (api: World) => {
  const oauth = oauthOf(api);
  const { newClient, post, token } = oauth;
  const exchange = (client: TestClient | null, subject: string, fields: Fields = {}): Promise<Answer> =>
    post(TOKEN, { grant_type: EXCHANGE, subject_token: subject, subject_token_type: ACCESS, ...fields }, client);

  return {
    ...oauth,
    exchange,
    /** A client that may exchange tokens. */
    service: (scopes: readonly string[], oidc: Readonly<Record<string, unknown>> = {}) =>
      newClient(scopes, { grantTypes: ["client_credentials", "password", "refresh_token", EXCHANGE], ...oidc }),
    /** A token of a user, the administrator by default. */
    userToken: async (client: TestClient, scope: string, fields: Fields = {}): Promise<string> =>
      (await token(client, { grant_type: "password", ...ADMIN, scope, ...fields })).access_token,
    /** Exchanges a token and expects a success. */
    exchanged: async (client: TestClient, subject: string, fields: Fields = {}): Promise<string> => {
      const answer = await exchange(client, subject, fields);
      if (answer.status !== 200) throw new Error(`the exchange returned ${answer.status}: ${answer.text}`);
      return answer.body.access_token;
    },
    /** Hands a token of a client over to another client, which may exchange it then. */
    handedTo: async (to: TestClient, from: TestClient, subject: string, scope?: string): Promise<string> => {
      const answer = await exchange(from, subject, { audience: to.clientId, scope });
      if (answer.status !== 200) throw new Error(`the exchange returned ${answer.status}: ${answer.text}`);
      return answer.body.access_token;
    },
  };
};
