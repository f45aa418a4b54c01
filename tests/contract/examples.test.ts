/** The recorded examples fit the document: `npm run examples` writes them from a running service. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SIGNED_IN } from "#core/kernel/operation/operation.ts";
import { isRepeatable } from "#core/kernel/operation/repeatable.ts";
import { operations } from "#core/service/catalogue.ts";
import type { RecordedFailure, Recordings } from "#core/service/documents/recordings.ts";
import { document, misfit, placed, responseTo } from "#tests/support/document/document.ts";

const file = new URL("../../docs/examples/openapi-examples.json", import.meta.url);
const text = readFileSync(file, "utf8");
const recordings = JSON.parse(text) as Recordings;

/** Deletions that succeed for what does not exist, and operations that find nothing without failing. */
const idempotent = /^delete(?:ApiResource|.*Configuration|AuthorizedApi|Application$)/;
const findingNothing = ["listAuthorizedApis", "patchAuthorizedApi", "deleteScim1Me"];

test("there is one recording for each operation", () => {
  expect(Object.keys(recordings).sort()).toEqual(Object.keys(operations).sort());
});

test("no recording has a secret, a token or an address of this machine", () => {
  expect(text).not.toMatch(/iacs_|at_[\w-]{20}|rt_[\w-]{20}|eyJ[\w-]{10}|127\.0\.0\.1:/);
  expect(text).not.toMatch(/"\$ref":/);
});

test("the values of one place are the same in every run: ids are placeholders", () => {
  const uuids = new Set(text.match(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g));
  // Random ids of this service are of version 7; placeholders of version 4.
  expect([...uuids]).toEqual([]);
});

describe.each(placed.map((each) => [each.id, each] as const))("%s", (id, each) => {
  const { request, answer, failures } = recordings[id] ?? { request: {}, failures: [] };
  const { described, path } = each;
  const declared = operations[id];
  const reasonsFor = (status: number) => failures.filter((each) => each.status === status).map(({ reason }) => reason);

  test("shows a request that fits the document", () => {
    const [content] = Object.values(described.requestBody?.content ?? {});
    expect(content?.examples?.example?.value).toEqual(request.body);
    if (content && request.body !== undefined) expect(misfit(content.schema, request.body)).toBeUndefined();
    for (const parameter of described.parameters ?? []) {
      const value = parameter.examples?.example?.value;
      if (parameter.in === "path") expect(value).toBe(request.params?.[parameter.name]);
      if (value !== undefined) expect(misfit(parameter.schema, value)).toBeUndefined();
    }
    for (const name of Object.keys(request.query ?? {})) {
      expect(described.parameters?.find((each) => each.name === name)?.examples).toBeDefined();
    }
  });

  test("shows the answer, which fits the document", () => {
    if (!answer) {
      expect(reasonsFor(failures[0]?.status ?? 0)).toBeDefined();
      expect(failures.map(({ reason }) => reason)).toContain("always");
      return;
    }
    expect(answer.status).toBe(declared?.success.status);
    const content = Object.entries(responseTo(each, answer.status)?.content ?? {});
    expect(content.length > 0).toBe(answer.body !== undefined);
    for (const [type, { schema, examples }] of content) {
      expect(examples?.example?.value).toEqual(answer.body);
      if (type.endsWith("json")) expect(misfit(schema, answer.body)).toBeUndefined();
    }
    for (const name of Object.keys(answer.headers)) {
      expect([name, headersOf(answer.status)]).toEqual([name, expect.arrayContaining([name])]);
    }
  });

  test("shows refusals that the document declares", () => {
    for (const { status, reason, body } of failures) {
      const response = responseTo(each, status);
      const [content] = Object.values(response?.content ?? {});
      expect([status, content?.examples?.[reason]]).toEqual([status, expect.anything()]);
      const shown = exampleAt(content?.examples?.[reason] ?? {});
      expect(shown).toEqual(body);
      if (content) expect([status, misfit(content.schema, body)]).toEqual([status, undefined]);
    }
  });

  test("shows what a caller without a credential, without the scope or with an unknown id gets", () => {
    const isPublic = declared?.scope === "public";
    if (!isPublic) expect(reasonsFor(401)).toEqual(["noCredential"]);
    if (!isPublic && declared?.scope !== SIGNED_IN) expect(reasonsFor(403)).toEqual(["missingScope"]);
    const findsNothing = idempotent.test(id) || findingNothing.includes(id);
    // The users of the data set have neither sessions nor consents.
    const reason = /^(?:end|revoke)(?:My|User)(?:Session|AuthorizedApp)$/.test(id) ? "always" : "unknownId";
    if (path.includes("{") && !findsNothing) expect(reasonsFor(404)).toEqual([reason]);
    const isWritten = described.requestBody !== undefined && declared?.media === undefined && answer !== undefined;
    if (isWritten) expect(reasonsFor(400)).toHaveLength(1);
    if (isWritten) expect(reasonsFor(413)).toEqual(["tooLarge"]);
    if (declared && isRepeatable(declared) && answer) expect(reasonsFor(422)).toEqual(["reusedKey"]);
  });

  function headersOf(status: number): string[] {
    return Object.keys(responseTo(each, status)?.headers ?? {}).map((name) => name.toLowerCase());
  }
});

/** The value of an example, which may be a component. */
function exampleAt(example: { readonly $ref?: string; readonly value?: unknown }): RecordedFailure["body"] {
  const name = example.$ref?.split("/").at(-1);
  return name === undefined ? example.value : document.components.examples[name]?.value;
}
