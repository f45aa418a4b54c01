/**
 * The requests of two strict Java clients, as they were recorded, and what each accepts of the answers: Captain
 * Goldfish's SCIM SDK 1.30 (it names the media type in `Content-Type` alone, also of a GET, and writes operators in
 * capital letters) and UnboundID's SCIM 2 SDK 5.0, which refuses a member that it does not know. Version 4.1 also
 * refuses `pagination` (RFC 9865), and works where it does not read the configuration.
 */
import { describe, expect, test } from "vitest";
import { RFC7644, type Shown, URN } from "#tests/support/scim.ts";
import { type Answer, world } from "#tests/support/world.ts";

const worlds = { negotiate: world(), rfc7644: world({ deployment: RFC7644 }) } as const;
const SCIM = "application/scim+json";
const clients = {
  goldfish: { "content-type": SCIM },
  unboundid: { accept: "application/scim+json,application/json", "content-type": SCIM },
} as const;
type Client = keyof typeof clients;

/** The members that the clients know of the configuration (RFC 7643 section 5, RFC 9865 section 4). */
const CONFIG = [
  ...["schemas", "id", "meta", "documentationUri", "patch", "bulk", "filter", "changePassword", "sort", "etag"],
  ...["pagination", "authenticationSchemes"],
];
const USER = [
  ...["schemas", "id", "externalId", "meta", "userName", "name", "displayName", "nickName", "profileUrl", "title"],
  ...["userType", "preferredLanguage", "locale", "timezone", "active", "emails", "phoneNumbers", "ims", "photos"],
  ...["addresses", "groups", "entitlements", "roles", "x509Certificates"],
];
const ERROR = ["schemas", "status", "scimType", "detail"];

const onlyHas = (body: Shown, known: readonly string[]): void => {
  const unknown = Object.keys(body).filter((member) => !known.includes(member) && !member.startsWith("urn:"));
  expect(unknown).toEqual([]);
};
/** A resource: Goldfish's client compares the media type and `Location` too. */
const accepts = ({ headers, body }: Answer, known: readonly string[]): void => {
  expect(headers.get("content-type")).toMatch(/^application\/scim\+json;charset=utf-8$/i);
  expect(Array.isArray(body.schemas)).toBe(true);
  onlyHas(body, known);
  if (!known.includes("userName")) return;
  expect(body.meta).toMatchObject({
    resourceType: "User",
    location: expect.stringMatching(`/scim2/Users/${body.id}$`),
  });
  for (const time of [body.meta.created, body.meta.lastModified]) expect(Number.isNaN(Date.parse(time))).toBe(false);
};
const acceptsError = (answer: Answer, status: number, scimType?: string): void => {
  expect(answer.status).toBe(status);
  accepts(answer, ERROR);
  expect([answer.body.status, answer.body.scimType]).toEqual([String(status), scimType]);
  expect(answer.body.schemas).toEqual([URN.error]);
};

describe.each(Object.keys(worlds) as (keyof typeof worlds)[])("with the profile %s", (profile) => {
  describe.each(Object.keys(clients) as Client[])("%s", (client) => {
    const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
      worlds[profile].ask(method, `/scim2${path}`, { headers: clients[client], ...(body !== undefined && { body }) });
    const userName = `${client}-user`;
    const filter = client === "goldfish" ? `userName EQ "${userName}"` : `userName eq "${userName}"`;
    const user = {
      schemas: [URN.user],
      userName,
      name: { familyName: "F", givenName: "G" },
      active: true,
      emails: [{ type: "work", primary: true, value: "g@x.org" }],
    };
    let made: Shown = {};

    test("reads the configuration, the types and the schemas", async () => {
      const config = await send("GET", "/ServiceProviderConfig");
      accepts(config, CONFIG);
      expect(config.body.bulk).toMatchObject({ supported: true, maxOperations: 1_000 });
      for (const path of ["/ResourceTypes", "/Schemas"]) {
        const { status, body } = await send("GET", path);
        expect([status, body.totalResults]).toEqual([200, body.Resources.length]);
      }
    });

    test("creates a user without a password, and not twice", async () => {
      const created = await send("POST", "/Users", user);
      expect(created.status).toBe(201);
      accepts(created, USER);
      expect(created.headers.get("location")).toBe(created.body.meta.location);
      made = created.body;
      acceptsError(await send("POST", "/Users", user), 409, "uniqueness");
    });

    test("reads, replaces and changes it", async () => {
      accepts(await send("GET", `/Users/${made.id}`), USER);
      acceptsError(await send("GET", "/Users/none"), 404);
      const replaced = await send("PUT", `/Users/${made.id}`, { ...made, nickName: "nick" });
      accepts(replaced, USER);
      const Operations = [
        { path: "title", op: "replace", value: "boss" },
        { path: "emails", op: "add", value: [{ value: "b@x.org", type: "home" }] },
      ];
      const patched = await send("PATCH", `/Users/${made.id}`, { schemas: [URN.patch], Operations });
      accepts(patched, USER);
      expect([patched.body.title, patched.body.nickName, patched.body.emails.length]).toEqual(["boss", "nick", 2]);
    });

    test("lists and searches", async () => {
      const query = new URLSearchParams({ filter, count: "10" });
      const search = { schemas: [URN.search], filter, count: client === "goldfish" ? "10" : 10 };
      for (const answer of [await send("GET", `/Users?${query}`), await send("POST", "/Users/.search", search)]) {
        expect([answer.status, answer.body.totalResults, answer.body.itemsPerPage]).toEqual([200, 1, 1]);
        onlyHas(answer.body, ["schemas", "totalResults", "startIndex", "itemsPerPage", "Resources"]);
        onlyHas(answer.body.Resources[0], USER);
      }
      acceptsError(await send("GET", `/Users?filter=${encodeURIComponent('nothing EQ "x"')}`), 400, "invalidFilter");
    });

    test("creates a group and a user in bulk, and deletes", async () => {
      const members = [{ value: made.id }];
      const group = await send("POST", "/Groups", { schemas: [URN.group], displayName: `${client} group`, members });
      expect([group.status, group.body.members.length]).toEqual([201, 1]);
      const data = { schemas: [URN.user], userName: `${client}-bulk` };
      const Operations = [{ method: "POST", bulkId: "1", path: "/Users", data }];
      const bulk = await send("POST", "/Bulk", { schemas: [URN.bulk], Operations });
      expect([bulk.status, bulk.body.Operations[0].status]).toEqual([200, "201"]);
      for (const path of [`/Groups/${group.body.id}`, `/Users/${made.id}`]) {
        expect((await send("DELETE", path)).status).toBe(204);
      }
      acceptsError(await send("DELETE", `/Users/${made.id}`), 404);
    });

    test("reads its own account", async () => accepts(await send("GET", "/Me"), USER));
  });
});
