/** Authorization requests that are pushed or signed, for tests. */
import { SignJWT } from "jose";
import type { Shown } from "./browsing.ts";
import type { ClientKey } from "./client-keys.ts";
import { form, type TestClient } from "./oauth.ts";
import { CALLBACK } from "./sign-in.ts";
import { type Answer, basic, type World } from "./world.ts";

export const PAR = "/oauth2/par";

type Fields = Readonly<Record<string, string | undefined>>;

/** What differs from a right request object. `undefined` removes a claim. */
export interface OddObject {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

/** The parameters of an answer in a fragment. */
export const fragmentOf = ({ location, html, status }: Shown): Readonly<Record<string, string>> => {
  if (!location) throw new Error(`no answer but a page with ${status}: ${html.slice(-900)}`);
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
};

export const requestsOf = (api: World) => {
  const issuer = () => `${api.url}/oauth2/token`;
  const basicOf = ({ clientId, clientSecret }: TestClient) => basic({ username: clientId, password: clientSecret });
  const fieldsOf = (fields: Fields): Fields => ({
    response_type: "code",
    redirect_uri: CALLBACK,
    scope: "openid",
    ...fields,
  });
  /** Sends a form to the endpoint for pushed requests, exactly as given. */
  const post = (
    fields: Fields,
    as: string | null,
    headers: Readonly<Record<string, string>> = {},
    path = PAR,
  ): Promise<Answer> =>
    api.ask("POST", path, {
      raw: form(fields),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      as,
    });
  /** Pushes a request of a client with a secret. */
  const push = (client: TestClient, fields: Fields = {}, headers: Readonly<Record<string, string>> = {}) =>
    post(fieldsOf(fields), basicOf(client), headers);
  return {
    issuer,
    post,
    push,
    basicOf,
    fieldsOf,
    /** The path of the authorization request that names a pushed one. */
    opening: (
      { clientId }: Pick<TestClient, "clientId">,
      requestUri: string,
      more: Readonly<Record<string, string>> = {},
    ) => `/oauth2/authorize?${new URLSearchParams({ client_id: clientId, request_uri: requestUri, ...more })}`,
    /** Pushes a request, and returns its name. */
    async pushed(client: TestClient, fields: Fields = {}): Promise<string> {
      const { status, body, text } = await push(client, fields);
      if (status !== 201) throw new Error(text);
      return body.request_uri;
    },
    /** A request object that a client signs with a key. */
    objectOf(
      { clientId }: Pick<TestClient, "clientId">,
      { alg, kid, privateKey }: Pick<ClientKey, "alg" | "kid" | "privateKey">,
      fields: Fields = {},
      { claims = {}, header = {} }: OddObject = {},
    ): Promise<string> {
      const now = Math.floor(Date.now() / 1_000);
      const payload = {
        ...{ iss: clientId, aud: issuer(), client_id: clientId, iat: now, nbf: now, exp: now + 300 },
        ...fieldsOf(fields),
        ...claims,
      };
      return new SignJWT(JSON.parse(JSON.stringify(payload)))
        .setProtectedHeader({ alg, kid, typ: "oauth-authz-req+jwt", ...header })
        .sign(privateKey);
    },
  };
};
