/** One-time codes at the pages of sign-in. */
import { codeAt, STEP_MS } from "#tools/examples/authenticator.ts";
import type { Browser, Shown } from "./browsing.ts";

/** A code that is none of the window. */
export const wrongCode = (secret: string, atMs = Date.now()): string => {
  const right = [-2, -1, 0, 1, 2].map((step) => codeAt(secret, atMs + step * STEP_MS));
  const all = Array.from({ length: 10 }, (_, digit) => String(digit).repeat(6));
  return all.find((code) => !right.includes(code)) ?? "";
};

/** The secret that the page of setting up shows. */
export const secretIn = ({ html }: Shown): string =>
  (/<code>([A-Z2-7 ]+)<\/code>/.exec(html)?.[1] ?? "").replaceAll(" ", "");

/** The recovery codes that a page shows. */
export const recoveryCodesIn = ({ html }: Shown): readonly string[] =>
  [...html.matchAll(/<li>([a-z2-7-]{19})<\/li>/g)].map(([, code = ""]) => code);

/** Sets codes up in a browser that is at that page, and goes on. */
export const setUp = async (browser: Browser, shown: Shown) => {
  const secret = secretIn(shown);
  const saved = await browser.submit({ code: codeAt(secret) });
  const codes = recoveryCodesIn(saved);
  return { secret, codes, saved, done: await browser.submit({}) };
};

const option = (authenticator: string, idp = "LOCAL") => ({ idp, authenticator });

/** A sequence of steps, each with its options. */
export const sequenceOf = (...steps: readonly (readonly string[])[]) => ({
  authenticationSequence: {
    type: "USER_DEFINED",
    steps: steps.map((options, at) => ({ id: at + 1, options: options.map((name) => option(name)) })),
  },
});

/** A password and a one-time code. */
export const TWO_STEPS = sequenceOf(["BasicAuthenticator"], ["totp"]);
