/** Sign-ins by other protocols than OpenID Connect: what the browser holds between two functions, and what they cost. */
import { type LogLine, listening } from "#tools/bench/calls.ts";
import type { Browser } from "./browsing.ts";
import type { World } from "./world.ts";

export const ssoOf = (api: World) => {
  /** Where a browser, or one without cookies, is sent from a path. It keeps no cookie of the answer. */
  const locationOf = async (path: string, at?: Browser) => {
    const cookie = [...(at?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
    const { headers } = await fetch(`${api.url}${path}`, { redirect: "manual", headers: { cookie } });
    return headers.get("location") ?? "";
  };
  /** The address of an answer that the browser has not opened yet. Throws where it is not below `answers`. */
  const heldAnswer = async (path: string, at: Browser, answers: string) => {
    const held = await locationOf(await locationOf(path), at);
    if (!held.includes(answers)) throw new Error(`no answer at ${answers} but ${held}`);
    return held;
  };
  return { locationOf, heldAnswer };
};

/** The round trips of all requests of a sign-in. */
export const tripsOf = async (send: () => Promise<unknown>) => {
  const lines = await listening(send);
  const each = lines.flatMap(({ service, RoundTrips }: LogLine) =>
    ["sign-in", "sso", "oauth2"].includes(service ?? "") && RoundTrips !== undefined ? [RoundTrips] : [],
  );
  return { each, all: each.reduce((sum, trips) => sum + trips, 0) };
};
