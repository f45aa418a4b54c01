/** The rights of the functions, as IAM evaluates them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { notingChange } from "#core/applications/registry/index-store.ts";
import { freshApplication } from "#core/applications/registry/model.ts";
import {
  type ColumnIndexKeys,
  isReadByKey,
  keys,
  type NameListKeys,
  type ValueIndexKeys,
} from "#core/database/table/keys.ts";
import type { Key } from "#core/database/table/table.ts";
import { newId } from "#core/kernel/ids.ts";
import { services } from "#core/kernel/operation/services.ts";
import { subjects } from "#core/tokens/revocation-store.ts";
import { isAllowed, isLike } from "#tests/support/iam.ts";
import { partitions } from "../../../stacks/partitions.ts";
import { type FunctionName, plan } from "../../../stacks/plan.ts";
import { secretPartitions, statementsOf } from "../../../stacks/statements.ts";

const names = Object.keys(plan) as FunctionName[];

/** The partitions that a function of `keys` builds from texts. */
const madeBy = (maker: (...texts: string[]) => unknown, texts: readonly string[]): string[] => {
  const made = maker(...texts) as string | Key | NameListKeys | ValueIndexKeys | ColumnIndexKeys;
  if (typeof made === "string") return [made];
  if ("PK" in made) return [made.PK];
  if ("column" in made) return [made.ranges, made.state.PK, made.column("a", 0, 0).PK];
  const packed = [made.ranges, made.delta("a", 0).PK, made.values("a", 0).PK];
  return "ids" in made
    ? [...packed, made.ids("a", 0).PK]
    : [...packed, made.entries, made.leaf("a").PK, made.entry("a").PK];
};
/** Rows in the partition of another row have no partition of their own. */
const within: ReadonlySet<string> = new Set(["bulkPart", "bulkStage"] satisfies (keyof typeof keys)[]);
const makers = (Object.entries(keys) as [string, (...texts: string[]) => unknown][]).filter(
  ([name]) => !within.has(name),
);

describe("partitions", () => {
  test.each(makers)("%s matches exactly one pattern", (_, maker) => {
    for (const kind of ["OIDC", "SAML"]) {
      for (const partition of madeBy(maker, ["carbon.super", kind, "value", newId()])) {
        expect([partition, Object.values(partitions).filter((form) => isLike(partition, form))]).toEqual([
          partition,
          [expect.any(String)],
        ]);
      }
    }
  });
  test.each(Object.entries(subjects))("of the marks of %s match only the pattern of marks", (_, subject) => {
    const mark = keys.revocation("carbon.super", typeof subject === "string" ? subject : subject(newId())).PK;
    expect(Object.values(partitions).filter((form) => isLike(mark, form))).toEqual([partitions.revocation]);
  });
  test("of secrets match no other pattern, for any tenant and id", () => {
    const tenant = fc.stringMatching(/^[a-z0-9](?:[a-z0-9.-]{0,20}[a-z0-9])?$/);
    const open = Object.values(partitions).filter((form) => !secretPartitions.includes(form));
    fc.assert(
      fc.property(tenant, fc.uuid(), (domain, id) => {
        const secret = [keys.credential(domain, id).PK, keys.signingKeys().PK];
        expect(open.filter((form) => secret.some((partition) => isLike(partition, form)))).toEqual([]);
      }),
    );
  });
});

describe("rights", () => {
  const may = (name: FunctionName, action: string, partition: string, returnValues?: string) =>
    isAllowed(statementsOf(plan[name]), {
      action,
      context: {
        "dynamodb:LeadingKeys": [partition],
        ...(returnValues !== undefined && { "dynamodb:ReturnValues": [returnValues] }),
      },
    });
  const hash = keys.credential("carbon.super", newId()).PK;
  const reads = ["GetItem", "BatchGetItem", "Query", "Scan", "PartiQLSelect", "ConditionCheckItem"];

  test("only the functions that verify passwords read password hashes", () => {
    const reading = reads.filter((action) => action !== "ConditionCheckItem");
    const readers = names.filter((name) => reading.some((action) => may(name, action, hash)));
    expect(readers).toEqual(["authorizer", "oauth2", "sign-in"]);
    // The table compares a new password with former ones in rehearsals, and returns nothing of them (decision 0185).
    const comparing = names.filter((name) => may(name, "ConditionCheckItem", hash));
    expect(comparing).toEqual(["sign-in", "scim1", "scim2", "administration"]);
  });
  test("a function that checks whether a user has a password reads its key alone, and no application", () => {
    const application = keys.application("carbon.super", newId()).PK;
    const checking = (attributes: readonly string[], select?: string) =>
      isAllowed(statementsOf(plan.scim2), {
        action: "GetItem",
        context: {
          "dynamodb:LeadingKeys": [hash],
          "dynamodb:Attributes": attributes,
          ...(select !== undefined && { "dynamodb:Select": [select] }),
        },
      });
    expect(checking(["PK", "SK"])).toBe(true);
    expect(checking(["PK", "SK"], "SPECIFIC_ATTRIBUTES")).toBe(true);
    expect(checking(["PK", "SK"], "ALL_ATTRIBUTES")).toBe(false);
    expect(checking([])).toBe(false);
    expect(checking(["PK", "SK", "hash"])).toBe(false);
    expect(reads.filter((action) => may("scim2", action, hash))).toEqual(["ConditionCheckItem"]);
    expect(reads.filter((action) => may("scim2", action, application))).toEqual([]);
  });
  test("only the token endpoint reads and writes the signing keys", () => {
    const signing = keys.signingKeys().PK;
    const calls = [...reads, "PutItem", "UpdateItem", "DeleteItem"];
    expect(names.filter((name) => calls.some((action) => may(name, action, signing)))).toEqual(["oauth2"]);
  });
  test("no function that sets passwords can request the old item", () => {
    const writers = names.filter((name) => may(name, "PutItem", hash));
    expect(writers).toEqual([
      "sign-in",
      "account-recovery",
      "scim1",
      "scim2",
      "administration",
      "account",
      "recovery",
      "bootstrap",
    ]);
    // Sign-in verifies passwords, so it reads them in any case.
    for (const name of writers.filter((each) => each !== "sign-in")) {
      expect(may(name, "PutItem", hash, "ALL_OLD")).toBe(false);
      expect(may(name, "PutItem", hash, "NONE")).toBe(true);
    }
  });
  test("what creates the tenant of the synthetic check reaches no other one, and cannot request its old items", () => {
    const own = (tenant: string) => [
      keys.tenant(tenant).PK,
      keys.user(tenant, newId()).PK,
      keys.credential(tenant, newId()).PK,
      keys.role(tenant, newId()).PK,
      keys.application(tenant, newId()).PK,
      keys.userNames(tenant, "PRIMARY").entries,
      keys.revocations(tenant),
    ];
    const writes = (partition: string) => may("canary-setup", "PutItem", partition);
    expect(own("canary.invalid").filter((partition) => !writes(partition))).toEqual([]);
    for (const other of ["carbon.super", "example.com", "x.canary.invalid", "canary.invalid.example"]) {
      expect(own(other).filter(writes)).toEqual([]);
      expect(own(other).filter((partition) => may("canary-setup", "GetItem", partition))).toEqual(
        other === "carbon.super" ? [keys.userNames(other, "PRIMARY").entries] : [],
      );
    }
    expect([writes(keys.client("canary-x").PK), writes(keys.client("x").PK)]).toEqual([true, false]);
    const secret = keys.credential("canary.invalid", newId()).PK;
    expect([may("canary-setup", "PutItem", secret, "ALL_OLD"), may("canary-setup", "GetItem", secret)]).toEqual([
      false,
      false,
    ]);
  });
  test("the synthetic check has no right on the table", () => expect(statementsOf(plan.canary)).toEqual([]));
  test.each(names)("%s may not scan, and makes no call without a partition", (name) => {
    const anything = ["*", "Scan", "BatchWriteItem", "DeleteTable", "PartiQLSelect", ...reads];
    const refused = (action: string) =>
      !isAllowed(statementsOf(plan[name]), { action, context: { "dynamodb:LeadingKeys": [] } });
    expect(anything.filter((action) => !refused(action))).toEqual([]);
    expect(JSON.stringify(statementsOf(plan[name]))).not.toContain("dynamodb:*");
  });
});

describe("a rehearsal", () => {
  // These rows are written without a condition.
  const unconditional: readonly string[] = [
    // The list of tenants with subscribers, which is only set.
    partitions.subscribedTenants,
    partitions.clientUses,
    // That the index of applications of a new tenant is complete. Functions that write more of it read it.
    partitions.applicationRanges,
    // That an application has changed, for lists.
    partitions.applicationChanges,
    // What portals show of an application, whose version is the condition.
    partitions.discoverable,
    // What is left to do for sessions that have ended, and mails, which are only added; and counts of mails.
    partitions.logouts,
    partitions.mails,
    partitions.mailCount,
    partitions.grantRevocations,
    partitions.revocation,
    partitions.revocations,
    partitions.changePart,
    partitions.removed,
    // What is put aside is conditional for the function that restores it only, which reads it.
    partitions.aside,
    partitions.asideEntries,
  ];
  const rehearsed = names.filter(
    // Forms of pages are neither rehearsed nor repeated.
    (name) =>
      !["oauth2", "sign-in", "sso", "account"].includes(name) && Object.hasOwn(services, name) && plan[name].writes,
  );

  test.each(rehearsed)(
    "of %s may read what conditions of its writes are about, and of secrets the key alone",
    (name) => {
      const { reads, checks = [], writes } = plan[name];
      const readable = [...(reads?.on ?? []), ...checks, ...unconditional];
      expect(writes?.on.filter((partition) => !readable.includes(partition))).toEqual([]);
      const byKey = (partition: string) => isReadByKey({ PK: partition.replaceAll("*", "x"), SK: "A" });
      expect(checks.filter((partition) => writes?.on.includes(partition) && !byKey(partition))).toEqual([]);
      // Records have no secrets. Functions that show histories read them (decision 0083).
      const open: readonly string[] = [partitions.changeRecord];
      expect(reads?.on.filter((partition) => byKey(partition) && !open.includes(partition))).toEqual([]);
    },
  );
  test("needs no right to read that an application has changed: it is noted without a condition", () => {
    const application = { ...freshApplication("id", "name", "", false) };
    expect(notingChange("t", { value: application, version: 1 })).toMatchObject({ when: "any" });
  });
  test("reads the keys alone of password hashes and change records", () => {
    const byKey = Object.values(partitions).filter((each) => isReadByKey({ PK: each.replaceAll("*", "x"), SK: "A" }));
    expect(byKey).toEqual([partitions.credential, partitions.changeRecord]);
  });
});
