/**
 * The browsers in which a user has signed in: a sealed cookie of the browser names them by digests, so that a new
 * browser is told apart without a read (decision 0182). It proves nothing: who takes it away or steals it changes
 * whether mails are sent, until all devices of the user are signed out, and no more.
 */

import type { Step } from "../../database/table/table.ts";
import { mailsOfNewDevice } from "../../directory/provisioning/mails.ts";
import type { User } from "../../directory/users/model.ts";
import { digestOf } from "../../tokens/opaque.ts";
import { userAgentOf } from "../sessions/model.ts";
import type { SignInContext } from "./context.ts";
import { knownDevicesIn, settingKnownDevices } from "./cookies.ts";

/** A user is known in a browser for so long after each sign-in. */
const KNOWN_SECONDS = 180 * 24 * 60 * 60;
/** The users that a browser knows at most: those of the latest sign-ins. */
const KNOWN_MAX = 8;
const OWNER = "known devices";

/** A user as the cookie names it, and the time of the latest sign-in in seconds. */
type Known = readonly [user: string, atSeconds: number];

/** What a sign-in does: the mail where the browser is new to the user, and the cookie that knows it from now on. */
export interface DeviceNoted {
  readonly steps: readonly Step[];
  readonly cookies: readonly string[];
}

/** A user who has just signed in. */
interface SignedIn {
  readonly user: User;
  readonly tenant: string;
  readonly userAgent: string | undefined;
  /** When all devices of the user were signed out: no browser is known from before. */
  readonly fromMs: number;
}

/** Notes the browser in which a user has just signed in. Nothing where the deployment sends no mail. */
export function notingDevice(
  { user, tenant, userAgent, fromMs }: SignedIn,
  { cookies, now, sourceIp, tools: { recovers, seal } }: SignInContext,
): DeviceNoted {
  if (!recovers) return { steps: [], cookies: [] };
  const nowSeconds = Math.floor(now / 1_000);
  const name = digestOf(`${tenant}\n${user.id}`).slice(0, 22);
  const known = knownIn(knownDevicesIn(cookies), seal).filter(([, at]) => nowSeconds < at + KNOWN_SECONDS);
  const others = known.filter(([each]) => each !== name);
  const isKnown = known.some(([each, at]) => each === name && at * 1_000 >= fromMs);
  const next: readonly Known[] = [[name, nowSeconds], ...others.slice(0, KNOWN_MAX - 1)];
  const occasion = { tenant, now, sourceIp, userAgent: userAgentOf(userAgent) };
  return {
    steps: isKnown ? [] : mailsOfNewDevice(user, occasion),
    cookies: [settingKnownDevices(seal.seal(JSON.stringify(next), OWNER), KNOWN_SECONDS)],
  };
}

function isEntry(value: unknown): value is Known {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "number";
}

function knownIn(sealed: string | undefined, seal: SignInContext["tools"]["seal"]): readonly Known[] {
  if (sealed === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(seal.open(sealed, OWNER));
    return Array.isArray(parsed) ? parsed.filter(isEntry) : [];
  } catch {
    // Sealed with another key, or changed: the browser knows no user.
    return [];
  }
}
