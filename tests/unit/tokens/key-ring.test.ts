/** When each key signs and is accepted. */
import { expect, test } from "vitest";
import {
  acceptedAt,
  acceptedUntilMs,
  LEAD_MS,
  LIFE_SECONDS,
  PUBLISHED_SECONDS,
  type Ring,
  signerAt,
  signersFrom,
  withKey,
  withLife,
} from "#core/tokens/key-ring.ts";

const HOUR_MS = 3_600_000;
const key = (kid: string, signsFromMs: number) => ({
  kid,
  x: "x",
  y: "y",
  signsFromMs,
  longestLifeSeconds: LIFE_SECONDS,
});
const kids = (ring: Ring) => ring.map(({ kid }) => kid);

test("a key is published before it signs for as long as others may cache the old keys", () => {
  expect(LEAD_MS).toBeGreaterThan(PUBLISHED_SECONDS * 1_000);
  const ring = withKey(withKey([], key("a", 0), 0), key("b", LEAD_MS), 0);
  expect(kids(acceptedAt(ring, 0))).toEqual(["a", "b"]);
  expect(signerAt(ring, 0)?.kid).toBe("a");
  expect(signerAt(ring, LEAD_MS - 1)?.kid).toBe("a");
  expect(signerAt(ring, LEAD_MS)?.kid).toBe("b");
});

test("an old key is accepted until the last token that it signed expires, and not much longer", () => {
  const ring = withKey(withKey([], key("a", 0), 0), key("b", HOUR_MS), 0);
  const [old, fresh] = ring;
  if (!old || !fresh) throw new Error("two keys");
  const lastEndsMs = HOUR_MS + LIFE_SECONDS * 1_000;
  expect(acceptedUntilMs(ring, old)).toBeGreaterThan(lastEndsMs);
  expect(acceptedUntilMs(ring, old)).toBeLessThan(lastEndsMs + HOUR_MS);
  expect(kids(acceptedAt(ring, lastEndsMs))).toEqual(["a", "b"]);
  expect(kids(acceptedAt(ring, lastEndsMs + HOUR_MS))).toEqual(["b"]);
  expect(acceptedUntilMs(ring, fresh)).toBe(Number.POSITIVE_INFINITY);
});

test("a key that signed tokens of a longer life is accepted longer; a shorter life changes nothing", () => {
  const ring = withLife(withKey(withKey([], key("a", 0), 0), key("b", HOUR_MS), 0), "a", 30 * LIFE_SECONDS);
  expect(kids(acceptedAt(ring, 20 * LIFE_SECONDS * 1_000))).toEqual(["a", "b"]);
  expect(withLife(ring, "a", 60)).toEqual(ring);
});

test("the next rotation removes keys that are not accepted any more", () => {
  const late = 10 * LIFE_SECONDS * 1_000;
  const ring = withKey(withKey(withKey([], key("a", 0), 0), key("b", HOUR_MS), 0), key("c", late + LEAD_MS), late);
  expect(kids(ring)).toEqual(["b", "c"]);
  expect(kids(signersFrom(ring, late))).toEqual(["b", "c"]);
  expect(kids(signersFrom(ring, late + LEAD_MS))).toEqual(["c"]);
});
