/** Histories: each version of a resource is what reading the resource returned after that change. */
import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { resourceTypes } from "#core/database/changes/model.ts";
import { addUser } from "#tests/support/people.ts";
import { URN } from "#tests/support/scim.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const SECRET = "a-planted-Secret-1";
/** The types that have a history of their own: those of the records, without the last one. */
const TYPES = resourceTypes.length - 1;
const API = "/api/server/v1";

const sent = async (method: string, path: string, body?: unknown) => {
  const answer = await api.ask(method, path, body === undefined ? {} : { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer;
};
const patch = (...Operations: readonly unknown[]) => ({ schemas: [URN.patch], Operations });
const newUser = async (userName: string): Promise<string> =>
  (await sent("POST", "/scim2/Users", { userName, password: SECRET, name: { familyName: "A" } })).body.id;

/** A body without what is derived from the time and from other resources, and without secrets. */
// biome-ignore lint/suspicious/noExplicitAny: any body
const comparable = (body: any): unknown =>
  JSON.parse(
    JSON.stringify(body, (name, value) =>
      ["meta", "updatedAt", "clientSecret", "clientSecretExpiresAt", "multipleClientSecretsConfigured"].includes(name)
        ? undefined
        : value,
    ),
  );

const historyOf = async (path: string) => {
  const records = [];
  for (let after = ""; ; ) {
    const { body } = await sent("GET", `${path}/history?limit=20${after && `&after=${after}`}`);
    records.push(...body.records);
    if (body.next === undefined) return records;
    after = body.next;
  }
};

/** Applies edits, and compares every version of the resource with what reading it returned. */
const compareVersions = async (path: string, edits: readonly (() => Promise<unknown>)[]) => {
  const seen = new Map<string, unknown>();
  const note = async () => {
    const [latest] = (await sent("GET", `${path}/history?limit=1`)).body.records;
    if (latest) seen.set(latest.version, comparable((await sent("GET", path)).body));
  };
  await note();
  for (const edit of edits) {
    await edit();
    await note();
  }
  const records = await historyOf(path);
  expect(records.length).toBeGreaterThanOrEqual(seen.size);
  expect(records.map(({ id }) => id)).toEqual(
    records
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
  for (const [version, body] of seen) {
    const answer = await sent("GET", `${path}/history/${version}`);
    expect(comparable(answer.body)).toEqual(body);
    expect(answer.text).not.toContain(SECRET);
  }
  expect(JSON.stringify(records)).not.toContain(SECRET);
  const unknown = await api.ask("GET", `${path}/history/${"0".repeat(18)}`);
  expect(unknown.status).toBe(404);
  return [...seen.keys()];
};

/** Some of the edits, in an order that a seed decides. */
const shuffled = <T>(list: readonly T[], rounds: number): T[] => {
  let seed = 7;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed;
  };
  return Array.from({ length: rounds }, () => list[next() % list.length] as T);
};

/** Counts from 1. */
const counter = () => {
  let count = 0;
  return () => {
    count += 1;
    return count;
  };
};

describe("listUserHistory", () => {
  describe("getUserVersion", () => {
    test("shows a user as it was, over random edits", async () => {
      const path = `/scim2/Users/${await newUser("u-history")}`;
      const nth = counter();
      const edit = (operation: () => unknown) => () => sent("PATCH", path, patch(operation()));
      const versions = await compareVersions(
        path,
        shuffled(
          [
            edit(() => ({ op: "replace", path: "name.familyName", value: `N${nth()}` })),
            edit(() => ({ op: "add", path: "emails", value: [{ value: `e${nth()}@a.example`, type: "work" }] })),
            edit(() => ({ op: "remove", path: "emails" })),
            edit(() => ({ op: "replace", path: "active", value: nth() % 2 === 0 })),
            edit(() => ({ op: "replace", path: "userName", value: `u-history-${nth()}` })),
            edit(() => ({ op: "replace", path: "password", value: `${SECRET}${nth()}` })),
            edit(() => ({ op: "add", path: "externalId", value: `x${nth()}` })),
          ],
          36,
        ),
      );
      expect(versions.length).toBeGreaterThan(20);
      const [first = ""] = versions;
      const projected = await sent("GET", `${path}/history/${first}?attributes=userName`);
      expect(projected.body).toMatchObject({ userName: "u-history" });
      expect(projected.body).not.toHaveProperty("name");
      expect((await api.ask("GET", `/scim2/Users/unknown/history`)).status).toBe(404);
      await sent("DELETE", path);
      for (const gone of [`${path}/history`, `${path}/history/${first}`]) {
        expect((await api.ask("GET", gone)).status).toBe(404);
      }
    });
  });
});

describe("listGroupHistory", () => {
  describe("getGroupVersion", () => {
    test("shows a group with its members as it was", async () => {
      const ids = await Promise.all(Array.from({ length: 50 }, (_, at) => newUser(`g-member-${at}`)));
      const members = (some: readonly string[]) => some.map((value) => ({ value }));
      const created = await sent("POST", "/scim2/Groups", {
        displayName: "g-history",
        members: members(ids.slice(0, 3)),
      });
      const path = `/scim2/Groups/${created.body.id}`;
      const nth = counter();
      await compareVersions(path, [
        () => sent("PUT", path, { displayName: "all", members: members(ids) }),
        ...shuffled(
          [
            () => sent("PATCH", path, patch({ op: "replace", path: "displayName", value: `g${nth()}` })),
            () => sent("PATCH", path, patch({ op: "add", path: "members", value: members([ids[nth() % 50] ?? ""]) })),
            () => sent("PATCH", path, patch({ op: "remove", path: `members[value eq "${ids[(nth()) % 50]}"]` })),
            () => sent("PUT", path, { displayName: "few", externalId: "e", members: members(ids.slice(5, 9)) }),
          ],
          12,
        ),
        () => sent("PUT", path, { displayName: "none" }),
      ]);
    });
  });
});

describe("listRoleHistory", () => {
  describe("getRoleVersion", () => {
    test("shows a role with its permissions and users as it was", async () => {
      const [one, two] = [await newUser("r-one"), await newUser("r-two")];
      const created = await sent("POST", "/scim2/v2/Roles", {
        displayName: "r-history",
        permissions: [{ value: "internal_user_mgt_list" }],
        users: [{ value: one }],
      });
      const path = `/scim2/v2/Roles/${created.body.id}`;
      await compareVersions(path, [
        () => sent("PATCH", path, patch({ op: "add", path: "users", value: [{ value: two }] })),
        () => sent("PATCH", path, patch({ op: "replace", path: "displayName", value: "r2" })),
        () => sent("PATCH", path, patch({ op: "remove", path: `users[value eq "${one}"]` })),
        () => sent("PUT", path, { displayName: "r3", permissions: [{ value: "internal_group_mgt_view" }], users: [] }),
        () => sent("PATCH", path, patch({ op: "replace", path: "permissions", value: [] })),
      ]);
    });
  });
});

describe("listApplicationHistory", () => {
  let path = "";
  beforeAll(async () => {
    path = `${APPLICATIONS}/${await api.create({ name: "a-history" })}`;
  });
  const oidc = (more: object = {}) => ({ grantTypes: ["client_credentials"], clientSecret: SECRET, ...more });

  describe("getApplicationVersion", () => {
    test("shows an application as it was, with links to its protocols", async () => {
      const versions = await compareVersions(path, [
        () => sent("PATCH", path, { description: "d", accessUrl: "https://a.example" }),
        () => sent("PUT", `${path}/inbound-protocols/oidc`, oidc()),
        () => sent("PATCH", path, { name: "a-history-2", claimConfiguration: { dialect: "LOCAL" } }),
        () => sent("POST", `${path}/inbound-protocols/oidc/regenerate-secret`),
        () => sent("PUT", `${path}/inbound-protocols/passive-sts`, { realm: "r", replyTo: "https://a.example/r" }),
        () => sent("DELETE", `${path}/inbound-protocols/passive-sts`),
        () => sent("PATCH", path, { description: "e" }),
      ]);
      expect(versions).toHaveLength(8);
      expect((await api.ask("GET", `${APPLICATIONS}/unknown/history`)).status).toBe(404);
    });
  });

  describe("listInboundProtocolHistory", () => {
    describe("getInboundProtocolVersion", () => {
      test("shows each protocol as it was, without secrets, also after it was removed", async () => {
        const at = `${path}/inbound-protocols`;
        await sent("DELETE", `${at}/oidc`);
        await sent("PUT", `${at}/oidc`, oidc());
        const versions = await compareVersions(`${at}/oidc`, [
          () => sent("PUT", `${at}/oidc`, oidc({ grantTypes: ["password"], accessToken: { type: "JWT" } })),
          () => sent("PATCH", path, { description: "of the application" }),
          () =>
            sent(
              "PUT",
              `${at}/oidc`,
              oidc({ grantTypes: ["authorization_code"], callbackURLs: ["https://a.example"] }),
            ),
        ]);
        expect(versions).toHaveLength(3);
        await compareVersions(`${at}/ws-trust`, [
          () => sent("PUT", `${at}/ws-trust`, { audience: "https://a.example", certificateAlias: "c" }),
          () => sent("PUT", `${at}/ws-trust`, { audience: "https://a.example", certificateAlias: "d" }),
        ]);
        await compareVersions(`${at}/saml`, [
          () =>
            sent("PUT", `${at}/saml`, {
              manualConfiguration: { issuer: "i", assertionConsumerUrls: ["https://a.example"] },
            }),
          () =>
            sent("PUT", `${at}/saml`, {
              manualConfiguration: { issuer: "i", assertionConsumerUrls: ["https://b.example"] },
            }),
        ]);
        await sent("DELETE", `${at}/oidc`);
        const [latest, before] = await historyOf(`${at}/oidc`);
        expect(latest).toMatchObject({ operation: "deleteOidcConfiguration" });
        expect((await api.ask("GET", `${at}/oidc/history/${latest.version}`)).status).toBe(404);
        const shown = await sent("GET", `${at}/oidc/history/${before.version}`);
        expect(shown.body).toMatchObject({ grantTypes: ["authorization_code"] });
        expect(shown.body.clientSecret ?? "").toBe("");
      });
    });
  });

  describe("listAuthorizedApisHistory", () => {
    describe("getAuthorizedApisVersion", () => {
      test("shows the authorized APIs as they were", async () => {
        const { body } = await sent("POST", `${API}/api-resources`, {
          name: "N",
          identifier: "urn:h",
          scopes: [{ name: "h:read" }, { name: "h:write" }],
        });
        const at = `${path}/authorized-apis`;
        await compareVersions(at, [
          () => sent("POST", at, { id: body.id, policyIdentifier: "RBAC", scopes: ["h:read"] }),
          () => sent("PATCH", `${at}/${body.id}`, { addedScopes: ["h:write"] }),
          () => sent("PATCH", `${at}/${body.id}`, { removedScopes: ["h:read"] }),
          () => sent("DELETE", `${at}/${body.id}`),
        ]);
      });
    });
  });

  describe("listResidentApplicationHistory", () => {
    describe("getResidentApplicationVersion", () => {
      test("shows the resident application as it was", async () => {
        const at = `${APPLICATIONS}/resident`;
        expect((await sent("GET", `${at}/history`)).body).toEqual({ records: [] });
        const update = (proxyMode: boolean) =>
          sent("PUT", at, { inboundProvisioning: { proxyMode, provisioningUserstoreDomain: "PRIMARY" } });
        const versions = await compareVersions(at, [() => update(true), () => update(false), () => update(true)]);
        expect(versions).toHaveLength(3);
      });
    });
  });
});

describe("listApplicationTemplateHistory", () => {
  describe("getApplicationTemplateVersion", () => {
    test("shows a template as it was; a starter template has no history", async () => {
      const body = (description: string) => ({ name: "t-history", description, application: { name: "X" } });
      const at = `${APPLICATIONS}/templates`;
      const created = await sent("POST", at, body("1"));
      const path = new URL(created.headers.get("location") ?? "").pathname;
      await compareVersions(path, [() => sent("PUT", path, body("2")), () => sent("PUT", path, body("3"))]);
      const [starter] = (await sent("GET", at)).body.templates;
      expect((await sent("GET", `${at}/${starter.id}/history`)).body).toEqual({ records: [] });
      expect((await api.ask("GET", `${at}/unknown/history`)).status).toBe(404);
    });
  });
});

describe("listApiResourceHistory", () => {
  describe("getApiResourceVersion", () => {
    test("shows an API resource with its scopes as it was", async () => {
      const created = await sent("POST", `${API}/api-resources`, { name: "N", identifier: "urn:v", scopes: [] });
      const path = `${API}/api-resources/${created.body.id}`;
      await compareVersions(path, [
        () => sent("PATCH", path, { description: "d" }),
        () => sent("PATCH", path, { addedScopes: [{ name: "v:read" }, { name: "v:write" }] }),
        () => sent("PATCH", `${path}/scopes/v:read`, { displayName: "Read" }),
        () => sent("DELETE", `${path}/scopes/v:write`),
        () => sent("PUT", `${path}/scopes`, [{ name: "v:all" }]),
      ]);
    });
  });
});

describe("listWebhookHistory", () => {
  describe("getWebhookVersion", () => {
    test("shows the settings of a webhook as they were, and the delivery as it is", async () => {
      const WSO2 = "https://schemas.identity.wso2.org/events";
      const body = (name: string, more: object = {}) => ({
        endpoint: `https://receiver.example/${name}`,
        name,
        eventProfile: { name: "WSO2", uri: WSO2 },
        channelsSubscribed: [`${WSO2}/user`],
        secret: SECRET,
        ...more,
      });
      const created = await sent("POST", `${API}/webhooks`, body("one"));
      const path = `${API}/webhooks/${created.body.id}`;
      const versions = await compareVersions(path, [
        () => sent("PUT", path, body("two")),
        () => sent("POST", `${path}/deactivate`),
        () => sent("PUT", path, body("one", { channelsSubscribed: [`${WSO2}/role`, `${WSO2}/user`] })),
        () => sent("POST", `${path}/activate`),
      ]);
      expect(versions).toHaveLength(5);
      const [latest] = await historyOf(path);
      const shown = (await sent("GET", `${path}/history/${latest.version}`)).body;
      const { updatedAt } = (await sent("GET", path)).body;
      expect(Math.abs(Date.parse(shown.updatedAt) - Date.parse(updatedAt))).toBeLessThan(2_000);
      await sent("DELETE", path);
      expect((await api.ask("GET", `${path}/history`)).status).toBe(404);
    });
  });
});

describe("listTenantHistory", () => {
  describe("getTenantVersion", () => {
    test("shows a tenant as it was; who changed it is named to its own tenant", async () => {
      const owner = {
        username: "owner",
        password: SECRET,
        email: "o@h.example",
        provisioningMethod: "inline-password",
      };
      const created = await sent("POST", `${API}/tenants`, {
        domain: "h.example",
        owners: [{ ...owner, firstname: "O", lastname: "O" }],
      });
      const path = new URL(created.headers.get("location") ?? "").pathname;
      const set = (activated: boolean) => () => sent("PUT", `${path}/lifecycle-status`, { activated });
      const versions = await compareVersions(path, [set(false), set(true)]);
      expect(versions).toHaveLength(3);
      const [{ actor }] = await historyOf(path);
      expect(actor).toMatchObject({ type: "user", name: "admin" });
      expect((await api.ask("GET", `${API}/tenants/unknown/history`)).status).toBe(404);
    });
  });
});

test("a history names callers and their addresses only to those who may read all changes", async () => {
  const id = await newUser("history-names");
  const reader = { username: "history-reader", password: "a-long-password" };
  await addUser(api.service, { ...reader, scopes: ["internal_user_mgt_view"] });
  const path = `/scim2/Users/${id}/history`;
  const [full] = (await api.ask("GET", path)).body.records;
  expect(full).toMatchObject({ actor: { type: "user", name: "admin" }, sourceIp: expect.any(String) });
  const [limited] = (await api.ask("GET", path, { as: reader })).body.records;
  const {
    sourceIp: _,
    actor: { name: __, ...actor },
    ...rest
  } = full;
  expect(limited).toEqual({ ...rest, actor });
});

test("a cursor of a history reads that history only, whatever resource it is made to name", async () => {
  const id = await newUser("history-forged");
  const reader = { username: "role-reader", password: "a-long-password" };
  await addUser(api.service, { ...reader, scopes: ["internal_role_mgt_view"] });
  const l = createHash("sha256")
    .update(JSON.stringify(["carbon.super", "role", id, null]))
    .digest("base64url")
    .slice(0, 11);
  for (let type = 0; type <= TYPES; type += 1) {
    const after = Buffer.from(JSON.stringify({ l, c: [[type, ""]] })).toString("base64url");
    const answer = await api.ask("GET", `/scim2/v2/Roles/${id}/history?after=${after}`, { as: reader });
    // Numbers that name no type are 400.
    expect(answer.status, answer.text).toBe(type < TYPES ? 404 : 400);
    expect(answer.text).not.toContain("history-forged");
  }
});
