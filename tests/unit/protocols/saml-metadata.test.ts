/** Namespaces of SAML metadata: declared at any level, and closer declarations win. */
import { expect, test } from "vitest";
import { readSamlMetadata } from "#core/applications/protocols/saml-metadata.ts";

const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
const read = (text: string): readonly string[] => readSamlMetadata(Buffer.from(text)).manual.assertionConsumerUrls;
const consumer = (prefix: string, at: number, declared = "") =>
  `<${prefix}AssertionConsumerService ${declared} Location="https://sp.example/${at}"/>`;

test("an element belongs to the closest namespace of its prefix", () => {
  const inside = [
    consumer("m:", 1),
    consumer("x:", 2, `xmlns:x="${METADATA}"`),
    consumer("m:", 3, 'xmlns:m="urn:other"'),
    consumer("", 4),
    consumer("", 5, `xmlns="${METADATA}"`),
    consumer("x:", 6),
    consumer("m:", 7),
  ].join("");
  const text = `<m:EntityDescriptor xmlns:m="${METADATA}" xmlns:x="urn:other" entityID="e"><m:SPSSODescriptor>${inside}</m:SPSSODescriptor></m:EntityDescriptor>`;
  expect(read(text)).toEqual([1, 2, 5, 7].map((at) => `https://sp.example/${at}`));
});
