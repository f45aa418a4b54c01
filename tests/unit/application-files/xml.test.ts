/** XML round trips are lossless, and no input makes the reader fail with another error than its own. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readXml } from "#core/applications/files/read-xml.ts";
import { type Element, element } from "#core/applications/files/tree.ts";
import { writeXml } from "#core/applications/files/write-xml.ts";
import { Fault } from "#core/kernel/faults.ts";
import { fileOf, oauthEntry, sampleFile } from "#tests/support/files.ts";

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom("]]>", "<", "&", ">", "\r", "\n", "\t", " ", '"', "\u0085", "&#13;", "<![CDATA[", "\u{1F600}"),
      fc.string({ unit: "binary", maxLength: 8 }),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(""));
const name = fc.constantFrom("Name", "AuthenticationScript", "Properties", "x-y.z", "ns:a", "claimId");
const attributes = fc.dictionary(fc.constantFrom("a", "enabled", "xml:lang", "constructor"), text, {
  maxKeys: 2,
  noNullPrototype: true,
});
const { tree } = fc.letrec<{ tree: Element; leaf: Element; branch: Element }>((tie) => ({
  tree: fc.oneof({ depthSize: "small" }, tie("leaf"), tie("branch")),
  leaf: fc.tuple(name, text, attributes).map(([tag, content, given]) => element(tag, content, given)),
  branch: fc
    .tuple(name, fc.array(tie("tree"), { minLength: 1, maxLength: 4 }), attributes)
    .map(([tag, children, given]) => element(tag, children, given)),
}));
const legal = (given: Element): Element => ({
  ...given,
  attributes: Object.fromEntries(
    Object.entries(given.attributes).map(([key, value]) => [key, element("x", value).text]),
  ),
  children: given.children.map(legal),
});
const file = (...children: Element[]) => element("ServiceProvider", [element("ApplicationName", "n"), ...children]);

describe("writing and reading", () => {
  test("is lossless for every tree that XML can hold", () => {
    fc.assert(
      fc.property(tree.map(legal), (given) => {
        expect(readXml(Buffer.from(writeXml(file(given))))).toEqual(file(given));
      }),
      { numRuns: 2_000 },
    );
  });
  test("is lossless for a nested document", () => {
    fc.assert(
      fc.property(fc.array(tree.map(legal), { maxLength: 4 }), (inside) => {
        const entry = element("InboundAuthenticationRequestConfig", [
          element("InboundAuthType", "oauth2"),
          element("inboundConfiguration", [element("oAuthAppDO", inside)]),
        ]);
        const config = element("InboundAuthenticationConfig", [
          element("InboundAuthenticationRequestConfigs", [entry]),
        ]);
        const written = writeXml(file(config));
        expect(written).toContain("<inboundConfiguration><![CDATA[<?xml");
        expect(readXml(Buffer.from(written))).toEqual(file(config));
      }),
      { numRuns: 500 },
    );
  });
  test("replaces characters that XML cannot hold by U+FFFD", () => {
    expect(element("a", "x\u0000\u000B\uFFFE\uD800y").text).toBe("x\uFFFD\uFFFD\uFFFD\uFFFDy");
  });
  test("omits the layout of very long documents", () => {
    const long = file(
      ...Array.from({ length: 30_000 }, (_, at) => element("ClaimMapping", [element("ClaimUri", `c${at}`)])),
    );
    const written = writeXml(long);
    expect(written.split("\n").length).toBeLessThan(5);
    expect(readXml(Buffer.from(written))).toEqual(long);
  });
});

describe("reading a damaged file", async () => {
  const good = [await sampleFile(), fileOf({ inbound: oauthEntry("client") })];
  const outcome = (given: Uint8Array): string => {
    try {
      return readXml(given).name;
    } catch (error) {
      if (error instanceof Fault) return error.fault;
      throw error;
    }
  };
  test("refuses it or reads another file, and never fails otherwise", { timeout: 60_000 }, () => {
    const piece = fc.constantFrom(
      "<",
      ">",
      "&",
      "]]>",
      "<![CDATA[",
      "<!--",
      "-->",
      "<!DOCTYPE x>",
      "</",
      "/>",
      "<?xml ?>",
      "&#x0;",
      "&#xD800;",
      "\0",
      '"',
      "<a b='",
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...good),
        fc.array(fc.tuple(fc.nat(), fc.nat(40), piece), { minLength: 1, maxLength: 4 }),
        (whole, edits) => {
          const broken = edits.reduce((given, [at, length, insert]) => {
            const from = at % given.length;
            return given.slice(0, from) + insert + given.slice(from + length);
          }, whole);
          expect(outcome(Buffer.from(broken))).toMatch(/^(ServiceProvider|application\.invalid)$/);
        },
      ),
      { numRuns: 1_500 },
    );
  });
  test("refuses a file that is cut off anywhere", () => {
    const [whole = ""] = good;
    for (let length = 0; length < whole.trimEnd().length; length += 7) {
      expect([length, outcome(Buffer.from(whole.slice(0, length)))]).toEqual([length, "application.invalid"]);
    }
  });
  test.each([
    ["blanks", (many: number) => `<Description>${" ".repeat(many)}x</Description>`],
    ["line ends", (many: number) => `<Description>${" \n".repeat(many / 2)}x</Description>`],
    ["sections", (many: number) => `<Description>${"<![CDATA[]]>".repeat(many / 12)}</Description>`],
    ["comments", (many: number) => "<!---->".repeat(many / 7)],
    ["open comments", (many: number) => "<!--".repeat(many / 4)],
    ["references", (many: number) => `<Description>${"&lt;".repeat(many / 4)}</Description>`],
  ])("takes time in proportion to the length of %s", (_, fill) => {
    // Four megabytes: a reader with quadratic time would not end.
    outcome(Buffer.from(`<ServiceProvider><ApplicationName>n</ApplicationName>${fill(4_000_000)}</ServiceProvider>`));
  });
});
