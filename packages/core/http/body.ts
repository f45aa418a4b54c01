/** From the bytes of a body to a value: checks the media type first, then parses strictly, with limits. */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { Fault } from "../kernel/faults.ts";
import { later } from "../kernel/later.ts";
import type { Media, Operation } from "../kernel/operation/operation.ts";
import { withFaultsOf } from "../kernel/parse.ts";
import type { DialectRules } from "./dialects.ts";
import { checkJsonText, decodeUtf8 } from "./json.ts";
import { type HttpRequest, readForm } from "./request.ts";

/** Bytes of a body, unless the operation declares another limit. */
export const BYTES_MAX = 1_048_576;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json(?:;|$)/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded(?:;|$)/i;
const MULTIPART_TYPE = /^multipart\/form-data(?:;|$)/i;

/** The type of SOAP 1.1, and that of 1.2, which some clients of SOAP 1.1 send. */
const SOAP_TYPE = /^(?:text\/xml|application\/soap\+xml)(?:;|$)/i;

const types: Readonly<Record<Media, RegExp>> = { json: JSON_TYPE, form: FORM_TYPE, multipart: MULTIPART_TYPE };
const typeNames: Readonly<Record<Media, string | undefined>> = {
  json: undefined,
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
};

const { mistakeIn } = later(() => import("./json-mistake.ts"), "mistakeIn");

const ACCEPTED = /^(?:\*\/\*|application\/\*|(?:application|text)\/(?:[\w.+-]+\+)?json)$/i;

type Event = Pick<APIGatewayProxyEventV2, "body" | "isBase64Encoded">;

/** Reads the body of a request for an operation that declares one. */
type ReadBody = (declared: Operation, rules: DialectRules, request: HttpRequest, event: Event) => Promise<unknown>;

/** Reads the parts of a `multipart/form-data` body with this content type. */
export type ReadMultipart = (bytes: Uint8Array, contentType: string) => Promise<unknown>;

/** Checks that the caller accepts JSON (RFC 9110 section 12.5.1). Throws `request.not_acceptable`. */
export function checkAccept({ checksAccept, expects }: DialectRules, { headers }: HttpRequest): void {
  const { accept = "" } = headers;
  if (!checksAccept || accept.trim() === "") return;
  const isAccepted = accept.split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    return ACCEPTED.test(type) && !parameters.some((parameter) => /^q=0(?:\.0*)?$/i.test(parameter));
  });
  if (!isAccepted)
    throw new Fault("request.not_acceptable", `The response is ${expects}: allow it in the Accept header.`);
}

/** The reader of one function. `readMultipart` is needed only where an operation takes such bodies. */
export function bodyReader(readMultipart?: ReadMultipart): ReadBody {
  return async ({ media = "json", limits = {}, bodyOptional, repeated, body, takesSoap }, rules, request, event) => {
    if (!event.body && bodyOptional) return undefined;
    if (!event.body) throw missing({ media, body }, rules);
    const isSoap = takesSoap && SOAP_TYPE.test(request.headers["content-type"] ?? "");
    checkMediaType(request, isSoap ? SOAP_TYPE : types[media], media, rules);
    const bytes = Buffer.from(event.body, event.isBase64Encoded ? "base64" : "utf8");
    const most = limits.bytes ?? BYTES_MAX;
    if (bytes.length > most) {
      throw new Fault("request.too_large", `The body has ${bytes.length} bytes. The maximum is ${most}.`);
    }
    if (media === "multipart") return readMultipart?.(bytes, request.headers["content-type"] ?? "");
    const text = decodeUtf8(bytes);
    if (isSoap) return { soap: text };
    return media === "form" ? readForm(text, repeated) : await readJson(text, limits.members);
  };
}

/** What is thrown where the body is absent: with all other faults of the request, where a schema knows them. */
function missing({ media, body }: Pick<Operation, "body"> & { readonly media: Media }, rules: DialectRules) {
  const asks = `This operation requires a ${media === "json" ? "JSON " : ""}body.`;
  const refused = new Fault("request.malformed", media === "form" ? `${asks} ${sendAs(media, rules)}` : asks);
  return body && media !== "multipart" ? withFaultsOf(body, {}, refused) : refused;
}

/** Parses a JSON text after the checks of `checkJsonText`. Throws `request.malformed`. */
async function readJson(text: string, members: number | undefined): Promise<unknown> {
  checkJsonText(text, members === undefined ? {} : { members, elements: members });
  try {
    return JSON.parse(text, refusingPrototype);
  } catch (cause) {
    const sentences = ["Provided request body content is not in the expected format.", await mistakeIn(text)];
    throw new Fault("request.malformed", sentences.filter((one) => one !== undefined).join(" "), { cause });
  }
}

/** Refuses the other member, besides `__proto__`, by which code that copies members reaches a prototype. */
function refusingPrototype(name: string, value: unknown): unknown {
  if (name === "constructor" && typeof value === "object" && value !== null && Object.hasOwn(value, "prototype")) {
    throw new SyntaxError('the member "constructor" contains "prototype"');
  }
  return value;
}

/** Checks the declared format of a body before it is read. Throws `request.media_type`. */
function checkMediaType({ headers }: HttpRequest, expected: RegExp, media: Media, rules: DialectRules): void {
  const { "content-type": given = "", "content-encoding": encoding = "identity" } = headers;
  const type = given.replace(/\s+/g, "");
  const isLeftOut = type === "" && media === "json" && rules.typeOptional;
  const refused = rules.answersTypeAsMistake ? "request.malformed" : "request.media_type";
  if (!isLeftOut && !expected.test(type)) throw new Fault(refused, sendAs(media, rules));
  const charsets = [...type.matchAll(/;charset="?([^";]+)/gi)].map(([, name]) => name?.toLowerCase());
  if (charsets.some((charset) => charset !== "utf-8")) {
    throw new Fault(refused, "Send the body as UTF-8, and no other charset in the Content-Type.");
  }
  if (encoding !== "identity") throw new Fault(refused, "Send the body without Content-Encoding.");
}

function sendAs(media: Media, rules: DialectRules): string {
  return `Send the body with the Content-Type ${typeNames[media] ?? rules.expects}.`;
}
