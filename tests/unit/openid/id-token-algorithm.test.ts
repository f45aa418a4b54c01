/** The algorithm of ID tokens and logout tokens: what the client chose, and never RS256 where FAPI 2.0 applies. */
import { expect, test } from "vitest";
import { idTokenAlgorithmOf } from "#core/sign-in/openid/id-token.ts";

const fapi = { isFAPIApplication: true, fapiProfile: "FAPI2_SECURITY" };

test.each([
  [{}, undefined, "RS256"],
  [{}, "RS256", "RS256"],
  [{}, "SHA256withRSA", "RS256"],
  [{}, "ES256", "ES256"],
  [{}, "PS256", "PS256"],
  [fapi, undefined, "ES256"],
  [fapi, "RS256", "ES256"],
  [fapi, "PS256", "PS256"],
])("of a client with %j that chose %s is %s", (more, idTokenSignedResponseAlg, expected) => {
  const client = { ...more, idToken: { idTokenSignedResponseAlg } };
  expect(idTokenAlgorithmOf(client as unknown as Parameters<typeof idTokenAlgorithmOf>[0])).toBe(expected);
});
