/** What a deployment invokes has a role that IAM may not know everywhere yet. */
import { elapsed, pause } from "../../kernel/clock.ts";

/** How long IAM may take to apply the rights of a new role. */
const RIGHTS_KNOWN_MS = 20_000;
const BETWEEN_TRIES_MS = 1_000;

/** Retries while access is denied: during the first deployment the role is as new as the function. */
export async function onceRightsAreKnown<R>(attempt: () => Promise<R>): Promise<R> {
  const untilMs = elapsed() + RIGHTS_KNOWN_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isRefused = error instanceof Error && error.name === "AccessDeniedException";
      if (!isRefused || elapsed() + BETWEEN_TRIES_MS > untilMs) throw error;
      await pause(BETWEEN_TRIES_MS);
    }
  }
}
