/** The parts of any request at their largest: heads of 10,240 bytes, bodies of 1 MiB, forms of 64 KiB. */
import { defaultClientLimits } from "#core/applications/protocols/limits.ts";
import { checkOidc } from "#core/applications/protocols/oidc.ts";
import { readPattern } from "#core/applications/protocols/pattern.ts";
import { bodyReader, checkAccept } from "#core/http/body.ts";
import { dialects } from "#core/http/dialects.ts";
import { readMultipart } from "#core/http/multipart.ts";
import { type HttpRequest, readForm, readQuery } from "#core/http/request.ts";
import { namesTag } from "#core/kernel/entity-tag.ts";
import { parseFilter } from "#core/kernel/filter/filter.ts";
import { withoutNulls } from "#core/kernel/management-api.ts";
import { matcherOf, segmentsOf, splitTenant } from "#core/kernel/operation/match.ts";
import { catalogue } from "#core/service/catalogue.ts";
import { isBelow } from "#core/sign-in/authentication/access-control/certificate.ts";
import { basicParts } from "#core/sign-in/authentication/basic.ts";
import { scopeNames } from "#core/sign-in/oauth/scopes.ts";
import { isJwt } from "#core/tokens/jwt.ts";
import { many, type SizedCase, sized } from "./sized.ts";

const HEAD_BYTES = 10_240;
const BODY_BYTES = 1_048_576;
const FORM_BYTES = 65_536;
const FILTER_LENGTH = 1_000;
const UPLOAD_BYTES = 4_194_304;

const requestWith = (headers: HttpRequest["headers"]): HttpRequest => ({
  traceId: "t",
  method: "POST",
  path: "/scim2/Users",
  pathTenant: undefined,
  headers,
  rawQuery: "",
});
const readBody = bodyReader(readMultipart);
const head = (name: string, part: string, run: (header: string) => unknown, outcome?: RegExp): SizedCase =>
  sized({
    name: `head: ${name}`,
    largest: Math.floor(HEAD_BYTES / part.length),
    input: (size) => part.repeat(size),
    run,
    ...(outcome && { outcome }),
  });

/** Reads a body and its shape as the operation does. */
const json = (name: string, largest: number, input: (size: number) => string, outcome?: RegExp): SizedCase =>
  sized({
    name: `JSON: ${name}`,
    largest: Math.floor(largest),
    input,
    run: async (body) =>
      withoutNulls(
        await readBody(
          catalogue.createApplication,
          dialects.management,
          requestWith({ "content-type": "application/json" }),
          { body, isBase64Encoded: false },
        ),
      ),
    ...(outcome && { outcome }),
  });
const list = (items: readonly unknown[]): string => JSON.stringify(items);

const form = (name: string, largest: number, input: (size: number) => string, outcome?: RegExp): SizedCase =>
  sized({
    name: `form: ${name}`,
    largest: Math.floor(largest),
    input,
    run: (text) => readForm(text, ["resource"]),
    ...(outcome && { outcome }),
  });

const upload = (name: string, largest: number, boundary: string, inside: (size: number) => string, outcome?: RegExp) =>
  sized({
    name: `upload: ${name}`,
    largest: Math.floor(largest),
    input: (size) =>
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n${inside(size)}\r\n--${boundary}--\r\n`,
      ),
    run: (bytes) => readMultipart(bytes, `multipart/form-data; boundary=${boundary}`),
    ...(outcome && { outcome }),
  });

const vocabulary = {
  attributes: ["name"],
  names: ["name"],
  unknownAttribute: "filter.attribute",
  example: "name eq a",
} as const;
const filter = (name: string, part: string, outcome?: RegExp): SizedCase =>
  sized({
    name: `filter of the management API: ${name}`,
    largest: Math.floor(FILTER_LENGTH / part.length),
    input: (size) => part.repeat(size),
    run: (text) => parseFilter(text, vocabulary),
    ...(outcome && { outcome }),
  });

const callbacks = (name: string, pattern: string, outcome?: RegExp): SizedCase =>
  sized({
    name: `callbacks: ${name}`,
    largest: 10,
    input: (size) => many(size, (at) => `regexp=${pattern}${at}`),
    run: (callbackURLs) => checkOidc({ grantTypes: ["authorization_code"], callbackURLs }, defaultClientLimits),
    ...(outcome && { outcome }),
  });

const match = matcherOf(catalogue);

export const cases: readonly SizedCase[] = [
  head("Accept", "a/b;q=0,", (accept) => checkAccept(dialects.scim2, requestWith({ accept })), /Accept/),
  head(
    "Accept of one type",
    "+",
    (accept) => checkAccept(dialects.scim2, requestWith({ accept: `text/${accept}` })),
    /Accept/,
  ),
  head("Content-Type", ";charset=", (type) =>
    readBody(
      catalogue.createApplication,
      dialects.management,
      requestWith({ "content-type": `application/json${type}` }),
      { body: "{}", isBase64Encoded: false },
    ),
  ),
  head("If-None-Match", 'W/"1",', (tags) => namesTag(tags, 'W/"2"')),
  head("query of many parameters", "a&", readQuery, /more than once/),
  head("query of different parameters", "\u{1F600}", (text) => readQuery([...text].map((_, at) => `p${at}`).join("&"))),
  head("query with escapes", "%41", readQuery),
  head("path of slashes", "/", segmentsOf),
  head("path of segments", "/t", splitTenant),
  head("path without an operation", "/applications", (path) => match("GET", `/api/server/v1${path}`)),
  head("context of certificates", "/a", (path) => isBelow(path, ["/b", "/a"])),
  head("Basic", "QUFB", (text) => basicParts(`Basic ${text}`)),
  head("Basic of padding", "=", (text) => basicParts(`Basic ${text}`)),
  head("Bearer", "a.", isJwt),
  head("scope", "a ", scopeNames, /4096 characters/),
  json("elements", 10_000, (size) => list(many(size, (at) => at))),
  json("too many elements", BODY_BYTES / 2 - 10, (size) => list(many(size, () => 1)), /more than 10000 elements/),
  json("lists", BODY_BYTES / 3 - 10, (size) => list(many(size, () => [])), /more than 10000 elements/),
  json("members", 10_000, (size) => JSON.stringify(Object.fromEntries(many(size, (at) => [`m${at}`, at])))),
  json(
    "too many members",
    70_000,
    (size) => JSON.stringify(Object.fromEntries(many(size, (at) => [`m${at}`, at]))),
    /more than 10000 members/,
  ),
  json("levels", BODY_BYTES / 2, (size) => "[".repeat(size) + "]".repeat(size), /30 levels/),
  json("a string", BODY_BYTES - 10, (size) => JSON.stringify("a".repeat(size))),
  json("escapes", BODY_BYTES / 6 - 10, (size) => `"${"\\u0041".repeat(size)}"`),
  json("backslashes", BODY_BYTES / 2 - 10, (size) => JSON.stringify("\\".repeat(size))),
  json("digits", BODY_BYTES - 10, (size) => `0.${"1".repeat(size)}`),
  json("blanks", BODY_BYTES - 10, (size) => `${" ".repeat(size)}1`),
  json("quotes", BODY_BYTES - 10, (size) => '"'.repeat(size), /not in the expected format/),
  form("parameters", FORM_BYTES / 6, (size) => many(size, (at) => `p${at}`).join("&")),
  form("one parameter", FORM_BYTES, (size) => "a".repeat(size)),
  form("blanks", FORM_BYTES, (size) => "+".repeat(size)),
  upload("content", UPLOAD_BYTES - 400, "x", (size) => `\r\n${"a".repeat(size)}`),
  upload("content like its boundary", UPLOAD_BYTES - 400, "a".repeat(66), (size) => `\r\n${"a".repeat(size)}`),
  upload("content of line ends", UPLOAD_BYTES / 2 - 400, "a".repeat(66), (size) => `\r\n${"\r\n".repeat(size)}`),
  upload(
    "content of beginnings of its boundary",
    UPLOAD_BYTES / 60 - 40,
    "a".repeat(66),
    (size) => `\r\n${`\r\n--${"a".repeat(56)}`.repeat(size)}`,
  ),
  upload("headers", UPLOAD_BYTES / 8 - 100, "x", (size) => `${"a: b\r\n".repeat(size)}\r\n`),
  upload("parts", UPLOAD_BYTES / 20 - 100, "x", (size) => `\r\n\r\n--x\r\n`.repeat(size), /parts|no name/),
  filter("parentheses", "(", /parenthes/i),
  filter("comparisons", "name eq a or ", /20 comparisons|value|missing/),
  filter("words", "a ", /operator/),
  filter("quotes", '"', /quote|attribute/),
  callbacks("repeats of a class of Unicode", "\\pL{1000}".repeat(100), /2,048 with its repeats/),
  callbacks("nested repeats", "(((a?){10}){10}){10}", /2,048 with its repeats/),
  callbacks("nested repeats that fit", "((\\w?){32}){10}"),
  callbacks("alternatives", `https://a\\.example/(${many(200, (at) => `a${at}`).join("|")})`),
  callbacks("classes of Unicode", `https://a\\.example/${"\\pL?".repeat(55)}`),
  callbacks("negated classes", "[^a]".repeat(250)),
  sized({
    name: "custom protocol: a value against the largest pattern",
    largest: 1_024,
    input: (size) => "a".repeat(size),
    run: async (text) => (await readPattern("([a-z]?){500}b"))?.matches(text),
  }),
];
