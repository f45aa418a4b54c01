/** Requests about the secrets of clients. */
import { crc32 } from "node:zlib";
import { oauthOf, type TestClient, TOKEN } from "./oauth.ts";
import type { Ask, World } from "./world.ts";

/** The regular expression of docs/tokens.md. */
export const SECRET_PATTERN = /\biacs_([0-9A-Za-z]{43})([0-9A-Za-z]{6})\b/;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Whether a text has the checksum that docs/tokens.md describes. */
export const hasChecksum = (text: string): boolean => {
  const [, random = "", checksum = ""] = SECRET_PATTERN.exec(text) ?? [];
  const sum = [...checksum].reduce((total, digit) => total * 62 + DIGITS.indexOf(digit), 0);
  return crc32(`iacs_${random}`) === sum;
};

const GRANT = { grant_type: "client_credentials" };

/** Requests about secrets of a service. */
export const clientSecretsOf = (api: World) => {
  const { post, oidcPath } = oauthOf(api);
  const at = (id: string, secretId?: string) =>
    `${oidcPath(id)}/secrets${secretId === undefined ? "" : `/${secretId}`}`;
  return {
    at,
    create: (id: string, ask: Ask = {}) => api.ask("POST", at(id), ask),
    list: (id: string, ask: Ask = {}) => api.ask("GET", at(id), ask),
    get: (id: string, secretId: string, ask: Ask = {}) => api.ask("GET", at(id, secretId), ask),
    remove: (id: string, secretId: string, ask: Ask = {}) => api.ask("DELETE", at(id, secretId), ask),

    /** The status of the token endpoint for a client with another secret. */
    statusWith: async (client: TestClient, clientSecret: string) =>
      (await post(TOKEN, GRANT, { ...client, clientSecret })).status,
  };
};
