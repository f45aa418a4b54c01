/** What the end of a session writes. */
import { describe, expect, test } from "vitest";
import { endingSessions } from "#core/sign-in/sessions/ending.ts";
import type { Session, SessionClient } from "#core/sign-in/sessions/model.ts";

const START_SECONDS = 1_700_000_000;
const session: Session = {
  tenant: "acme.com",
  user: { id: "8c5a8c1c-6a5f-4a63-9d5e-5a4a1a7c0001", userName: "kim", userStore: "PRIMARY" },
  sid: "0198c5a8-0000-7000-8000-000000000001",
  ...{ authSeconds: START_SECONDS, startedMs: START_SECONDS * 1_000, seenSeconds: START_SECONDS },
  ...{ endsAtSeconds: START_SECONDS + 7_200, ip: "198.51.100.7" },
};
const limits = {
  sessionLimits: { idleSeconds: 3_600, longestSeconds: 7_200 },
  tokenLimits: { accessTokenSecondsMax: 3_600, refreshTokenSecondsMax: 86_400 },
};
const client = (endsTokens: boolean): SessionClient => ({
  ...{ clientId: "a", applicationId: "a", subject: "kim" },
  ...(endsTokens && { endsTokens }),
});
/** Pages of sign-in that are open for the user end too. */
const PAGES = "put P:8c5a8c1c-6a5f-4a63-9d5e-5a4a1a7c0001";
/** The partitions that are written after so many seconds without use. */
const written = (seconds: number, ...clients: readonly SessionClient[]) =>
  endingSessions([{ session, digest: "d", clients }], limits, (START_SECONDS + seconds) * 1_000).map((step) =>
    "put" in step ? `put ${step.put.PK.split("#").at(-1)}` : Object.keys(step)[0],
  );
const TOLD = ["remove", "put OUT"];
const ALL = [...TOLD, "put F:0198c5a8-0000-7000-8000-000000000001", "put REVG"];

describe("the end of a session", () => {
  test.each([0, 3_599, 3_659])("that a request may have found open after %i seconds writes all", (seconds) => {
    for (const clients of [[], [client(false)], [client(true)]])
      expect(written(seconds, ...clients)).toEqual([...ALL, PAGES]);
  });
  test.each([3_660, 7_300])("that was over before, after %i seconds, writes what its clients need", (seconds) => {
    expect(written(seconds)).toEqual(["remove", PAGES]);
    expect(written(seconds, client(false))).toEqual([...TOLD, PAGES]);
    expect(written(seconds, client(false), client(true))).toEqual([...ALL, PAGES]);
  });
});
