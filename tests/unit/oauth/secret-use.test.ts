/** The note of a secret's use: what it writes, and that no failure of it reaches the request (decision 0079). */
import { describe, expect, test } from "vitest";
import type { Client } from "#core/applications/registry/client-store.ts";
import { type SecretUseStore, type SecretUses, useKeyOf } from "#core/applications/registry/secret-use-store.ts";
import type { OAuthContext } from "#core/oauth/context.ts";
import { noteOfUse } from "#core/oauth/secret-use.ts";

const TODAY = 20_000;
const NOW_MS = TODAY * 86_400_000 + 1;
const [latest, former] = [{ sealedSecret: "sealed latest" }, { sealedSecret: "sealed former" }];
const client = { settings: { ...latest, formerSecrets: [former] } } as unknown as Client;
const [own, other, gone] = [latest, former, { sealedSecret: "sealed gone" }].map(useKeyOf);

/** The calls of one request that uses the latest secret, and the defects that it reports. */
const used = async (stored: SecretUses | Error, written?: Error, secrets: readonly string[] = ["x"]) => {
  const calls: unknown[] = [];
  const defects: Error[] = [];
  const write = async (...call: unknown[]) => {
    calls.push(call);
    if (written) throw written;
  };
  const secretUses: SecretUseStore = {
    async find() {
      calls.push("find");
      if (stored instanceof Error) throw stored;
      return stored;
    },
    note: write,
    replace: write,
  };
  const context = { secretUses, now: NOW_MS, reportDefect: (defect: Error) => defects.push(defect) };
  const note = noteOfUse(
    { clientId: "client", by: "client_secret_basic", secrets },
    context as unknown as OAuthContext,
  );
  await note.read;
  await note.write(client, secrets.length > 0 ? latest : undefined);
  return { calls, defects };
};

describe("a use", () => {
  test.each<[string, SecretUses]>([
    ["the first of all", new Map()],
    ["the first of the day", new Map([[own ?? "", TODAY - 1]])],
    ["the first of this secret", new Map([[other ?? "", TODAY]])],
  ])("is written: %s", async (_, stored) => {
    expect(await used(stored)).toEqual({ calls: ["find", ["client", own, TODAY]], defects: [] });
  });
  test.each([TODAY, TODAY + 1])("is not written where day %i is", async (day) => {
    expect(await used(new Map([[own ?? "", day]]))).toEqual({ calls: ["find"], defects: [] });
  });
  test("replaces the row where it has a secret that is gone", async () => {
    const stored = new Map([
      [other ?? "", 5],
      [gone ?? "", 7],
    ]);
    const after = new Map([
      [other, 5],
      [own, TODAY],
    ]);
    expect(await used(stored)).toEqual({ calls: ["find", ["client", after]], defects: [] });
  });
  test("without a secret reads and writes nothing", async () => {
    expect(await used(new Map(), undefined, [])).toEqual({ calls: [], defects: [] });
  });
});

describe("a failure is reported, and reaches no request:", () => {
  const failure = new Error("no right to this row");
  test("of the read", async () => {
    expect(await used(failure)).toEqual({ calls: ["find"], defects: [failure] });
  });
  test("of the write", async () => {
    expect(await used(new Map(), failure)).toMatchObject({ defects: [failure] });
  });
});
