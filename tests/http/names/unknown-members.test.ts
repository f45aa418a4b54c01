/** Unknown members and parameters at every operation that changes data (decision 0076). */

import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { services } from "#core/kernel/operation/services.ts";
import { operations } from "#core/service/catalogue.ts";
import { readableLog } from "#local/log.ts";
import { URN } from "#tests/support/scim.ts";
import { ADMIN, APPLICATIONS, world } from "#tests/support/world.ts";

const { ask, create } = world();

const STRICT = { prefer: "handling=strict" };
const UNKNOWN = "zzUnknownMember";

const writes = Object.entries(operations)
  .filter(([, { method }]) => method !== "GET")
  .map(([id, declared]) => {
    const { body, media = "json", method, path } = declared;
    const place = path.replace(/\{\w+\}/g, "x");
    const takesList = body?.safeParse([]).success ?? false;
    const member = body === undefined || media !== "json" ? undefined : `${takesList ? "[0]." : ""}${UNKNOWN}`;
    return { id, method, path: `${place}?${UNKNOWN}=1`, member, declared };
  });
const isOAuth = ({ declared }: (typeof writes)[number]) => services[declared.service].dialect === "oauth2";
/** Callers of AuthZEN send members that decide nothing here (AuthZEN 1.0 section 5). */
const isAuthZen = ({ path }: (typeof writes)[number]) => path.startsWith("/access/v1/");
/** Browsers send the forms of pages, and read no header of the answer. */
const isForm = ({ declared }: (typeof writes)[number]) => declared.media === "form";
const textOf = ({ description, detail, Errors }: Record<string, string> & { Errors?: [{ description: string }] }) =>
  description ?? detail ?? Errors?.[0].description ?? "";

const strict = writes.filter((each) => !isOAuth(each) && !isAuthZen(each) && !isForm(each));

describe.each(strict)("$id", ({ method, path, member, declared }) => {
  const isUpload = declared.media === "multipart";
  const boundary = { "content-type": "multipart/form-data; boundary=b" };
  const sent = (headers: Record<string, string>) => ({
    headers: { ...headers, ...(isUpload && boundary) },
    ...(member !== undefined && { body: member === UNKNOWN ? { [UNKNOWN]: 1 } : [{ [UNKNOWN]: 1 }] }),
    ...(isUpload && {
      raw: '--b\r\ncontent-disposition: form-data; name="file"; filename="a.xml"\r\n\r\n<x/>\r\n--b--\r\n',
    }),
  });

  test("refuses unknown members and parameters where the caller asks for it", async () => {
    const { status, headers, body } = await ask(method, path, sent(STRICT));
    expect(status).toBe(400);
    expect(headers.get("preference-applied")).toBe("handling=strict");
    expect(headers.get("ignored-members")).toBeNull();
    expect(textOf(body)).toContain(`query.${UNKNOWN} is unknown`);
    if (member !== undefined) expect(textOf(body)).toMatch(new RegExp(`body(?:\\[0\\])?\\.${UNKNOWN} is unknown`));
  });
  test("lists them otherwise, also where the request fails", async () => {
    const { headers } = await ask(method, path, sent({}));
    expect(headers.get("ignored-members")).toBe([`?${UNKNOWN}`, member].filter(Boolean).join(", "));
    expect(headers.get("preference-applied")).toBeNull();
  });
});

describe.each(writes.filter(({ declared }) => declared.patches))(
  "$id, in an operation without a path",
  ({ method, path }) => {
    const value = {
      [UNKNOWN]: 1,
      DISPLAYNAME: "x",
      "name.familyName": "x",
      [`${UNKNOWN}2.x`]: 1,
      [`${UNKNOWN}3[a eq 1]`]: 1,
    };
    const body = {
      Operations: [
        { op: "add", path: "displayName", value: "x" },
        { op: "replace", value },
      ],
    };
    const to = path.split("?")[0] ?? "";
    const known = to.includes("Role") || to.includes("Group") ? ["Operations[1].value.name"] : [];
    test("refuses attributes that the resource does not have", async () => {
      const { status, body: told } = await ask(method, to, { body, headers: STRICT });
      expect(status).toBe(400);
      for (const name of [UNKNOWN, `${UNKNOWN}2`, `${UNKNOWN}3`]) {
        expect(textOf(told)).toContain(`body.Operations[1].value.${name} is unknown`);
      }
      expect(textOf(told)).not.toContain("DISPLAYNAME");
    });
    test("lists them otherwise", async () => {
      const { headers } = await ask(method, to, { body });
      expect(headers.get("ignored-members")?.split(", ").sort()).toEqual(
        [...known, ...["", "2", "3"].map((end) => `Operations[1].value.${UNKNOWN}${end}`)].sort(),
      );
    });
  },
);

test("the endpoints of OAuth ignore unknown parameters without a word (RFC 6749 section 3.2)", async () => {
  const ofOAuth = writes.filter(isOAuth);
  expect(ofOAuth.length).toBeGreaterThan(0);
  for (const { method, path } of ofOAuth) {
    const { headers } = await ask(method, path, {
      headers: { ...STRICT, "content-type": "application/x-www-form-urlencoded" },
      raw: `${UNKNOWN}=1`,
    });
    expect([headers.get("ignored-members"), headers.get("preference-applied")]).toEqual([null, null]);
  }
});

describe("a misspelt member", () => {
  const body = { name: "Misspelt", inboundProtocolConfig: { oidc: { grantTypes: ["password"] } } };
  test("is refused with what it was probably meant for, and nothing is created", async () => {
    const answer = await ask("POST", APPLICATIONS, { body, headers: STRICT });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: "UE-10000",
      description:
        "body.inboundProtocolConfig is unknown: did you mean inboundProtocolConfiguration? " +
        "Correct or remove it, or send Prefer: handling=lenient, which ignores it.",
    });
    const { body: listed } = await ask("GET", `${APPLICATIONS}?filter=name+eq+Misspelt`);
    expect(listed.totalResults).toBe(0);
  });
  test("is listed in the response and in the local log line where it is ignored", async () => {
    const id = await create({ name: "Misspelt before" });
    const { status, headers } = await ask("PATCH", `${APPLICATIONS}/${id}`, {
      body: { descripton: "x", claimConfiguration: { dialekt: "LOCAL", claimMappings: [] } },
    });
    expect([status, headers.get("ignored-members")]).toEqual([200, "descripton, claimConfiguration.dialekt"]);
    const lines: string[] = [];
    const to = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const record = { _aws: {}, service: "applications", method: "PATCH", operation: "patchApplication", status: "200" };
    readableLog(to, false).stream.write(`${JSON.stringify({ ...record, ignored: headers.get("ignored-members") })}\n`);
    expect(lines.join("")).toMatch(
      /^200 {2}PATCH {2}patchApplication .* ignored descripton, claimConfiguration\.dialekt\n$/,
    );
  });
  test("in a protocol of a new application or of a template is noticed, though its settings are checked later", async () => {
    const protocols = {
      inboundProtocolConfiguration: { oidc: { grantTypes: ["password"], pkce: { mandatry: true } } },
    };
    const path = "inboundProtocolConfiguration.oidc.pkce.mandatry";
    const made = await ask("POST", APPLICATIONS, { body: { name: "Checked later", ...protocols } });
    expect([made.status, made.headers.get("ignored-members")]).toEqual([201, path]);
    const template = { name: "Checked later", application: { name: "any", ...protocols } };
    const added = await ask("POST", `${APPLICATIONS}/templates`, { body: template });
    expect([added.status, added.headers.get("ignored-members")]).toEqual([201, `application.${path}`]);
  });
});

describe("is no unknown member:", () => {
  test("a member that is null, and an empty list of additionalSpProperties", async () => {
    const { status, headers } = await ask("POST", APPLICATIONS, {
      headers: STRICT,
      body: { name: "Nulls", later: null, advancedConfigurations: { additionalSpProperties: [], other: null } },
    });
    expect([status, headers.get("preference-applied"), headers.get("ignored-members")]).toEqual([
      201,
      "handling=strict",
      null,
    ]);
  });
  test("what a read of a client shows, except its state and whether it has several secrets", async () => {
    const id = await create({ name: "Echoed", inboundProtocolConfiguration: { oidc: { grantTypes: ["password"] } } });
    const { body: client } = await ask("GET", `${APPLICATIONS}/${id}/inbound-protocols/oidc`);
    const { state: _, multipleClientSecretsConfigured: __, ...settings } = client;
    const put = await ask("PUT", `${APPLICATIONS}/${id}/inbound-protocols/oidc`, { body: settings, headers: STRICT });
    expect([put.status, put.text]).toEqual([200, ""]);
  });
  test.each(["PATCH", "PUT"])("the mark of an element that a %s of SCIM 1.1 removes", async (method) => {
    const emails = ["kept@example.org", "gone@example.org"].map((value) => ({ value }));
    const name = `strict-marks-${method.toLowerCase()}`;
    const user = { userName: name, password: "Correct-Horse-9", emails, phoneNumbers: [{ value: "1" }] };
    const { id } = (await ask("POST", "/svc/scim/Users", { body: user })).body;
    const body = {
      ...(method === "PUT" && { userName: name }),
      emails: [emails[0], { ...emails[1], operation: "delete" }],
      phoneNumbers: [{ value: "1", OPERATION: "Delete" }],
      wso2Extension: { manager: { value: "boss" } },
    };
    const changed = await ask(method, `/svc/scim/Users/${id}`, { body, headers: STRICT });
    expect([changed.status, changed.headers.get("ignored-members")], changed.text).toEqual([200, null]);
    expect(changed.body).toMatchObject({ emails: [emails[0]], wso2Extension: { manager: { managerId: "boss" } } });
    expect(changed.body).not.toHaveProperty("phoneNumbers");
    const displayName = `strict marks ${method}`;
    const group = await ask("POST", "/svc/scim/Groups", { body: { displayName, members: [{ value: id }] } });
    const unmarked = await ask(method, `/svc/scim/Groups/${group.body.id}`, {
      body: { displayName, members: [{ value: id, operation: "delete" }] },
      headers: STRICT,
    });
    expect([unmarked.status, unmarked.body.members], unmarked.text).toEqual([200, []]);
  });
  test("a mark of SCIM 1.1 anywhere else is", async () => {
    const { headers } = await ask("PATCH", "/svc/scim/Users/x", {
      body: { groups: [{ value: "x", operation: "delete" }], name: { operation: "delete" } },
    });
    expect(headers.get("ignored-members")).toBe("groups[0].operation, name.operation");
  });
  test("an attribute of WSO2's schema under the URN of the enterprise extension", async () => {
    const user = { userName: "strict-both", password: "Correct-Horse-9" };
    const sent = { ...user, [URN.enterprise]: { accountLocked: false, Country: "CH", manager: { value: "boss" } } };
    const made = await ask("POST", "/scim2/Users", { body: sent, headers: STRICT });
    expect(made.status, made.text).toBe(201);
    const path = `/scim2/Users/${made.body.id}`;
    const put = await ask("PUT", path, { body: sent, headers: STRICT });
    expect([put.status, put.headers.get("ignored-members")], put.text).toEqual([200, null]);
    expect(put.body).toMatchObject({ [URN.system]: { accountLocked: false, country: "CH" } });
    const wrong = await ask("PUT", path, { body: { ...user, [URN.enterprise]: { countri: "CH" } } });
    expect(wrong.headers.get("ignored-members")).toBe(`['${URN.enterprise}'].countri`);
  });
  test("an extension of SCIM, and a name of SCIM in another case", async () => {
    const user = { USERNAME: "strict-kim", Password: "Correct-Horse-9", "urn:acme:User": { badge: 1 } };
    const path = "/scim2/Users?ATTRIBUTES=userName";
    const { status, headers } = await ask("POST", path, { body: user, headers: STRICT });
    expect([status, headers.get("preference-applied")]).toEqual([201, "handling=strict"]);
  });
});

describe("a preference", () => {
  test.each(["handling=foo", "return=minimal", 'foo="a, handling=strict"', "handlings=strict"])(
    "%s does not apply",
    async (prefer) => {
      const { status, headers } = await ask("PATCH", `${APPLICATIONS}/x`, { body: { y: 1 }, headers: { prefer } });
      expect([status, headers.get("preference-applied"), headers.get("ignored-members")]).toEqual([404, null, "y"]);
    },
  );
  test.each(['return=minimal, Handling="STRICT"; x=1', "respond-async,handling = strict, handling=lenient"])(
    "%s means strict",
    async (prefer) => {
      const { status, headers } = await ask("PATCH", `${APPLICATIONS}/x`, { body: { y: 1 }, headers: { prefer } });
      expect([status, headers.get("preference-applied")]).toEqual([400, "handling=strict"]);
    },
  );
});

describe("[api] strict = true", () => {
  const strict = world({ deployment: "[api]\nstrict = true\n" });
  test("refuses by default, and ignores on request", async () => {
    const body = { name: "Strict server", descripton: "x" };
    const refused = await strict.ask("POST", APPLICATIONS, { body });
    expect([refused.status, refused.headers.get("preference-applied")]).toEqual([400, null]);
    expect(refused.body.description).toContain("body.descripton is unknown: did you mean description?");
    const made = await strict.ask("POST", APPLICATIONS, { body, headers: { prefer: "handling=lenient" } });
    expect([made.status, made.headers.get("preference-applied"), made.headers.get("ignored-members")]).toEqual([
      201,
      "handling=lenient",
      "descripton",
    ]);
  });
  test("holds for each function of the management API", async () => {
    for (const path of [`${APPLICATIONS}/x/inbound-protocols/oidc`, `${APPLICATIONS}/templates/x`]) {
      expect((await strict.ask("PUT", path, { body: { [UNKNOWN]: 1 } })).text).toContain(`body.${UNKNOWN} is unknown`);
    }
    const made = await strict.ask("POST", "/api/server/v1/api-resources", { body: { [UNKNOWN]: 1 } });
    expect(made.text).toContain(`body.${UNKNOWN} is unknown`);
  });
  test("leaves SCIM as it is: provisioning clients send attributes that a service does not know", async () => {
    const { status, headers } = await strict.ask("POST", "/scim2/Users", {
      body: { userName: "kim", password: "Correct-Horse-9", badge: 1 },
      as: ADMIN,
    });
    expect([status, headers.get("ignored-members")]).toEqual([201, "badge"]);
  });
});
