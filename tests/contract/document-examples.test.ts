/** The document as its generator writes it: examples wherever there is JSON, its licence, and refusals as they are sent. */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { openApiDocument } from "#core/service/documents/openapi.ts";
import type { Recordings } from "#core/service/documents/recordings.ts";
import {
  type DescribedOperation,
  type Document,
  misfit,
  type Response,
  type Schema,
} from "#tests/support/document/document.ts";
import { world } from "#tests/support/world.ts";
import packageJson from "../../package.json" with { type: "json" };

const api = world();
const recorded = new URL("../../docs/examples/openapi-examples.json", import.meta.url);
const examples = JSON.parse(readFileSync(recorded, "utf8")) as Recordings;
const document = openApiDocument(operations, { version: "0.0.0", examples }) as unknown as Document & {
  readonly info: { readonly license: Readonly<Record<string, string>> };
};
const { schemas, responses } = document.components;
const described: readonly DescribedOperation[] = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods),
);
const answersOf = (one: DescribedOperation) =>
  Object.entries(one.responses).map(([status, answer]): [string, Response] => [
    status,
    "$ref" in answer ? (responses[named(answer)] as Response) : answer,
  ]);
const answerOf = (one: DescribedOperation | undefined, status: string) => one && new Map(answersOf(one)).get(status);
const named = ({ $ref }: { readonly $ref: string }) => $ref.split("/").at(-1) ?? "";
const whole = (schema: Schema): Schema =>
  typeof schema.$ref === "string" ? (schemas[named({ $ref: schema.$ref })] ?? {}) : schema;

/** The media types of JSON that have no example, in their place or in their schema. */
function withoutExample(content: Response["content"] = {}): readonly string[] {
  return Object.entries(content)
    .filter(([type, one]) => type.endsWith("json") && Object.keys(one.examples ?? {}).length === 0)
    .filter(([, one]) => whole(one.schema).examples === undefined)
    .map(([type]) => type);
}

test("every JSON body of a request and of a success has an example", () => {
  const missing = described.flatMap((one) => [
    ...withoutExample(one.requestBody?.content).map((type) => `${one.operationId}: request, ${type}`),
    ...answersOf(one)
      .filter(([status]) => status.startsWith("2"))
      .flatMap(([status, { content }]) =>
        withoutExample(content).map((type) => `${one.operationId}: ${status}, ${type}`),
      ),
  ]);
  expect(described.length).toBe(Object.keys(operations).length);
  expect(missing).toEqual([]);
});

test("examples of schemas fit them", () => {
  const shown = Object.entries(schemas).flatMap(([name, one]) =>
    ((one.examples ?? []) as readonly unknown[]).map((example) => [name, misfit(one, example)]),
  );
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter(([, fault]) => fault !== undefined)).toEqual([]);
});

test("the licence is that of the package, by its SPDX identifier", () => {
  expect(document.info.license.identifier).toBe(packageJson.license);
  expect(document.info.license.name).toMatch(/\S/);
});

const byId = new Map(described.map((one) => [one.operationId, one]));

test("the 406 of an exported file is sent as the document declares it", async () => {
  const id = await api.create({ name: "Dispatch" });
  const answer = await api.ask("GET", `/api/server/v1/applications/${id}/exportFile`, {
    headers: { accept: "image/png" },
  });
  const declared = answerOf(byId.get("exportApplicationFile"), "406");
  const [[type, content] = []] = Object.entries(declared?.content ?? {});
  expect(answer.status).toBe(406);
  expect(answer.headers.get("content-type")).toContain(type ?? "nothing");
  expect(content && misfit(content.schema, answer.body)).toBeUndefined();
});

describe("431 is sent as the document declares it", () => {
  const paths = Object.entries(document.paths).map(([path, methods]) => [path, methods] as const);
  test.each(paths)("at %s", async (path, methods) => {
    const [method = "", one] = Object.entries(methods)[0] ?? [];
    const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
    socket.end(
      `${method.toUpperCase()} ${path.replaceAll(/[{}]/g, "")} HTTP/1.1\r\nhost: 127.0.0.1\r\np: ${"x".repeat(11_000)}\r\n\r\n`,
    );
    const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
    const [[type, content] = []] = Object.entries(answerOf(one, "431")?.content ?? {});
    expect(head).toMatch(/^HTTP\/1\.1 431 /);
    expect(head.toLowerCase()).toContain(`content-type: ${type}`);
    expect(content && misfit(content.schema, JSON.parse(body))).toBeUndefined();
  });
});
