/** Requests about the secrets of clients. */
import { crc32 } from "node:zlib";
import { keys } from "#core/table/keys.ts";
import type { Value } from "#core/table/table.ts";
import { oauthOf, type TestClient, TOKEN } from "./oauth.ts";
import { TENANT, tableOf } from "./people.ts";
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

type Map = Readonly<Record<string, Value>>;
const NEW: readonly string[] = ["latestSecret", "formerSecrets", "secretExpiresAtSeconds"];
const withoutNew = (settings: Map): Map =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !NEW.includes(name)));

const GRANT = { grant_type: "client_credentials" };
const never = () => new Error("no such row");

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

    /** Makes the rows of a client those of a release in which clients had one secret. */
    async makeOld({ applicationId, clientId }: TestClient): Promise<void> {
      const table = tableOf(api.service);
      const key = keys.application(TENANT, applicationId);
      const [applicationRow, clientRow] = await Promise.all([table.get(key), table.get(keys.client(clientId))]);
      const stored = applicationRow?.application as { readonly inbound: { readonly oidc: Map } } | undefined;
      const settings = clientRow?.client as Map | undefined;
      if (!stored || !settings) throw never();
      const application = { ...stored, inbound: { ...stored.inbound, oidc: withoutNew(stored.inbound.oidc) } };
      const client = withoutNew(settings);
      await table.write(
        { change: key, set: { application }, when: "present", otherwise: never },
        { change: keys.client(clientId), set: { client }, when: "present", otherwise: never },
      );
    },
  };
};
