/** Opaque access tokens: one item each, by digest. */
import { keys } from "../table/keys.ts";
import type { Item, Step, Table } from "../table/table.ts";
import type { AccessToken } from "./model.ts";
import { digestOf, isOpaque } from "./opaque.ts";

/** The opaque access tokens of all tenants. */
export interface AccessTokenStore {
  /** What a token stands for, be it alive or not. One round trip. */
  find(text: string): Promise<AccessToken | undefined>;
}

/** Opens the store on the table of one request. */
export function accessTokenStore(table: Table): AccessTokenStore {
  return {
    async find(text) {
      if (!isOpaque(text, "at_")) return undefined;
      const item = await table.get(keys.accessToken(digestOf(text)));
      return item?.token as AccessToken | undefined;
    },
  };
}

/** The step that keeps a new token. */
export function keepingAccessToken(text: string, token: AccessToken): Step {
  return {
    put: {
      ...keys.accessToken(digestOf(text)),
      token: token as unknown as Item["token"],
      expiresAtSeconds: token.expiresAtSeconds,
    },
    when: "any",
    otherwise: impossible,
  };
}

/** The step that removes a token, whether it is there or not. */
export function removingAccessToken(digest: string): Step {
  return {
    remove: keys.accessToken(digest),
    when: "any",
    otherwise: impossible,
  };
}

function impossible(): Error {
  return new Error("two tokens of 256 random bits are the same");
}
