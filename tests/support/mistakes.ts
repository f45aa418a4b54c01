/** Mistakes as newcomers make them: what a request is, and what its answer must tell. */
import { expect, test } from "vitest";
import type { Answer, Ask, World } from "./world.ts";

/** A request with a mistake. */
export interface Mistake extends Ask {
  /** The method and path; an ordinary POST of the table's path where it is absent. */
  readonly call?: string | (() => string);
}

/** Its name, the request, the status, where the mistake is, and what to change. */
export type MistakeRow = readonly [name: string, mistake: Mistake, status: number, place: string, hint: string];

/** The sentences for people, in the field of each dialect. */
export function toldIn({ body, text }: Pick<Answer, "body" | "text">): string {
  const told = body?.description ?? body?.detail ?? body?.error_description ?? body?.Errors?.[0]?.description;
  if (typeof told !== "string") throw new Error(`the answer tells nothing: ${text.slice(0, 200)}`);
  return told;
}

/** One test for each mistake: the answer names the place and the change, in at most a few sentences. */
export function testMistakes(api: Pick<World, "ask">, usual: string, rows: readonly MistakeRow[]): void {
  test.each(rows)("%s", async (_, { call, ...ask }, status, place, hint) => {
    const [method = "", path = ""] = ((typeof call === "function" ? call() : call) ?? usual).split(" ");
    const answer = await api.ask(method, path, ask);
    const told = toldIn(answer);
    expect(answer.status, told).toBe(status);
    expect(told).toContain(place);
    expect(told).toContain(hint);
    expect(told.length).toBeLessThan(1_000);
  });
}
