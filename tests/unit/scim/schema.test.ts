/** The schemas, written a second time as tables. */
import { describe, expect, test } from "vitest";
import { type Attribute, commonAttributes } from "#core/scim/protocol/schema/attribute.ts";
import { resolveName } from "#core/scim/protocol/schema/paths.ts";
import { groupType, schemasOfTypes, userType, userTypeFor } from "#core/scim/protocol/schema/resource-types.ts";

const letters = {
  type: { s: "string", b: "boolean", i: "integer", d: "dateTime", r: "reference", x: "binary", c: "complex" },
  mutability: { RW: "readWrite", RO: "readOnly", IM: "immutable", WO: "writeOnly" },
  returned: { A: "always", D: "default", Q: "request", N: "never" },
} as const;

const letterOf = (table: Readonly<Record<string, string>>, word: string): string =>
  Object.entries(table).find(([, value]) => value === word)?.[0] ?? "?";

/**
 * `name type mutability returned`, then marks: `*` multi-valued, `!` required, `=` case-exact, `1` unique in the
 * service.
 */
const line = (path: string, attribute: Attribute): string =>
  [
    path,
    letterOf(letters.type, attribute.type),
    letterOf(letters.mutability, attribute.mutability),
    letterOf(letters.returned, attribute.returned),
    [
      attribute.multiValued && "*",
      attribute.required && "!",
      attribute.caseExact && "=",
      attribute.uniqueness === "server" && "1",
    ]
      .filter(Boolean)
      .join(""),
  ]
    .join(" ")
    .trim();

const linesOf = (attributes: readonly Attribute[], prefix = ""): string[] =>
  attributes.flatMap((attribute) => [
    line(prefix + attribute.name, attribute),
    ...linesOf(attribute.subAttributes ?? [], `${prefix + attribute.name}.`),
  ]);

const sorted = (text: string): string[] =>
  text
    .trim()
    .split("\n")
    .map((each) => each.trim())
    .sort();

const elements = (name: string, value = `${name}.value s RW D`): string => `
  ${name} c RW D *
  ${value}
  ${name}.display s RW D
  ${name}.type s RW D
  ${name}.primary b RW D`;

const several = (names: string, characteristics: string): string =>
  names
    .split(" ")
    .map((name) => `${name} ${characteristics}`)
    .join("\n");

const allSchemas = schemasOfTypes([userType, groupType]);
const schemaOf = (id: string): readonly Attribute[] => allSchemas.find((schema) => schema.id === id)?.attributes ?? [];

describe("the attributes of", () => {
  test("common attributes", () => {
    expect(linesOf(commonAttributes).sort()).toEqual(
      sorted(`
        schemas r RO A *=
        id s RO A =1
        externalId s RW D =
        meta c RO D
        meta.resourceType s RO D =
        meta.created d RO D
        meta.lastModified d RO D
        meta.location r RO D =
        meta.version s RO D =`),
    );
  });

  test("users", () => {
    expect(linesOf(userType.schema.attributes).sort()).toEqual(
      sorted(`
        userName s RW D !1
        name c RW D
        ${several("name.formatted name.familyName name.givenName name.middleName", "s RW D")}
        ${several("name.honorificPrefix name.honorificSuffix", "s RW D")}
        ${several("displayName nickName title userType preferredLanguage locale timezone", "s RW D")}
        profileUrl r RW D =
        active b RW D
        password s WO N !
        ${elements("emails").trim()}
        ${elements("phoneNumbers").trim()}
        ${elements("ims").trim()}
        ${elements("photos", "photos.value r RW D =").trim()}
        addresses c RW D *
        ${several("addresses.formatted addresses.streetAddress addresses.locality addresses.region", "s RW D")}
        ${several("addresses.postalCode addresses.country addresses.type", "s RW D")}
        addresses.primary b RW D
        groups c RO D *
        groups.value s RO D =
        groups.$ref r RO D =
        ${several("groups.display groups.type", "s RO D")}
        ${elements("entitlements").trim()}
        ${elements("roles").trim()}
        roles.$ref r RO D =
        ${several("roles.audienceValue roles.audienceDisplay roles.audienceType", "s RO D")}
        ${elements("x509Certificates", "x509Certificates.value x RW D =").trim()}`),
    );
  });

  test("groups", () => {
    expect(linesOf(groupType.schema.attributes).sort()).toEqual(
      sorted(`
        displayName s RW D !1
        members c RW D *
        members.value s IM D !=
        members.$ref r IM D =
        members.display s RO D
        members.type s IM D
        roles c RO D *
        roles.value s RO D =
        roles.$ref r RO D =
        roles.display s RO D`),
    );
  });

  test("the enterprise extension", () => {
    expect(linesOf(schemaOf("urn:ietf:params:scim:schemas:extension:enterprise:2.0:User")).sort()).toEqual(
      sorted(`
        ${several("employeeNumber costCenter organization division department", "s RW D")}
        manager c RW D
        manager.value s RW D
        manager.$ref r RW D =
        manager.displayName s RO D`),
    );
  });

  test("the system extension", () => {
    expect(linesOf(schemaOf("urn:scim:wso2:schema")).sort()).toEqual(
      sorted(`
        ${several("askPassword verifyEmail verifyMobile tenantAdminAskPassword forcePasswordReset", "b RW D")}
        ${several("accountLocked accountDisabled emailVerified phoneVerified emailOTPDisabled smsOTPDisabled", "b RW D")}
        isLiteUser b RW D
        isReadOnlyUser b RO Q
        ${several("accountState lockedReason lastLoginTime lastLogonTime lastPasswordUpdateTime managedOrg", "s RO D")}
        sharedType s RO D
        ${several("oneTimePassword passwordExpiryTime", "s RO Q")}
        ${several("preferredChannel unlockTime dateOfBirth pendingMobileNumber country userSourceId", "s RW D")}
        ${several("enabledAuthenticators preferredMFAOption totpEnabled backupCodeEnabled", "s RW D")}
        ${several("failedLoginAttempts failedLoginAttemptsBeforeSuccess failedLoginLockoutCount", "i RW D")}
        ${several("failedPasswordRecoveryAttempts failedEmailOTPAttempts failedSMSOTPAttempts", "i RW D")}
        ${several("failedTOTPAttempts failedBackupCodeAttempts", "i RW D")}
        failedPushAuthAttempts i RO D
        ${several("emailAddresses verifiedEmailAddresses mobileNumbers verifiedMobileNumbers", "s RW D *")}
        pendingEmails c RW D *
        pendingEmails.value s RW D
        pendingEmails.type s RW D`),
    );
  });
});

describe("every schema", () => {
  const attributes = allSchemas.flatMap((schema) => {
    const all = (list: readonly Attribute[], path: string): { path: string; attribute: Attribute }[] =>
      list.flatMap((attribute) => [
        { path: `${path}:${attribute.name}`, attribute },
        ...all(attribute.subAttributes ?? [], `${path}:${attribute.name}`),
      ]);
    return all(schema.attributes, schema.id);
  });

  test("has each name once, in any case", () => {
    const paths = attributes.map(({ path }) => path.toLowerCase());
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
  });
  test("describes every attribute", () => {
    expect(attributes.filter(({ attribute }) => attribute.description.trim() === "")).toEqual([]);
  });
  test("has sub-attributes for complex attributes only, and reference types for references only", () => {
    const odd = attributes.filter(
      ({ attribute }) =>
        (attribute.type === "complex") !== (attribute.subAttributes !== undefined) ||
        (attribute.type === "reference") !== (attribute.referenceTypes !== undefined),
    );
    expect(odd).toEqual([]);
  });
  test("has a name, a description and a URN of its own", () => {
    expect(new Set(allSchemas.map(({ id }) => id.toLowerCase())).size).toBe(8);
    for (const schema of allSchemas) {
      expect(schema.id).toMatch(/^urn:[a-z0-9][a-z0-9:.-]+$/i);
      expect(schema.name).toMatch(/^[A-Za-z]+$/);
      expect(schema.description).not.toBe("");
    }
  });
});

test.each([
  ["emails", "work home other"],
  ["phoneNumbers", "work home mobile fax pager other"],
  ["ims", "aim gtalk icq xmpp msn skype qq yahoo"],
  ["photos", "photo thumbnail"],
  ["addresses", "work home other"],
  ["groups", "direct indirect"],
])("%s suggests its types: %s", (name, types) => {
  const found = resolveName(userType, `${name}.type`);
  expect(found?.attribute && found.sub?.canonicalValues).toEqual(types.split(" "));
});

test("requires a password and has further parts of roles in the profile wso2, and differs in nothing else", () => {
  const [withOne, without] = [userTypeFor("wso2"), userTypeFor("rfc7644")];
  const passwordOf = (type = withOne) => type?.schema.attributes.find(({ name }) => name === "password");
  expect(passwordOf(withOne)?.required).toBe(true);
  expect(passwordOf(without)?.required).toBe(false);
  const partsOf = (type = withOne) =>
    type.schema.attributes.find(({ name }) => name === "roles")?.subAttributes?.map(({ name }) => name);
  expect(partsOf(without)).toEqual(["value", "display", "type", "primary"]);
  expect(partsOf(withOne)).toEqual([
    ...(partsOf(without) ?? []),
    ...["$ref", "audienceValue", "audienceDisplay", "audienceType"],
  ]);
  const others = (type = withOne) =>
    type.schema.attributes.filter(({ name }) => name !== "password" && name !== "roles");
  expect(others(without)).toEqual(others(withOne));
});

test("lets users change their profile, but nothing that affects their privileges", () => {
  const own = [userType.schema, ...userType.extensions]
    .flatMap(({ attributes }) => attributes)
    .filter(({ selfService }) => selfService)
    .map(({ name }) => name);
  expect(own.sort()).toEqual(
    [
      "addresses",
      "country",
      "dateOfBirth",
      "displayName",
      "emailAddresses",
      "emails",
      "ims",
      "locale",
      "mobileNumbers",
      "name",
      "nickName",
      "password",
      "phoneNumbers",
      "photos",
      "preferredChannel",
      "preferredLanguage",
      "profileUrl",
      "timezone",
      "title",
    ].sort(),
  );
});

describe("names", () => {
  const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
  const pathOf = (name: string): string | undefined => {
    const found = resolveName(userType, name);
    if (!found) return undefined;
    const { extension, attribute } = found;
    const sub = attribute && found.sub ? `.${found.sub.name}` : "";
    return [extension?.id, attribute && attribute.name + sub].filter(Boolean).join(" ");
  };
  test.each([
    ["username", "userName"],
    ["USERNAME", "userName"],
    ["Name.GIVENNAME", "name.givenName"],
    ["emails.$ref", undefined],
    ["meta.lastmodified", "meta.lastModified"],
    ["urn:ietf:params:scim:schemas:core:2.0:User:userName", "userName"],
    ["URN:IETF:PARAMS:SCIM:SCHEMAS:CORE:2.0:USER:NAME.FAMILYNAME", "name.familyName"],
    [`${enterprise}:manager.value`, `${enterprise} manager.value`],
    [`${enterprise}.manager`, `${enterprise} manager`],
    [enterprise.toUpperCase(), enterprise],
    ["manager", `${enterprise} manager`],
    ["department", `${enterprise} department`],
    ["accountLocked", "urn:scim:wso2:schema accountLocked"],
    [`${enterprise}:accountLocked`, "urn:scim:wso2:schema accountLocked"],
    [`${enterprise}:pendingEmails.value`, "urn:scim:wso2:schema pendingEmails.value"],
    ["urn:scim:wso2:schema:department", undefined],
    ["name.givenName.more", undefined],
    ["__proto__", undefined],
    ["constructor", undefined],
    ["name.constructor", undefined],
    ["", undefined],
    [".", undefined],
    [`${enterprise}:`, undefined],
  ])("%s is %s", (name, path) => expect(pathOf(name)).toBe(path));
});
