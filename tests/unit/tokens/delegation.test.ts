/** What a token keeps of the exchanges behind it. */
import { describe, expect, test } from "vitest";
import { actOf, EXCHANGES_MAX, originsOf, packed, unpacked } from "#core/tokens/delegation.ts";
import type { Exchange } from "#core/tokens/model.ts";

const exchanges: readonly Exchange[] = [
  { clientId: "second", grantId: "g2", issuedMs: 2 },
  { clientId: "first", grantId: "g1", issuedMs: 1, actor: { grantId: "a", issuedMs: 3, userId: "helper" } },
  { clientId: "zero", grantId: "g0", issuedMs: 0, actor: { grantId: "b", issuedMs: 4 } },
];

test("names the actors, the latest first: clients, or users with their client", () => {
  expect(actOf({ clientId: "third", exchanges })).toEqual({
    sub: "third",
    act: { sub: "helper", client_id: "second", act: { sub: "first" } },
  });
  expect(actOf({ clientId: "third" })).toBeUndefined();
});

test("comes from each exchanged token and from each actor's token, with the client and the time of each", () => {
  const origins = originsOf({ clientId: "third", exchanges });
  expect(origins.map(({ clientId, grantId, issuedMs, userId }) => [clientId, grantId, issuedMs, userId])).toEqual([
    ["second", "g2", 2, undefined],
    ["first", "g1", 1, undefined],
    ["second", "a", 3, "helper"],
    ["zero", "g0", 0, undefined],
    ["first", "b", 4, undefined],
  ]);
});

test("is the same after it was written into a token and read again", () => {
  expect(unpacked(JSON.parse(JSON.stringify(packed(exchanges))))).toEqual(exchanges);
});

describe("refuses another form:", () => {
  const [one = []] = packed(exchanges);
  test.each([
    ["no list", "x"],
    ["an empty list", []],
    ["more exchanges than are made", Array.from({ length: EXCHANGES_MAX + 1 }, () => one)],
    ["an exchange that is no list", [{ clientId: "a" }]],
    ["a missing grant", [["a"]]],
    ["an empty client", [["", "g", 1]]],
    ["a time that is no number", [["a", "g", "1"]]],
    ["an actor that is no text", [["a", "g", 1, 2, 3]]],
    ["an actor without a time", [["a", "g", 1, "b"]]],
    ["an actor with a time that is no number", [["a", "g", 1, "b", "helper"]]],
    ["an actor with a user that is no text", [["a", "g", 1, "b", 2, 3]]],
    ["one good and one bad exchange", [one, ["a"]]],
  ])("%s", (_, given) => expect(unpacked(given)).toBeUndefined());
});
