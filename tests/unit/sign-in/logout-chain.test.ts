/** Sign-outs that go on: their rows, the orders of what clients are told, and messages in envelopes. */
import { randomBytes } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { isStale } from "#core/database/table/stale.ts";
import type { Table } from "#core/database/table/table.ts";
import { newSeal } from "#core/kernel/seal.ts";
import { chainNamed, movingChain, readChain, startingChain } from "#core/sign-in/logout/chain-store.ts";
import { bodyOf } from "#core/sign-in/saml/soap.ts";
import { readTree } from "#core/sign-in/saml/tree.ts";
import { LOGOUT_REQUEST_PATH, LOGOUT_TOKEN_PATH } from "#core/tokens/logout-model.ts";
import { openOrder, sealOrder } from "#core/tokens/logout-token.ts";
import { testTable } from "#tests/support/engine.ts";

const MINUTE_MS = 60_000;
let table: Table;

beforeEach(async () => {
  table = (await testTable()).open(newMeter());
});

const started = async () => {
  const { handle, digest, step } = startingChain({ ended: [], waiting: [], isPartial: false, frames: [] }, 0);
  await table.write(step);
  return { handle, digest };
};

test("a chain ends after half an hour", async () => {
  const { handle, digest } = await started();
  expect(chainNamed(handle)).toEqual({ digest, isHandle: true });
  expect(chainNamed(digest)).toEqual({ digest, isHandle: false });
  expect(await readChain(table, digest, 29 * MINUTE_MS)).toBeDefined();
  expect(await readChain(table, digest, 30 * MINUTE_MS)).toBeUndefined();
  expect(await readChain(table, digest.replace(/./, "x"), 0)).toBeUndefined();
});

test("of two requests at one moment one moves a chain on", async () => {
  const { digest } = await started();
  const read = await readChain(table, digest, 0);
  if (!read) throw new Error("no chain");
  await table.write(movingChain(read, { ...read.chain, turn: 1 }, 0));
  await expect(table.write(movingChain(read, { ...read.chain, turn: 2 }, 0))).rejects.toSatisfy(isStale);
  expect((await readChain(table, digest, 0))?.chain.turn).toBe(1);
});

test("an order counts at its path, for a minute", () => {
  const seal = newSeal(randomBytes(32));
  const order = { tenant: "acme.com", clientId: "a", subject: "kim", sid: "s", algorithm: "RS256" } as const;
  const text = sealOrder(seal, LOGOUT_TOKEN_PATH, order, 0);
  expect(openOrder(seal, LOGOUT_TOKEN_PATH, text, 59_000)).toEqual(order);
  expect(openOrder(seal, LOGOUT_REQUEST_PATH, text, 0)).toBeUndefined();
  expect(openOrder(seal, LOGOUT_TOKEN_PATH, text, MINUTE_MS)).toBeUndefined();
});

test("a message keeps the declarations around it, as they are", () => {
  const uri = "urn:a&amp;b&quot;c&lt;d";
  const text =
    `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:x="${uri}" xmlns:y="urn:y">` +
    `<s:Body xmlns:y="urn:z"><x:a xmlns:own="urn:o"><y:b/>\u{1F511}</x:a></s:Body></s:Envelope>`;
  const root = readTree(bodyOf(text));
  expect([root.namespace, root.name, root.text]).toEqual(['urn:a&b"c<d', "a", "\u{1F511}"]);
  expect(root.children.map(({ namespace, name }) => [namespace, name])).toEqual([["urn:z", "b"]]);
});
