/** The section `[sign_in]` of deployment.toml. */
import * as z from "../platform/zod.ts";
import type { SessionLimits } from "../sessions/model.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

export interface SignInSettings {
  readonly sessions: SessionLimits;
}

const MINUTE = 60;
/** 90 days. */
const LONGEST_MAX = 7_776_000;

const SignIn = table({
  session_idle_timeout: z
    .int()
    .min(5 * MINUTE)
    .max(LONGEST_MAX)
    .default(3_600),
  session_lifetime: z
    .int()
    .min(5 * MINUTE)
    .max(LONGEST_MAX)
    .default(43_200),
}).refine((declared) => declared.session_idle_timeout <= declared.session_lifetime, {
  path: ["session_idle_timeout"],
  error: "must be at most session_lifetime",
});

/** How people sign in. */
export const signInSection = section(
  { sign_in: SignIn.prefault({}) },
  ({ sign_in: declared }): { readonly signIn: SignInSettings } => ({
    signIn: {
      sessions: { idleSeconds: declared.session_idle_timeout, longestSeconds: declared.session_lifetime },
    },
  }),
);
