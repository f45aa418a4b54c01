/** Requests about deleted resources. */
import { expect } from "vitest";
import type { Answer, Ask, World } from "./world.ts";

export const DELETED = "/api/server/v1/deleted-resources";

// biome-ignore lint/suspicious/noExplicitAny: a test reads any response
type Shown = Record<string, any>;

/** Deleted resources of a service. */
export const recoveryOf = (api: World) => ({
  /** Deletes a resource, which must succeed and is not found after it. */
  async remove(path: string): Promise<void> {
    const answer = await api.ask("DELETE", path);
    expect(answer.status, answer.text).toBe(204);
    expect((await api.ask("GET", path)).status).toBe(404);
  },
  restore: (id: string, ask: Ask = {}): Promise<Answer> => api.ask("POST", `${DELETED}/${id}/restore`, ask),
  /** Restores a resource, which must succeed. Returns the body. */
  async restored(id: string, body?: unknown): Promise<Shown> {
    const answer = await api.ask("POST", `${DELETED}/${id}/restore`, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  },
  /** The list, newest first. */
  async list(query = "", ask: Ask = {}): Promise<Shown[]> {
    const answer = await api.ask("GET", `${DELETED}${query}`, ask);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.deletedResources;
  },
});
