/** The providers of SST resources against the service: what a deployment compares, rehearses, writes and says. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { type Api, client, isFault } from "#client/client.ts";
import { ADMIN, world } from "#tests/support/world.ts";
import { apiResource } from "../../../packages/sst/providers/api-resource.ts";
import { application } from "../../../packages/sst/providers/application.ts";
import { apiOf, type Resource, requestHeaders } from "../../../packages/sst/providers/resource.ts";

type Members = Readonly<Record<string, unknown>>;

const service = world();
let api: Api;
/** The writes that the service was asked for, without rehearsals. */
const writes: string[] = [];
beforeAll(() => {
  const counting: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    const isRehearsal = headers.get("dry-run") === "true" || String(input).includes("dryRun=true");
    if (init?.method !== "GET" && !isRehearsal) writes.push(`${init?.method} ${new URL(String(input)).pathname}`);
    return fetch(input, init);
  };
  api = client({ url: service.url, credentials: ADMIN, headers: requestHeaders, fetch: counting });
});

const unique = (word: string) => `${word}-${randomUUID().slice(0, 8)}`;
const sentenceOf = async (act: Promise<unknown>) => {
  try {
    await act;
    return "done";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** What Pulumi does with a resource of a program: its state is what the last call returned. */
function deployed(resource: Resource) {
  let id = "";
  let state: Members = {};
  const self = {
    get id() {
      return id;
    },
    get state() {
      return state;
    },
    async create(inputs: Members) {
      const checked = await resource.check(api, {}, inputs);
      if (checked.failures.length > 0) throw new Error(checked.failures.map(({ reason }) => reason).join(" "));
      const made = await resource.create(api, checked.inputs);
      [id, state] = [made.id, made.outs];
      return self;
    },
    preview: (inputs: Members) => resource.diff(api, id, state, inputs),
    async update(inputs: Members) {
      const { inputs: checked, failures } = await resource.check(api, state, inputs);
      if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join(" "));
      const diff = await resource.diff(api, id, state, checked);
      if (diff.changes) state = (await resource.update(api, id, state, checked)).outs;
      return diff;
    },
    async refresh() {
      const read = await resource.read(api, id, state);
      if (read.props) state = read.props;
      return read;
    },
    remove: () => resource.remove(api, id, state),
  };
  return self;
}

const web = (...callbackURLs: readonly string[]) => ({
  oidc: { grantTypes: ["authorization_code", "refresh_token"], callbackURLs },
});

describe("an application", () => {
  test("is created, compared, changed, read and removed", async () => {
    const name = unique("Dispatch");
    const inputs = { name, description: "Cars", inboundProtocolConfiguration: web("https://cars.example/back") };
    const one = await deployed(application).create(inputs);
    expect(one.state).toMatchObject({ name, applicationId: one.id, clientId: expect.any(String) });
    expect((await one.preview(inputs)).changes).toBe(false);

    writes.length = 0;
    const changed = { ...inputs, description: "All cars", inboundProtocolConfiguration: web("https://a.example/b") };
    const preview = await one.preview(changed);
    expect(preview).toMatchObject({ changes: true, replaces: [] });
    expect([...preview.changed].sort()).toEqual(["description", "oidc"]);
    expect(writes).toEqual([]);

    await one.update(changed);
    expect(writes.map((write) => write.replace(one.id, "{id}"))).toEqual([
      "PATCH /api/server/v1/applications/{id}",
      "PUT /api/server/v1/applications/{id}/inbound-protocols/oidc",
    ]);
    expect((await one.preview(changed)).changes).toBe(false);
    expect((await api.applications.get(one.id)).description).toBe("All cars");

    await one.remove();
    await one.remove();
    expect(isFault(await api.applications.get(one.id).catch((error: unknown) => error), "notFound")).toBe(true);
    expect((await one.refresh()).id).toBe("");
  });

  test("another name renames it, and keeps its client", async () => {
    const inputs = { name: unique("Old"), inboundProtocolConfiguration: web("https://cars.example/back") };
    const one = await deployed(application).create(inputs);
    const { clientId } = one.state;
    const diff = await one.update({ ...inputs, name: unique("New") });
    expect(diff).toMatchObject({ changed: ["name"], replaces: [] });
    expect(one.state.clientId).toBe(clientId);
  });

  test("has the APIs that are declared, and no others", async () => {
    const identifier = unique("https://orders.example/");
    const scopes = [{ name: unique("read") }, { name: unique("write") }];
    const names = scopes.map((scope) => scope.name);
    await api.apiResources.create({ identifier, name: unique("Orders"), scopes });
    const name = unique("Caller");
    const apis = (...of: string[]) => [{ identifier, scopes: of, policyIdentifier: "RBAC" }];
    const one = await deployed(application).create({ name, authorizedApis: apis(...names) });
    const listed = async () => {
      const { body } = await api.request("GET /api/server/v1/applications/{applicationId}/authorized-apis", {
        params: { applicationId: one.id },
      });
      return body.map((each) => [each.identifier, each.authorizedScopes.map((scope) => scope.name).sort()]);
    };
    expect(await listed()).toEqual([[identifier, [...names].sort()]]);
    await one.update({ name, authorizedApis: apis(names[0] ?? "") });
    expect(await listed()).toEqual([[identifier, [names[0]]]]);
    expect(await sentenceOf(one.preview({ name, authorizedApis: apis("unknown") }))).toContain(
      "has no scope 'unknown'",
    );
    await one.update({ name, authorizedApis: [] });
    expect(await listed()).toEqual([]);
  });

  test("a change by somebody else between comparison and write is not overwritten", async () => {
    const inputs = { name: unique("Race"), description: "one" };
    const one = await deployed(application).create(inputs);
    const racing = client({
      url: service.url,
      credentials: ADMIN,
      fetch: async (input, init) => {
        const isWrite = init?.method === "PATCH" && new Headers(init.headers).get("dry-run") !== "true";
        if (isWrite && !String(input).includes("dryRun"))
          await api.applications.update(one.id, { accessUrl: "https://x.example" });
        return fetch(input, init);
      },
    });
    const update = application.update(racing, one.id, one.state, { ...inputs, description: "two" });
    expect(await sentenceOf(update)).toContain("was changed by somebody else just now. Deploy again.");
    expect((await api.applications.get(one.id)).description).toBe("one");
  });

  test("no credential and no secret of the deployment is in what Pulumi stores, except the client secret", async () => {
    const one = await deployed(application).create({
      name: unique("State"),
      inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
    });
    const { clientSecret, ...others } = one.state;
    expect(clientSecret).toMatch(/^\S{20,}$/);
    expect(JSON.stringify(others)).not.toContain(ADMIN.password);
    expect(JSON.stringify(others)).not.toContain(String(clientSecret));
  });
});

describe("an API resource", () => {
  const declared = () => ({
    identifier: unique("https://api.example/"),
    name: unique("Orders"),
    scopes: [{ name: unique("read"), displayName: "Read" }],
  });
  test("is created, compared, changed and removed", async () => {
    const inputs = declared();
    const one = await deployed(apiResource).create(inputs);
    expect((await one.preview(inputs)).changes).toBe(false);
    const scopes = [...inputs.scopes, { name: unique("write"), displayName: "Write" }];
    expect((await one.update({ ...inputs, name: "Other", scopes })).changed).toEqual(["name", "scopes"]);
    const found = await api.apiResources.get(one.id);
    expect(found.name).toBe("Other");
    expect(found.scopes.map(({ name }) => name).sort()).toEqual(scopes.map(({ name }) => name).sort());
    await one.remove();
    expect((await one.refresh()).id).toBe("");
  });
  test("another identifier is another API: it is replaced", async () => {
    const inputs = declared();
    const one = await deployed(apiResource).create(inputs);
    const diff = await one.preview({ ...inputs, identifier: unique("https://new.example/") });
    expect(diff).toMatchObject({ replaces: ["identifier"], deleteBeforeReplace: true });
  });
});

describe("the environment of a deployment", () => {
  test.each([
    [{}, "IDENTITY_ADMIN_URL is not set"],
    [{ IDENTITY_ADMIN_URL: "http://127.0.0.1:1" }, "There is no credential"],
    [{ IDENTITY_ADMIN_URL: "http://127.0.0.1:1", IDENTITY_ADMIN_USER: "kim" }, "is incomplete"],
    [
      { IDENTITY_ADMIN_URL: "http://127.0.0.1:1", IDENTITY_ADMIN_TOKEN: "t", IDENTITY_ADMIN_USER: "kim" },
      "more than one credential",
    ],
    [{ IDENTITY_ADMIN_URL: "nowhere", IDENTITY_ADMIN_TOKEN: "a-secret-token" }, "IDENTITY_ADMIN_URL cannot be used"],
  ])("%j", (environment, sentence) => {
    expect(() => apiOf(environment)).toThrow(sentence);
    expect(() => apiOf(environment)).not.toThrow("a-secret-token");
  });
  test("a service that is away, and a credential that is wrong", async () => {
    const away = client({ url: "http://127.0.0.1:1", credentials: ADMIN, attempts: 1 });
    const wrong = client({ url: service.url, credentials: { username: "admin", password: "wrong-password" } });
    for (const [of, words] of [
      [away, "cannot be reached"],
      [wrong, "The user name or the password is wrong"],
    ] as const) {
      const { failures } = await application.check(of, {}, { name: "Any" });
      const [{ reason } = { reason: "" }] = failures;
      expect(reason).toContain(words);
      expect(reason).not.toContain("wrong-password");
    }
  });
});
