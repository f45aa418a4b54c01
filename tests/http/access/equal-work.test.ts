/**
 * Every refused sign-in does the same work, whatever the reason: as many hashes, calls of the database and capacity
 * units, at both doors, for every attempt up to a lock and after it. Hashes are fast stand-ins that are counted.
 */
import { beforeAll, describe, expect, test, vi } from "vitest";
import { HttpTransport } from "#core/database/table/client/transport.ts";
import { addingCredential, newCredential } from "#core/directory/credentials/store.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { newId } from "#core/kernel/ids.ts";
import * as passwords from "#core/kernel/password.ts";
import { systemSchema } from "#core/scim/protocol/schema/system.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { APPLICATIONS, basic, world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

vi.mock("#core/kernel/password.ts", async (original) =>
  (await import("#tests/support/stand-in-hashes.ts")).standInHashes(await original()),
);

/** More than lock a name. */
const ATTEMPTS = 12;
/** The attempts that start a window and that lock take another form of write, which unknown tenants do not have. */
const SPECIAL: ReadonlySet<number> = new Set([1, 10]);

const api = world();
const { newClient, post } = oauthOf(api);
let client: TestClient;
let made = 0;
beforeAll(async () => {
  client = await newClient();
  // The first request of a container reads what later ones remember.
  await api.ask("GET", APPLICATIONS);
  await post(TOKEN, { grant_type: "password", username: "unknown", password: "x" }, client);
});

interface Case {
  readonly username: string;
  readonly password: string;
}

interface Account {
  readonly active?: boolean;
  readonly flags?: Readonly<Record<string, boolean>>;
}

/** A new user whose password is `right`. */
const user = async ({ active = true, flags }: Account = {}, hasPassword = true): Promise<string> => {
  made += 1;
  const [name, id, table] = [`equal-${made}`, newId(), tableOf(api.service)];
  const profile = flags && { [systemSchema.id]: flags };
  const taken = () => new Error("in use");
  const steps = hasPassword ? [addingCredential(TENANT, id, await newCredential("right"), taken)] : [];
  await userStore(table).add(TENANT, freshUser(id, name, 0, { active, hasPassword, ...(profile && { profile }) }), {
    steps,
    taken,
  });
  return name;
};
const unknown = () => {
  made += 1;
  return `unknown-${made}`;
};

/** Why a sign-in is refused, and what is sent then. */
const cases: Record<string, () => Promise<Case>> = {
  "a wrong password": async () => ({ username: await user(), password: "wrong" }),
  "an unknown user": async () => ({ username: unknown(), password: "right" }),
  "a user without a password": async () => ({ username: await user({}, false), password: "right" }),
  "a user store that does not exist": async () => ({ username: `NOPE/${await user()}`, password: "right" }),
  "a tenant that does not exist": async () => ({ username: `${await user()}@nowhere.example`, password: "right" }),
};
const barred: Readonly<Record<string, Account>> = {
  "a deactivated user": { active: false },
  "a locked user": { flags: { accountLocked: true } },
  "a disabled user": { flags: { accountDisabled: true } },
};
for (const [what, of] of Object.entries(barred)) {
  for (const password of ["right", "wrong"]) {
    cases[`the ${password} password of ${what}`] = async () => ({ username: await user(of), password });
  }
}

const doors: Readonly<Record<string, (given: Case) => Promise<{ status: number; text: string }>>> = {
  Basic: (given) => api.ask("GET", APPLICATIONS, { as: basic(given) }),
  "the password grant": (given) => post(TOKEN, { grant_type: "password", ...given }, client),
};

const calls = vi.spyOn(HttpTransport.prototype, "send");

/** The work of one attempt: hashes, calls of the database by their kind, and units. */
const workOf = async (send: () => Promise<{ status: number; text: string }>) => {
  vi.clearAllMocks();
  let response: { status: number; text: string } | undefined;
  const lines = await listening(async () => {
    response = await send();
  });
  const hashes =
    vi.mocked(passwords.verifyPassword).mock.calls.length + vi.mocked(passwords.verifyNothing).mock.calls.length;
  const units = lines
    .filter(({ RoundTrips }) => RoundTrips !== undefined)
    .map(({ service, ReadUnits, WriteUnits }: LogLine) => ({ service, ReadUnits, WriteUnits }));
  const text = response?.text.replace(/"traceId":"[^"]+"/, "");
  return {
    hashes,
    calls: calls.mock.calls.map(([{ headers }]) => String(headers["x-amz-target"]).split(".")[1] ?? "").sort(),
    units,
    status: response?.status,
    text,
  };
};

type Work = Awaited<ReturnType<typeof workOf>>;

/** A name with an unknown tenant has two readings, which are read at the same time: only hashes and writes compare. */
const withoutReads = ({ calls, units, ...work }: Work) => ({
  ...work,
  calls: calls.filter((name) => !/^(?:(?:Batch)?Get|Query)/.test(name)),
  units: units.map(({ service, WriteUnits }) => ({ service, WriteUnits })),
});

describe.each(Object.entries(doors))("%s", (_, send) => {
  test("costs the same for every reason, at every attempt", async () => {
    const works = new Map<string, Work[]>();
    for (const [reason, prepare] of Object.entries(cases)) {
      const given = await prepare();
      const all: Work[] = [];
      for (let at = 0; at < ATTEMPTS; at += 1) all.push(await workOf(() => send(given)));
      works.set(reason, all);
    }
    const expected = works.get("a wrong password") ?? [];
    for (const { hashes, calls } of expected) expect([hashes, calls.length > 5]).toEqual([1, true]);
    for (const [reason, all] of works) {
      const isTenant = reason === "a tenant that does not exist";
      const shown = (given: readonly Work[]) =>
        given
          .map((work, at) => ({ reason, attempt: at + 1, work: isTenant ? withoutReads(work) : work }))
          .filter(({ attempt }) => !isTenant || !SPECIAL.has(attempt));
      expect(shown(all)).toEqual(shown(expected));
    }
  }, 120_000);
});
