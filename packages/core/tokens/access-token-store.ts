/** Opaque access tokens: one row each, under the digest of the token's text. */
import { keys } from "../database/table/keys.ts";
import { bool, list, number, optional, record, rowCodec, text } from "../database/table/row.ts";
import type { Step, Table } from "../database/table/table.ts";
import { confirmation } from "./confirmation.ts";
import type { AccessToken, Exchange, ExchangeActor, SignInProof, TokenUser } from "./model.ts";
import { digestOf, isOpaque } from "./opaque.ts";
import { putting, removing } from "./unconditional.ts";

/** The user of a token, as rows store it. */
export const tokenUser = record<TokenUser>({
  id: text,
  userName: text,
  userStore: text,
  home: optional(text),
  given: optional(list(text)),
});

/** Exchanges as rows store them. */
const exchangeList = list(
  record<Exchange>({
    clientId: text,
    grantId: text,
    issuedMs: number,
    actor: optional(record<ExchangeActor>({ grantId: text, issuedMs: number, userId: optional(text) })),
  }),
);

const rows = rowCodec<{ readonly token: AccessToken; readonly expiresAtSeconds: number }>("access token", {
  token: record<AccessToken>({
    tenant: text,
    clientId: text,
    applicationId: text,
    user: optional(tokenUser),
    subject: optional(text),
    claims: optional(list(text)),
    scopes: list(text),
    roleIds: list(text),
    grantId: text,
    issuedAtSeconds: number,
    issuedMs: number,
    expiresAtSeconds: number,
    audience: optional(list(text)),
    isDelegated: optional(bool),
    proof: optional(record<SignInProof>({ atSeconds: number, methods: list(text) })),
    sid: optional(text),
    exchanges: optional(exchangeList),
    cnf: optional(confirmation),
  }),
  expiresAtSeconds: number,
});

/** Opens the store on the table of one request. */
export function accessTokenStore(table: Table) {
  return {
    /** The token with that text, expired ones included. One round trip. */
    async find(tokenText: string): Promise<AccessToken | undefined> {
      if (!isOpaque(tokenText, "at_")) return undefined;
      const item = await table.get(keys.accessToken(digestOf(tokenText)));
      return item && rows.read(item).token;
    },
  };
}

/** The step that stores a new token. */
export function storingAccessToken(tokenText: string, token: AccessToken): Step {
  const { expiresAtSeconds } = token;
  return putting({ ...keys.accessToken(digestOf(tokenText)), ...rows.write({ token, expiresAtSeconds }) });
}

/** The step that removes a token, if it exists. */
export function removingAccessToken(digest: string): Step {
  return removing(keys.accessToken(digest));
}
