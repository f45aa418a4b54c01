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
import { neededFactors } from "#core/applications/registry/sequence-model.ts";
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
  const AUTHENTICATORS = ["BasicAuthenticator", "IdentifierExecutor", "totp", "FIDOAuthenticator"];
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
  const furtherOf = ({ authenticationSequence }: Application) => {
    const needed = neededFactors(authenticationSequence);
    return "further" in needed ? needed.further : undefined;
  };
  /** Whether each demand of one list is met by another demand of the other one, which is as strict or stricter. */
  const isAsStrict = (after: readonly (readonly string[])[], before: readonly (readonly string[])[]): boolean => {
    const [first, ...rest] = before;
    if (!first) return true;
    return after.some(
      (one, at) => one.every((factor) => first.includes(factor)) && isAsStrict(after.toSpliced(at, 1), rest),
    );
  };
  const passwordStep = ({ authenticationSequence: { steps } }: Application) =>
    steps.findIndex(({ options }) => options.some(({ authenticator }) => authenticator === "BasicAuthenticator"));

  test("is a gain where less is asked for then, and otherwise none, unless the password moves to another step", () => {
    const found = { weaker: 0, free: 0 };
    for (const first of subsets) {
      for (const second of subsets) {
        const before = withSteps(first, second);
        const was = furtherOf(before);
        for (const [at, names] of [first, second].entries()) {
          for (const name of names.length > 1 ? names : []) {
            const left = names.filter((one) => one !== name);
            const after = withSteps(at === 0 ? left : first, at === 1 ? left : second);
            const is = furtherOf(after);
            const isWeaker = is !== undefined && was !== undefined && !isAsStrict(is, was);
            const isGain = gainsOf(before, after).includes("authenticationSequence");
            if (isWeaker) expect([first, second, left, isGain]).toEqual([first, second, left, true]);
            const isMoved = passwordStep(after) !== passwordStep(before);
            if (!isWeaker && !isMoved && is)
              expect([first, second, left, isGain]).toEqual([first, second, left, false]);
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
    await applicationStore(table.open(newMeter())).add(TENANT, application);
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
