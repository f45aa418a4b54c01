/** Has the token endpoint of this stage sign logout tokens: what sends them has no key of tokens (decision 0117). */
import type { Clock } from "../../kernel/clock.ts";
import type { Seal } from "../../kernel/seal.ts";
import { LOGOUT_TOKEN_PATH } from "../../tokens/logout-model.ts";
import { type LogoutOrder, sealOrder } from "../../tokens/logout-token.ts";

const ANSWER_MS = 10_000;

/** How the token endpoint is reached. */
interface Ordering {
  readonly seal: Pick<Seal, "seal">;
  /** The public origin of this stage. */
  readonly origin: string;
  readonly clock: Clock;
}

/** Opens the way to the token endpoint. The function throws an `Error` where that does not answer with a token. */
export function newOrdering({ seal, origin, clock }: Ordering): (order: LogoutOrder) => Promise<string> {
  return async (order) => {
    const response = await fetch(`${origin}${LOGOUT_TOKEN_PATH}`, {
      method: "POST",
      body: new URLSearchParams({ order: sealOrder(seal, order, clock.now()) }),
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const { logout_token: token } = (await response.json()) as { readonly logout_token?: unknown };
    if (!response.ok || typeof token !== "string") throw new Error(`the token endpoint answered ${response.status}`);
    return token;
  };
}
