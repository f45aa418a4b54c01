/** Makes examples short enough to be read: long lists and texts are cut, and links that tools would follow left out. */
import type { Recording, Recordings } from "#core/documents/recordings.ts";

/** Characters of a body, as JSON, from which on it is cut. */
const LONG = 3_000;
const ELEMENTS_SHOWN = 2;
const CHARACTERS_SHOWN = 800;

/** The whole document is not an example of itself. */
const DOCUMENT = "getOpenApiDocument";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const cut = (value: unknown): unknown => {
  if (typeof value === "string") {
    return value.length > CHARACTERS_SHOWN ? `${value.slice(0, CHARACTERS_SHOWN)}…` : value;
  }
  if (Array.isArray(value)) return value.slice(0, ELEMENTS_SHOWN).map(cut);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cut(part)]));
};

/** Without members named `$ref`, as SCIM has them: readers of OpenAPI would follow them. */
const withoutLinks = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutLinks);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name, part]) => name !== "$ref" || typeof part !== "string");
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutLinks(part)]));
};

const shown = (body: unknown): unknown => {
  const plain = withoutLinks(body);
  return JSON.stringify(plain).length > LONG ? cut(plain) : plain;
};

/** A document whose parts are left out. */
const emptied = (body: unknown): unknown => {
  const { openapi } = isObject(body) ? body : {};
  return { openapi, info: {}, paths: {}, components: {} };
};

const shortRecording = ({ request, answer, failures }: Recording, id: string): Recording => {
  const body = id === DOCUMENT ? emptied(answer?.body) : answer?.body;
  return {
    request,
    ...(answer && { answer: { ...answer, ...(body !== undefined && { body: shown(body) }) } }),
    failures,
  };
};

/** The recordings with short bodies. */
export const shortened = (recordings: Recordings): Recordings =>
  Object.fromEntries(Object.entries(recordings).map(([id, recording]) => [id, shortRecording(recording, id)]));
