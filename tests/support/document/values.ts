/** Arbitrary values for the schemas of the document. */
import fc from "fast-check";
import { resolved, type Schema } from "./document.ts";

/**
 * Values that lead into the service instead of to its first check: `{{user}}` and the like are replaced by the id of a
 * resource that exists when the request is sent.
 */
const hints: Readonly<Record<string, readonly unknown[]>> = {
  applicationId: ["{{application}}", "{{application}}", "import", "resident", "templates", "meta"],
  inboundProtocolId: ["cas", "saml", "CAS", "wsfed"],
  templateId: ["{{template}}", "spa", "{{application}}"],
  apiResourceId: ["{{api}}", "{{systemApi}}"],
  apiId: ["{{api}}", "{{systemApi}}"],
  scopeName: ["drive", "park"],
  tenantId: ["{{tenant}}", "carbon.super"],
  domain: ["{{tenantDomain}}", "carbon.super", "PRIMARY", "rides.example"],
  tenant: ["carbon.super", "{{tenantDomain}}"],
  id: [
    "{{user}}",
    "{{group}}",
    "{{role}}",
    "{{api}}",
    ".search",
    "me",
    "User",
    "urn:ietf:params:scim:schemas:core:2.0:User",
  ],
  value: ["{{user}}", "{{group}}", "kim@rides.example", "internal_user_mgt_view"],
  filter: [
    'userName eq "kim"',
    'displayName sw "a"',
    "name sw a and clientId co b",
    'emails[type eq "work" and value co "@"]',
    "not (active eq true) or id pr",
    "userName Eq kim",
    "identifier eq /api",
    "domainName co a",
    "userName eq",
    "(((",
    "meta.created gt 2020-01-01T00:00:00Z",
  ],
  attributes: ["userName", "members", "emails.value,name", "advancedConfigurations", "nothing"],
  excludedAttributes: ["members", "emails", "meta", "id,schemas"],
  sortBy: ["userName", "displayName", "meta.created", "domainName", "nothing"],
  sortOrder: ["ascending", "descending", "ASC", "upwards"],
  cursor: ["", "bm90IGEgY3Vyc29y"],
  method: ["POST", "PUT", "PATCH", "DELETE"],
  path: [
    "/Users",
    "/Groups",
    "/Users/{{user}}",
    "userName",
    "members",
    'emails[type eq "work"].value',
    "name.familyName",
  ],
  op: ["add", "replace", "remove", "Replace"],
  bulkId: ["a", "b"],
  version: ['W/"1"'],
  grant_type: ["password", "client_credentials", "refresh_token"],
  grantTypes: [["client_credentials"], ["password", "refresh_token"]],
  client_id: ["{{client}}"],
  username: ["{{name}}"],
  userName: ["{{name}}", "PRIMARY/{{name}}"],
  password: ["a-long-enough-password"],
  token: ["{{token}}"],
  scopes: [["drive"], [{ name: "drive" }]],
  identifier: ["/rides"],
  name: ["{{name}}", "cas"],
  configName: ["cas"],
  key: ["serviceURL"],
  attribute: ["userName"],
  template: ["{{template}}", "spa"],
  callbackURLs: [["https://rides.example/callback"]],
  assertionConsumerUrls: [["https://rides.example/acs"]],
  metadataURL: ["https://127.0.0.1/metadata"],
  schemas: [[]],
  "If-Match": ['W/"1"', "*", '"x"'],
  "If-None-Match": ['W/"1"', "*"],
};

const DEPTH_MAX = 6;
const LIST_MAX = 3;
const TEXT_MAX = 30;

/** Texts that parsers trip over. */
export const traps = [
  "",
  " ",
  "null",
  "0",
  "-1",
  "true",
  "\u0000",
  "\u200b",
  "\u202e",
  "\ufffd",
  "\u{1F600}",
  "a;b",
  "a%2fb",
  "..",
  "a/b",
  "a\\b",
  "a:b",
  "*",
  "__proto__",
  "constructor",
  "x".repeat(300),
] as const;

const anyText = (maxLength: number, minLength: number): fc.Arbitrary<string> => {
  const most = Math.max(minLength, Math.min(maxLength, TEXT_MAX));
  const fitting = traps.filter(({ length }) => length >= minLength && length <= maxLength);
  const free = fc.string({ unit: "grapheme", minLength, maxLength: most });
  return fitting.length === 0 ? free : fc.oneof({ arbitrary: free, weight: 3 }, fc.constantFrom(...fitting));
};

const textOf = ({ format, minLength, maxLength }: Schema): fc.Arbitrary<string> => {
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (format === "binary") return fc.constantFrom("{{file}}", "<x/>", "");
  return anyText(typeof maxLength === "number" ? maxLength : 1_000, typeof minLength === "number" ? minLength : 0);
};

const numberOf = ({ type, minimum, maximum }: Schema): fc.Arbitrary<number> => {
  const min = typeof minimum === "number" ? minimum : -5;
  const max = Math.max(min, Math.min(typeof maximum === "number" ? maximum : 1_000));
  return type === "integer" ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
};

const objectFor = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
  const members = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>);
  const required = (schema.required ?? []) as readonly string[];
  const further = schema.additionalProperties;
  if (members.length === 0) {
    const value =
      typeof further === "object" && further !== null ? valueFor(further as Schema, depth + 1) : fc.jsonValue();
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), value, { maxKeys: LIST_MAX });
  }
  const optional = members.map(([name]) => name).filter((name) => !required.includes(name));
  const chosen = fc.subarray(optional, { maxLength: depth >= DEPTH_MAX ? 0 : Math.min(optional.length, 5) });
  return chosen.chain((names) =>
    fc.record(
      Object.fromEntries(
        members
          .filter(([name]) => required.includes(name) || names.includes(name))
          .map(([name, part]) => [name, valueFor(part, depth + 1, name)]),
      ),
    ),
  );
};

/** Values that fit a schema. `name` is the name of the member or parameter, for which there may be hints. */
export const valueFor = (given: Schema, depth = 0, name = ""): fc.Arbitrary<unknown> => {
  const schema = resolved(given);
  const own = plainOf(schema, depth);
  const hinted = Object.hasOwn(hints, name) ? hints[name] : undefined;
  const fitting = (hinted ?? []).filter((hint) => typeOf(hint) === schema.type || schema.type === undefined);
  return fitting.length === 0 ? own : fc.oneof({ arbitrary: fc.constantFrom(...fitting), weight: 3 }, own);
};

const typeOf = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value);

const plainOf = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (schema.type) {
    case "string":
      return textOf(schema);
    case "integer":
    case "number":
      return numberOf(schema);
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valueFor((schema.items ?? {}) as Schema, depth + 1), {
        minLength: typeof schema.minItems === "number" ? schema.minItems : 0,
        maxLength: typeof schema.maxItems === "number" ? Math.min(schema.maxItems, LIST_MAX) : LIST_MAX,
      });
    case "object":
      return objectFor(schema, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
};
