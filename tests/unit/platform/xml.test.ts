/** Limits of XML documents, which are checked before a parser builds a tree. */
import { XmlElement } from "@rgrove/parse-xml";
import { describe, expect, test } from "vitest";
import { Fault } from "#core/kernel/faults.ts";
import { parseXmlText } from "#core/kernel/xml.ts";

const limits = { depth: 3, elements: 4, attributes: 5 };
const parse = (text: string) => parseXmlText(text, limits, (reason) => new Fault("application.invalid", reason));

describe("a document", () => {
  test.each([
    ["levels", "<a><a><a><a></a></a></a></a>", "more than 3 levels"],
    ["elements", "<a><b/><b/><b/><b/></a>", "more than 4 elements"],
    ["attributes of one element", '<a b="1" c="2" d="3" e="4" f="5" g="6"/>', "more than 5 attributes"],
    ["attributes of all elements", `<a b="1" c='2'><a b="1" c="2"/><a b="1" c="2"/></a>`, "more than 5 attributes"],
    [
      "namespaces",
      `<a ${Array.from({ length: 6 }, (_, at) => `xmlns:n${at}="u"`).join(" ")}/>`,
      "more than 5 attributes",
    ],
  ])("with too many %s is refused", (_, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
  test("within the limits is parsed; quotes in texts, comments and values are no attributes", () => {
    const root = parse(`<a b="'''" c='""""'>"""''' <!-- x="1" y="2" z="3" --><b d=">" e="" f=""/>''</a>`);
    expect(root.attributes).toEqual({ b: "'''", c: '""""' });
    expect(root.children.filter((child) => child instanceof XmlElement)).toHaveLength(1);
  });
  test("has line feeds for all line ends, and keeps escaped carriage returns (XML 1.0 section 2.11)", () => {
    expect(parse("<a>1\r\n2\r3\n4\r\r\n5&#13;&#xD;6</a>").text).toBe("1\n2\n3\n4\n\n5\r\r6");
    expect(parse('<a b="1\r\n2\r3"/>').attributes.b).toBe("1 2 3");
  });
});
