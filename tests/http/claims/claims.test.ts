import { describe, expect, test } from "vitest";
import { world } from "#tests/support/world.ts";

const api = world();
const DIALECTS = "/api/server/v1/claim-dialects";
const id = (uri: string) => Buffer.from(uri).toString("base64url");
const OIDC = id("http://wso2.org/oidc/claim");
const read = async (path: string) => {
  const { status, body } = await api.ask("GET", path);
  expect(status).toBe(200);
  return body;
};
const refusal = async (path: string) => {
  const { status, body } = await api.ask("GET", path);
  return `${status} ${body.code}`;
};

describe("listClaimDialects", () => {
  test("lists the local dialect and those that are mapped to it, each with the path of its claims", async () => {
    const all = await read(DIALECTS);
    expect(all.map(({ dialectURI }: { dialectURI: string }) => dialectURI)).toEqual([
      "http://wso2.org/claims",
      "http://wso2.org/oidc/claim",
      "urn:scim:schemas:core:1.0",
      "urn:ietf:params:scim:schemas:core:2.0",
      "urn:ietf:params:scim:schemas:core:2.0:User",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
      "urn:scim:wso2:schema",
    ]);
    for (const { id: dialect, link } of all) {
      expect(link).toEqual({ href: `/t/carbon.super${DIALECTS}/${dialect}/claims`, rel: "claims" });
      expect((await read(link.href)).length).toBeGreaterThan(6);
    }
  });
  test("is 501 for what Identity Server has not built either", async () => {
    expect(
      await Promise.all(["limit=1", "offset=1", "filter=a+eq+b", "sort=a"].map((q) => refusal(`${DIALECTS}?${q}`))),
    ).toEqual(["501 CMT-50022", "501 CMT-50022", "501 CMT-50023", "501 CMT-50024"]);
    for (const dialect of ["local", OIDC]) {
      expect(await refusal(`${DIALECTS}/${dialect}/claims?limit=1`)).toBe("501 CMT-50022");
      expect(await refusal(`${DIALECTS}/${dialect}/claims?attributes=a`)).toBe("501 CMT-50025");
    }
  });
});

describe("getClaimDialect", () => {
  test("reads the local dialect and others by their ids", async () => {
    expect((await read(`${DIALECTS}/local`)).dialectURI).toBe("http://wso2.org/claims");
    expect(await read(`${DIALECTS}/${OIDC}`)).toMatchObject({ id: OIDC, dialectURI: "http://wso2.org/oidc/claim" });
  });
  test.each(["unknown", id("http://wso2.org/claims"), id("http://wso2.org/unknown")])("is 404 for %s", async (each) => {
    expect(await refusal(`${DIALECTS}/${each}`)).toBe("404 CMT-50016");
  });
});

describe("listLocalClaims", () => {
  test("has each claim once, with its attribute in PRIMARY", async () => {
    const all = await read(`${DIALECTS}/local/claims`);
    const uris = all.map(({ claimURI }: { claimURI: string }) => claimURI);
    expect(new Set(uris).size).toBe(uris.length);
    // What the metadata of applications names.
    expect(uris).toEqual(
      expect.arrayContaining(
        ["userid", "role", "username", "emailaddress"].map((name) => `http://wso2.org/claims/${name}`),
      ),
    );
    expect(all[0]).toEqual({
      id: id("http://wso2.org/claims/givenname"),
      claimURI: "http://wso2.org/claims/givenname",
      dialectURI: "http://wso2.org/claims",
      displayName: "First Name",
      description: "First Name",
      displayOrder: 0,
      readOnly: false,
      required: true,
      supportedByDefault: true,
      multiValued: false,
      dataType: "string",
      uniquenessScope: "NONE",
      subAttributes: [],
      canonicalValues: [],
      attributeMapping: [{ mappedAttribute: "givenName", userstore: "PRIMARY" }],
      properties: [],
    });
  });
  test("leaves out claims about accounts, and what a profile does not show", async () => {
    const count = async (query: string) => (await read(`${DIALECTS}/local/claims?${query}`)).length;
    const all = await count("");
    const without = await read(`${DIALECTS}/local/claims?exclude-identity-claims=true`);
    expect(without.filter(({ claimURI }: { claimURI: string }) => claimURI.includes("/identity/"))).toEqual([]);
    expect(without.length).toBeLessThan(all - 20);
    expect(await count("exclude-identity-claims=false&exclude-hidden-claims=true")).toBe(all);
    const shown = await read(`${DIALECTS}/local/claims?profile=console`);
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.every(({ supportedByDefault }: { supportedByDefault: boolean }) => supportedByDefault)).toBe(true);
    expect((await api.ask("GET", `${DIALECTS}/local/claims?exclude-hidden-claims=1`)).status).toBe(400);
  });
});

describe("getLocalClaim", () => {
  test("reads one claim; 404 for others", async () => {
    const mail = id("http://wso2.org/claims/emailaddress");
    expect((await read(`${DIALECTS}/local/claims/${mail}`)).attributeMapping).toEqual([
      { mappedAttribute: "mail", userstore: "PRIMARY" },
    ]);
    expect(await refusal(`${DIALECTS}/local/claims/${id("email")}`)).toBe("404 CMT-50019");
  });
});

describe("listExternalClaims", () => {
  test("maps every claim of every dialect to a local claim that exists", async () => {
    const all = await read(`${DIALECTS}/local/claims`);
    const local = new Set(all.map(({ claimURI }: { claimURI: string }) => claimURI));
    for (const { id: dialect, dialectURI } of (await read(DIALECTS)).slice(1)) {
      const claims = await read(`${DIALECTS}/${dialect}/claims`);
      for (const { claimDialectURI, mappedLocalClaimURI } of claims) {
        expect(claimDialectURI).toBe(dialectURI);
        expect(local).toContain(mappedLocalClaimURI);
      }
    }
  });
  test("has the claims of the default scopes of OpenID Connect", async () => {
    const claims = await read(`${DIALECTS}/${OIDC}/claims`);
    const names = claims.map(({ claimURI }: { claimURI: string }) => claimURI);
    const scopes = await read("/api/server/v1/oidc/scopes");
    expect(names).toEqual(expect.arrayContaining(scopes.flatMap(({ claims: each }: { claims: string[] }) => each)));
  });
  test("is 404 for an unknown dialect", async () => {
    expect(await refusal(`${DIALECTS}/${id("urn:x")}/claims`)).toBe("404 CMT-50016");
  });
});

describe("getExternalClaim", () => {
  test("reads one claim; 404 for others", async () => {
    expect(await read(`${DIALECTS}/${OIDC}/claims/${id("email")}`)).toEqual({
      id: id("email"),
      claimURI: "email",
      claimDialectURI: "http://wso2.org/oidc/claim",
      mappedLocalClaimURI: "http://wso2.org/claims/emailaddress",
      properties: [],
    });
    expect(await refusal(`${DIALECTS}/${OIDC}/claims/${id("unknown")}`)).toBe("404 CMT-50018");
    expect(await refusal(`${DIALECTS}/${id("urn:x")}/claims/${id("email")}`)).toBe("404 CMT-50016");
  });
});
