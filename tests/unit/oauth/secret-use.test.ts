/** The note of a secret's use: what it writes, and that no failure of it reaches the request (decision 0079). */
import { describe, expect, test } from "vitest";
import type { Client } from "#core/applications/registry/client-store.ts";
import { type SecretUseStore, type SecretUses, useKeyOf } from "#core/applications/registry/secret-use-store.ts";
import type { NotedUses, OAuthContext } from "#core/sign-in/oauth/context.ts";
import { noteOfUse } from "#core/sign-in/oauth/secret-use.ts";

const TODAY = 20_000;
const NOW_MS = TODAY * 86_400_000 + 1;
const [latest, former] = [{ sealedSecret: "sealed latest" }, { sealedSecret: "sealed former" }];
const client = { settings: { ...latest, formerSecrets: [former] } } as unknown as Client;
const [own, other, gone] = [latest, former, { sealedSecret: "sealed gone" }].map(useKeyOf);

/** What differs from a first request on that day. */
interface Differing {
  readonly written?: Error;
  readonly secrets?: readonly string[];
  readonly notedUses?: NotedUses;
  readonly now?: number;
  /** The sealed text of the secret of an equal attempt that was accepted. */
  readonly accepted?: string;
  readonly isRefused?: boolean;
  readonly secret?: { readonly sealedSecret: string };
}

/** The calls of one request that uses the latest secret, and the defects that it reports. */
const used = async (stored: SecretUses | Error, differing: Differing = {}) => {
  const { written, secrets = ["x"], notedUses = new Map<string, number>(), now = NOW_MS } = differing;
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
  const reportDefect = (defect: Error) => defects.push(defect);
  const context = { secretUses, now, reportDefect, tools: { notedUses } };
  const note = noteOfUse(
    { clientId: "client", by: "client_secret_basic", secrets },
    differing.accepted,
    context as unknown as OAuthContext,
  );
  await note.read;
  if (differing.isRefused) await note.refuse();
  else await note.write(client, secrets.length > 0 ? (differing.secret ?? latest) : undefined);
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
    expect(await used(new Map(), { secrets: [] })).toEqual({ calls: [], defects: [] });
  });
});

describe("a container that noted a use", () => {
  const noted = new Map([[own ?? "", TODAY]]);
  const afterOne = async (): Promise<NotedUses> => {
    const notedUses = new Map<string, number>();
    await used(new Map(), { notedUses });
    return notedUses;
  };
  const accepted = latest.sealedSecret;
  test("reads nothing for an equal attempt on that day", async () => {
    const notedUses = await afterOne();
    expect(await used(noted, { notedUses, accepted })).toEqual({ calls: [], defects: [] });
  });
  test("reads for an attempt that was not accepted before", async () => {
    const notedUses = await afterOne();
    expect(await used(noted, { notedUses })).toEqual({ calls: ["find"], defects: [] });
  });
  test("notes the next day", async () => {
    const notedUses = await afterOne();
    expect(await used(noted, { notedUses, accepted, now: NOW_MS + 86_400_000 })).toEqual({
      calls: ["find", ["client", own, TODAY + 1]],
      defects: [],
    });
  });
  test("notes a new secret with the same text", async () => {
    const notedUses = await afterOne();
    expect(await used(noted, { notedUses, accepted, secret: former })).toEqual({
      calls: ["find", ["client", other, TODAY]],
      defects: [],
    });
  });
  test("reads for an attempt that is refused", async () => {
    const notedUses = await afterOne();
    expect(await used(noted, { notedUses, accepted, isRefused: true })).toEqual({ calls: ["find"], defects: [] });
    expect(await used(noted, { isRefused: true })).toEqual({ calls: ["find"], defects: [] });
  });
  test("does not remember what was not written", async () => {
    const notedUses = new Map<string, number>();
    await used(new Map(), { notedUses, written: new Error("no right to this row") });
    expect(await used(new Map(), { notedUses })).toMatchObject({ calls: ["find", ["client", own, TODAY]] });
  });
});

describe("a failure is reported, and reaches no request:", () => {
  const failure = new Error("no right to this row");
  test("of the read", async () => {
    expect(await used(failure)).toEqual({ calls: ["find"], defects: [failure] });
  });
  test("of the write", async () => {
    expect(await used(new Map(), { written: failure })).toMatchObject({ defects: [failure] });
  });
});
