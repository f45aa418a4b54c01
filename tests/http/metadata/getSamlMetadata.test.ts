import { expect, test } from "vitest";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { tableOf } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const path = `${APPLICATIONS}/meta/inbound-protocols/saml`;

test("returns every required member, each default among its options", async () => {
  const { status, body } = await api.ask("GET", path);
  expect(status).toBe(200);
  const { defaultNameIdFormat, ...options } = body;
  expect(defaultNameIdFormat).toBe("urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified");
  expect(Object.keys(options)).toEqual([
    "certificateAlias",
    "responseSigningAlgorithm",
    "responseDigestAlgorithm",
    "assertionEncryptionAlgorithm",
    "keyEncryptionAlgorithm",
  ]);
  for (const [name, { options: values, defaultValue }] of Object.entries<{ options: string[]; defaultValue: string }>(
    options,
  )) {
    expect(values, name).toContain(defaultValue);
    expect(new Set(values).size, name).toBe(values.length);
  }
  expect(body.certificateAlias).toEqual({ options: ["wso2carbon"], defaultValue: "wso2carbon" });
  expect(body.responseSigningAlgorithm.defaultValue).toBe("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
  expect(body.responseSigningAlgorithm.options).toHaveLength(3);
  // What signs and encrypts no more is no option: SHA-1, MD5, DSA, Triple DES and RSA with PKCS#1 v1.5.
  expect(JSON.stringify(body)).not.toMatch(/sha1|md5|ripemd|dsa-|tripledes|rsa-1_5/);
});

test("a tenant has the alias of its certificate", async () => {
  const administrator = { username: "boss", password: "a long enough password" };
  await bootstrapTenant(tableOf(api.service), "taxi.example", administrator);
  const as = { username: "boss@taxi.example", password: administrator.password };
  expect((await api.ask("GET", path, { as })).body.certificateAlias).toEqual({
    options: ["taxi.example"],
    defaultValue: "taxi.example",
  });
  expect((await api.ask("GET", `${APPLICATIONS}/meta/inbound-protocols/ws-trust`, { as })).body).toEqual({
    certificateAlias: { options: ["taxi.example"] },
  });
});
