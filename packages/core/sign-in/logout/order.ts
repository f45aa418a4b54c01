/**
 * Has other functions of this stage compose and sign what clients are told: what sends it has no key of tokens or
 * assertions (decision 0117).
 */
import type { Clock } from "../../kernel/clock.ts";
import type { Seal } from "../../kernel/seal.ts";
import { type LogoutOrders, sealOrder } from "../../tokens/logout-token.ts";

const ANSWER_MS = 10_000;

/** How the other functions are reached. */
interface Ordering {
  readonly seal: Pick<Seal, "seal">;
  /** The public origin of this stage. */
  readonly origin: string;
  readonly clock: Clock;
}

/** Orders a message at a path. Throws an `Error` where that does not answer with one. */
export type OrderMessage = <P extends keyof LogoutOrders>(path: P, order: LogoutOrders[P]) => Promise<string>;

/** Opens the way to the other functions. */
export function newOrdering({ seal, origin, clock }: Ordering): OrderMessage {
  return async (path, order) => {
    const response = await fetch(`${origin}${path}`, {
      method: "POST",
      body: new URLSearchParams({ order: sealOrder(seal, path, order, clock.now()) }),
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const { message } = (await response.json()) as { readonly message?: unknown };
    if (!response.ok || typeof message !== "string") throw new Error(`${path} answered ${response.status}`);
    return message;
  };
}
