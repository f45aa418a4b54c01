/**
 * An explanation says what the authorizer decides: in random tenants, for users and applications, with and without
 * limits of tokens, under rules of deployment.toml. The authorizer and the token endpoint are the real ones.
 */
import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { apiResourceStore } from "#core/applications/apis/store.ts";
import { clientStore } from "#core/applications/registry/client-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { assignmentStore } from "#core/directory/memberships/assignments.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { userStore } from "#core/directory/users/store.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newSeal } from "#core/kernel/seal.ts";
import { protections } from "#core/service/protection.ts";
import type { AccessRule } from "#core/sign-in/authentication/access-control/model.ts";
import { compiledRule, type ReadyRule } from "#core/sign-in/authentication/access-control/rules.ts";
import { reasons } from "#core/sign-in/explain/gaps.ts";
import { explainHandlers } from "#core/sign-in/explain/handlers.ts";
import { newOperationFinder } from "#core/sign-in/explain/question.ts";
import { type ModelQuestion, type ModelTenant, modelTenant, OWN, SYSTEM } from "#tests/support/access-model.ts";
import { newOracle, ORIGIN } from "#tests/support/access-oracle.ts";
import { memoryTable } from "#tests/support/memory-table.ts";

const TENANTS = 10_000;
const QUESTIONS = 3;
const EVERY = ["SYSTEM", ...OWN];

const rule = (context: string, more: Partial<AccessRule> = {}): AccessRule => ({
  ...{ place: "a rule", context, methods: undefined, isSecured: true, scopes: undefined, handlers: undefined },
  ...more,
});
/** Rules as operators write them, and as the lint would refuse them. */
const written: readonly (readonly AccessRule[])[] = [
  [],
  [rule("/scim2/Users*", { scopes: ["internal_user_mgt_view", "internal_group_mgt_view"] }), rule("/scim2/.*")],
  [
    rule("/scim2/Groups.*", { handlers: new Set(["BasicAuthentication"]) }),
    rule("/scim2/(Users|v2/Roles).*", { methods: new Set(["GET"]), scopes: [] }),
    rule("/api/server/v1/applications.*", { scopes: ["internal_login"] }),
  ],
  [
    rule("/scim2/ServiceProviderConfig", { isSecured: false }),
    rule("/oauth2/jwks", { scopes: ["internal_user_mgt_list"] }),
    rule("/.*", { handlers: new Set(["OAuthAuthentication", "ClientCertificate"]) }),
  ],
];

test(`in ${TENANTS} random tenants, an explanation never disagrees with the authorizer`, {
  timeout: 1_200_000,
}, async () => {
  vi.spyOn(console, "log").mockReturnValue();
  const table = memoryTable();
  const seal = newSeal(randomBytes(32));
  const ruleSets = await Promise.all(
    written.map(async (some, at) =>
      Promise.all(
        some.map(async (one): Promise<ReadyRule> => {
          const compiled = await compiledRule(one);
          if (!compiled) throw new Error(one.context);
          return { ...compiled, isAround: at % 2 === 0 };
        }),
      ),
    ),
  );
  const oracle = await newOracle(table, seal, ruleSets);
  const finders = ruleSets.map((rules) => newOperationFinder(protections, rules));
  const stores = {
    ...{ table, users: userStore(table), groups: groupStore(table), roles: roleStore(table) },
    ...{ clients: clientStore(table), applications: applicationStore(table), apiResources: apiResourceStore(table) },
    assignments: assignmentStore(table),
    certificates: { enabled: false, issuers: [], exemptContexts: [] },
  };
  const explain = async ({ domain, rules }: ModelTenant, body: ModelQuestion) => {
    const context = { ...stores, finder: finders[rules], tenant: domain, origin: ORIGIN, scopes: new Set(SYSTEM) };
    try {
      return await explainHandlers.explainAccess({ body } as never, context as never);
    } catch (error) {
      if (error instanceof Fault && error.fault === "target.invalid") return "target" as const;
      throw error;
    }
  };
  const seen = new Map<string, number>();
  const disagreements: string[] = [];
  for (let seed = 1; seed <= TENANTS; seed += 1) {
    if (seed % 100 === 0) table.clear();
    const tenant = await modelTenant(seed, { table, seal, ruleSets: ruleSets.length, questions: QUESTIONS });
    oracle.know(tenant);
    for (const question of tenant.questions) {
      const [explained, decided] = [await explain(tenant, question), await oracle.decide(tenant, question, EVERY)];
      const said = explained === "target" ? explained : explained.decision;
      if (isAside(tenant, question)) continue;
      const kind = `${question.subject.type} ${question.application ? "by an application" : "directly"}: ${said}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      const met = explained === "target" ? [] : explained.requirements;
      for (const { reason } of met.flatMap(({ missing }) => missing)) seen.set(reason, (seen.get(reason) ?? 0) + 1);
      const unexplained = met.filter(({ name, isMet, paths, missing }) => {
        return name === "scope" && (isMet ? paths.length === 0 : missing.length === 0 && hasClient(tenant, question));
      });
      // A resource that the client has nothing to do with makes no question.
      const agrees = said === "target" || said === decided;
      if (!agrees || unexplained.length > 0) {
        disagreements.push(JSON.stringify({ seed, question, said, decided, explained }));
      }
    }
  }
  expect(disagreements.slice(0, 5)).toEqual([]);
  // The model reaches both answers to every kind of question, and every reason but that of users without a password.
  const kinds = ["user directly", "user by an application", "client by an application"];
  const answers = kinds.flatMap((kind) => [`${kind}: true`, `${kind}: false`]);
  const told = Object.keys(reasons).filter((reason) => reason !== "password_missing");
  const least = TENANTS / 2_000;
  expect([...answers, ...told].filter((one) => (seen.get(one) ?? 0) < least)).toEqual([]);
});

/** A user who must choose another password can do that in a browser, which the oracle does not. */
const isAside = ({ users }: ModelTenant, { subject, application }: ModelQuestion): boolean =>
  application !== undefined &&
  users.some(({ id, profile }) => id === subject.id && JSON.stringify(profile).includes("forcePasswordReset"));

const hasClient = ({ applications }: ModelTenant, { application }: ModelQuestion): boolean =>
  application === undefined || applications.some(({ id, inbound }) => id === application && inbound.oidc !== undefined);
