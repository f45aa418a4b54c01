/** The formats of application files: which one a file has, and how it is read and written. */
import { checkJsonText } from "../../http/json.ts";
import { Fault } from "../../kernel/faults.ts";
import { later } from "../../kernel/later.ts";
import { decodeXml } from "../../kernel/xml.ts";
import { type Bean, beansOf, treeOf } from "./beans.ts";
import { readXml, refuseFile } from "./read-xml.ts";
import { type Element, type FileFormat, isWritable } from "./tree.ts";
import { writeXml, writeXmlInline } from "./write-xml.ts";

const { readYaml, writeYaml } = later(
  async () => {
    const yaml = await import("./yaml.ts");
    return {
      readYaml: async (text: string) => yaml.readYaml(text),
      writeYaml: async (beans: Bean, note?: string) => yaml.writeYaml(beans, note),
    };
  },
  "readYaml",
  "writeYaml",
);

/** The ends of file names. */
export const extensions: Readonly<Record<FileFormat, string>> = {
  xml: "xml",
  "xml-inline": "xml",
  yaml: "yml",
  json: "json",
};

/** What an upload says about itself. */
interface Upload {
  readonly mediaType: string;
  readonly fileName: string | undefined;
}

const JSON_LIMITS = { members: 150_000, elements: 75_000 };

/** The format of an upload: by its media type, else by the end of its name, else XML. */
export function formatOf({ mediaType, fileName }: Upload): FileFormat {
  const type = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (/^(?:application|text)\/(?:x-)?yaml$/.test(type)) return "yaml";
  if (/^(?:application|text)\/json$/.test(type)) return "json";
  if (/^(?:application|text)\/xml$/.test(type)) return "xml";
  const [, extension = ""] = /\.(ya?ml|json)$/i.exec(fileName ?? "") ?? [];
  if (extension === "") return "xml";
  return extension.toLowerCase() === "json" ? "json" : "yaml";
}

/**
 * The format that a caller accepts; XML where it says nothing. Throws `request.not_acceptable` where it accepts none of
 * the formats.
 */
export function acceptedFormat(accept: string | undefined): FileFormat {
  if (accept === undefined || accept.trim() === "") return "xml-inline";
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    if (parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) continue;
    if (/^(?:\*\/\*|application\/\*|(?:application|text)\/xml|application\/octet-stream)$/.test(type))
      return "xml-inline";
    if (/^(?:application|text)\/(?:x-)?yaml$/.test(type)) return "yaml";
    if (/^(?:application|text)\/json$/.test(type)) return "json";
  }
  throw new Fault(
    "request.not_acceptable",
    "The file is application/xml, application/yaml or application/json: allow one of them in the Accept header.",
  );
}

/** Reads the content of a file. Throws `application.invalid`. */
export async function readTree(bytes: Uint8Array, format: FileFormat): Promise<Element> {
  if (format === "xml" || format === "xml-inline") return readXml(bytes);
  const text = decodeXml(bytes, refuseFile).replace(/^\uFEFF/, "");
  const bean = format === "yaml" ? await readYaml(text) : readJson(text);
  checkCharacters(bean, "");
  return treeOf(bean);
}

/** Refuses characters that XML cannot have: an application with them could not be exported as it is. */
function checkCharacters(part: unknown, path: string): void {
  if (typeof part === "string" && !isWritable(part)) {
    throw refuseFile(
      `${path || "The file"} has a character that application files cannot have, such as a control character.`,
    );
  }
  if (part === null || typeof part !== "object") return;
  for (const [name, value] of Object.entries(part)) {
    if (!isWritable(name)) throw refuseFile(`A name in ${path || "the file"} has a character that files cannot have.`);
    checkCharacters(value, path === "" ? name : `${path}.${name}`);
  }
}

/** Writes a file. The note becomes a comment where the format has comments. */
export async function writeTree(root: Element, format: FileFormat, note?: string): Promise<string> {
  if (format === "xml") return writeXml(root, note);
  if (format === "xml-inline") return writeXmlInline(root, note);
  const beans = beansOf(root);
  return format === "yaml" ? writeYaml(beans, note) : `${JSON.stringify(beans, undefined, 2)}\n`;
}

function readJson(text: string): Bean {
  try {
    checkJsonText(text, JSON_LIMITS);
    return JSON.parse(text) as Bean;
  } catch (error) {
    const reason = error instanceof Fault ? ` ${error.description}` : "";
    throw refuseFile(`The file is not JSON.${reason}`);
  }
}
