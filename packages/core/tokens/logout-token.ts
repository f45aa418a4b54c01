/**
 * Logout tokens (OpenID Connect Back-Channel Logout 1.0 section 2.4). What sends them talks to strangers and has no key
 * of tokens; it asks the token endpoint by a sealed order, which only it can make (decision 0117).
 */

import type { Table } from "../database/table/table.ts";
import { newId } from "../kernel/ids.ts";
import type { Seal } from "../kernel/seal.ts";
import { type IdTokenAlgorithm, type IdTokenKeys, LOGOUT_TYPE } from "./id-token-keys.ts";
import { issuerAt } from "./jwt.ts";
import type { LOGOUT_REQUEST_PATH, LOGOUT_TOKEN_PATH, SamlName } from "./logout-model.ts";

/** What is ordered: a token that tells a client that a session has ended. */
export interface LogoutOrder {
  readonly tenant: string;
  readonly clientId: string;
  readonly subject: string;
  readonly sid: string;
  readonly algorithm: IdTokenAlgorithm;
}

/** The life of a logout token: two minutes at most are recommended. */
const LIFE_SECONDS = 120;
/** An order counts for so long. */
const ORDER_SECONDS = 60;
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** What is ordered: a logout request for a service provider of SAML 2.0. */
export interface SamlLogoutOrder {
  readonly tenant: string;
  readonly applicationId: string;
  readonly name: SamlName;
  /** Where it is sent. */
  readonly destination: string;
}

/** What can be ordered, by the path that takes it. */
export interface LogoutOrders {
  readonly [LOGOUT_TOKEN_PATH]: LogoutOrder;
  readonly [LOGOUT_REQUEST_PATH]: SamlLogoutOrder;
}

interface Sealed<P extends keyof LogoutOrders> {
  readonly order: LogoutOrders[P];
  readonly until: number;
}

/** The text of an order. It counts at its path alone. */
export function sealOrder<P extends keyof LogoutOrders>(
  seal: Pick<Seal, "seal">,
  path: P,
  order: LogoutOrders[P],
  nowMs: number,
): string {
  const sealed: Sealed<P> = { order, until: Math.floor(nowMs / 1_000) + ORDER_SECONDS };
  return seal.seal(JSON.stringify(sealed), path);
}

/** What is ordered; `undefined` for a text that is no order of a path, or is too old. */
export function openOrder<P extends keyof LogoutOrders>(
  seal: Pick<Seal, "open">,
  path: P,
  text: string,
  nowMs: number,
): LogoutOrders[P] | undefined {
  try {
    // Only this service can seal a text that opens, so it has the form that it was given above.
    const { until, order } = JSON.parse(seal.open(text, path)) as Sealed<P>;
    return until * 1_000 > nowMs ? order : undefined;
  } catch {
    // Any other text is not one of this service.
    return undefined;
  }
}

/** A logout token. It has no nonce and another type than ID tokens, so that it never counts as one. */
export function signLogoutToken(
  keys: IdTokenKeys,
  { tenant, clientId, subject, sid, algorithm }: LogoutOrder,
  { table, origin, now }: { readonly table: Table; readonly origin: string; readonly now: number },
): Promise<string> {
  const iat = Math.floor(now / 1_000);
  const claims = {
    iss: issuerAt(origin).issuerOf(tenant),
    aud: clientId,
    sub: subject,
    sid,
    iat,
    exp: iat + LIFE_SECONDS,
    jti: newId(),
    events: { [EVENT]: {} },
  };
  return keys.sign(table, claims, algorithm, LIFE_SECONDS, now, LOGOUT_TYPE);
}
