/** Gains (decision 0061): what counts as one, how they are judged while others change the application, and the cost. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { OidcClient } from "#core/applications/protocols/model.ts";
import type { Authorization } from "#core/applications/registry/authorization-model.ts";
import { AUTHORIZE_ANY } from "#core/applications/registry/authorization-rules.ts";
import { authorizedApiStore } from "#core/applications/registry/authorization-store.ts";
import { gainsOf } from "#core/applications/registry/gain-rules.ts";
import { type Application, freshApplication, mergeApplication } from "#core/applications/registry/model.ts";
import { presentApplication } from "#core/applications/registry/present.ts";
import { ApplicationPatch } from "#core/applications/registry/shapes.ts";
import { applicationStore, TAKES_ONLY } from "#core/applications/registry/store.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { systemApis } from "#core/kernel/domain/system-apis.ts";
import { newId } from "#core/kernel/ids.ts";
import { anyApplication } from "#tests/support/any-application.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";

const TENANT = "carbon.super";
const client: OidcClient = {
  clientId: "client",
  sealedSecret: "sealed",
  latestSecret: { secretId: "first", createdAtSeconds: 1_700_000_000 },
  state: "ACTIVE",
  grantTypes: ["password"],
  callbackURLs: [],
  allowedOrigins: [],
  publicClient: false,
  pkce: { mandatory: false, supportPlainTransformAlgorithm: false },
  accessToken: {
    type: "Default",
    userAccessTokenExpiryInSeconds: 60,
    applicationAccessTokenExpiryInSeconds: 60,
    revokeTokensWhenIDPSessionTerminated: false,
    validateTokenBinding: false,
    accessTokenAttributes: [],
  },
  refreshToken: { expiryInSeconds: 60 },
  idToken: { expiryInSeconds: 60, audience: [], encryption: { enabled: false, algorithm: "", method: "" } },
  logout: {},
  validateRequestObjectSignature: false,
  scopeValidators: [],
};
const acting = (before: Application): Application => ({
  ...before,
  inbound: { ...before.inbound, oidc: { ...client, clientId: before.id, grantTypes: ["client_credentials"] } },
});
const stored = (id = newId()): Application => ({
  ...freshApplication(id, `application ${id}`, "", false),
  inbound: { oidc: { ...client, clientId: id } },
});

describe("no gain is", () => {
  test("an application that is written back as it was read", () => {
    fc.assert(
      fc.property(anyApplication, ({ protocols: _, key: __, ...given }) => {
        const sent = ApplicationPatch.parse(JSON.parse(JSON.stringify(given)));
        const application = mergeApplication(freshApplication(newId(), "a", "", false), sent);
        const read = JSON.parse(JSON.stringify(presentApplication(TENANT, application)));
        expect(gainsOf(application, mergeApplication(application, ApplicationPatch.parse(read)))).toEqual([]);
      }),
    );
  });
  test("the loss of the client, of grants, of addresses, and being disabled", () => {
    const before = stored();
    const less = { ...before, applicationEnabled: false, inbound: {} };
    expect(gainsOf(before, less)).toEqual([]);
    expect(gainsOf(less, before)).toEqual(expect.arrayContaining(["clientId", "grantTypes", "applicationEnabled"]));
  });
});

describe("an option of a step that is removed", () => {
  const AUTHENTICATORS = [
    ...["BasicAuthenticator", "IdentifierExecutor", "totp", "FIDOAuthenticator", "MagicLinkAuthenticator"],
  ];
  const subsets = Array.from({ length: 2 ** AUTHENTICATORS.length - 1 }, (_, at) =>
    AUTHENTICATORS.filter((__, bit) => ((at + 1) >> bit) % 2 === 1),
  );
  const withSteps = (...steps: readonly (readonly string[])[]): Application => {
    const listed = steps.map((names, at) => ({
      id: at + 1,
      options: names.map((authenticator) => ({ idp: "LOCAL", authenticator })),
    }));
    const before = stored("a");
    return {
      ...before,
      authenticationSequence: { ...before.authenticationSequence, type: "USER_DEFINED", steps: listed },
    };
  };
  const PROOFS: Readonly<Record<string, string>> = {
    BasicAuthenticator: "pwd",
    totp: "otp",
    FIDOAuthenticator: "pop",
    MagicLinkAuthenticator: "mail",
  };
  const SETS = Array.from({ length: 16 }, (_, set) =>
    Object.values(PROOFS).filter((__, bit) => (set >> bit) % 2 === 1),
  );
  /** All ways to give different steps different proofs of a set. */
  const assignments = (steps: readonly (readonly string[])[], proofs: readonly string[]): readonly number[][] => {
    const [first, ...rest] = steps;
    if (!first) return [[]];
    const given = proofs.filter((proof) => first.includes(proof));
    return [
      ...assignments(rest, proofs).map((met) => [0, ...met]),
      ...given.flatMap((proof) =>
        assignments(rest, proofs.toSpliced(proofs.indexOf(proof), 1)).map((met) => [1, ...met]),
      ),
    ];
  };
  /**
   * The sets of proofs that open a sequence, by trying all of them: each step has a proof of its own, but those that can
   * get no other one. `undefined` where nothing does.
   */
  const opening = (listed: readonly (readonly string[])[]): readonly string[] | undefined => {
    const steps = listed
      .filter((names) => !names.includes("IdentifierExecutor") || names.includes("BasicAuthenticator"))
      .map((names) => names.flatMap((name) => PROOFS[name] ?? []));
    const who = steps.findIndex((step) => step.some((proof) => proof !== "otp"));
    if (who < 0 || steps.some((step) => step.length === 0)) return undefined;
    const asked = steps.map((step, at) => (at === who ? step.filter((proof) => proof !== "otp") : step));
    const opens = (proofs: readonly string[]): boolean => {
      const isClosed = asked.map((step) => step.every((proof) => proofs.includes(proof)));
      const all = assignments(asked, proofs);
      const closedMet = (met: readonly number[]) => met.filter((one, at) => one === 1 && isClosed[at]).length;
      const most = Math.max(...all.map(closedMet));
      const isMet = all.some((met) => closedMet(met) === most && met.every((one, at) => one === 1 || isClosed[at]));
      return isMet && (asked[who] ?? []).some((proof) => proofs.includes(proof));
    };
    return SETS.filter(opens).map((proofs) => proofs.join());
  };

  test("is a gain where less is enough then, and otherwise none", () => {
    const found = { weaker: 0, free: 0 };
    for (const first of subsets) {
      for (const second of subsets) {
        const was = opening([first, second]);
        for (const [at, names] of [first, second].entries()) {
          for (const name of names.length > 1 ? names : []) {
            const left = names.filter((one) => one !== name);
            const steps = [at === 0 ? left : first, at === 1 ? left : second];
            const is = opening(steps);
            const isGain = gainsOf(withSteps(first, second), withSteps(...steps)).includes("authenticationSequence");
            const isWeaker = is?.some((proofs) => !was?.includes(proofs)) ?? false;
            if (is) expect([first, second, left, isGain]).toEqual([first, second, left, isWeaker]);
            if (isWeaker) found.weaker += 1;
            else if (!isGain) found.free += 1;
          }
        }
      }
    }
    expect(found.weaker).toBeGreaterThan(20);
    expect(found.free).toBeGreaterThan(200);
  });
});

describe("in the store", () => {
  const api = systemApis.find(({ identifier }) => identifier === "/scim2/Users");
  const granted: Authorization = {
    apiId: api?.id ?? "",
    policy: "RBAC",
    scopeIds: api?.scopes.map(({ id }) => id) ?? [],
  };
  let table: TestTable;
  beforeAll(async () => {
    table = await testTable();
  });
  const add = async () => {
    const application = stored();
    await applicationStore(table.open(newMeter())).add(TENANT, application, TAKES_ONLY);
    return application.id;
  };
  const authorize = (id: string) =>
    authorizedApiStore(table.open(newMeter())).update(TENANT, id, async () => ({ after: [granted], holding: [] }));
  const read = (id: string) => applicationStore(table.open(newMeter())).find(TENANT, id);

  test.each([
    ["for the first time", false],
    ["once more", true],
  ])("a gain is judged again where the application is authorized %s meanwhile", async (_, hasRow) => {
    const id = await add();
    if (hasRow)
      await authorizedApiStore(table.open(newMeter())).update(TENANT, id, async () => ({ after: [], holding: [] }));
    const calm = table.open(newMeter());
    let isFirst = true;
    const meanwhile: Table = {
      ...calm,
      async write(...steps) {
        if (isFirst) await authorize(id);
        isFirst = false;
        await calm.write(...steps);
      },
    };
    const before = await read(id);
    await expect(applicationStore(meanwhile).update(TENANT, id, new Set(["mine"]), acting)).rejects.toMatchObject({
      fault: "authorized_api.elevation",
    });
    expect(await read(id)).toEqual(before);
  });
  test.each([
    ["a caller with some scopes", new Set(["mine"]), acting, [2, 2]],
    ["a caller that may authorize any", new Set([AUTHORIZE_ANY]), acting, [2, 1]],
    ["a change without a gain", new Set(["mine"]), (one: Application) => ({ ...one, description: "b" }), [2, 2]],
    ["a change that only takes", TAKES_ONLY, (one: Application) => ({ ...one, description: "b" }), [2, 1]],
  ] as const)("costs no round trip more: %s", async (_, scopes, change, cost) => {
    const id = await add();
    const meter = newMeter();
    await applicationStore(table.open(meter)).update(TENANT, id, scopes, change);
    expect([meter.cost.roundTrips, meter.cost.readUnits]).toEqual(cost);
  });
  test("a change that claims only to take cannot gain", async () => {
    const id = await add();
    await authorize(id);
    await expect(applicationStore(table.open(newMeter())).update(TENANT, id, TAKES_ONLY, acting)).rejects.toMatchObject(
      {
        fault: "authorized_api.elevation",
      },
    );
  });
});
