/**
 * The part of YAML that the example of a pipeline uses: block mappings and lists, `[a, b]`, quoted and plain scalars,
 * `|` blocks. Everything else is an error, so that the example stays plain.
 */

/** A value of YAML. All scalars are texts. */
export type Yaml = string | readonly Yaml[] | { readonly [key: string]: Yaml };

interface Line {
  readonly indent: number;
  readonly text: string;
  readonly number: number;
}

const KEY = /^([A-Za-z_][\w-]*):(?: (.*))?$/;

/** Parses a text. Throws an `Error` with the number of the line that is not in this part of YAML. */
export const parseYaml = (text: string): Yaml => {
  const lines: Line[] = text.split("\n").map((line, index) => ({
    indent: line.length - line.trimStart().length,
    text: line.trim(),
    number: index + 1,
  }));
  let at = 0;

  const skip = (): void => {
    while (at < lines.length && (lines[at]?.text === "" || lines[at]?.text.startsWith("#"))) at += 1;
  };
  const refuse = (line: Line | undefined, why: string): never => {
    throw new Error(`line ${line?.number}: ${why}: ${line?.text}`);
  };
  const scalar = (line: Line, given: string): Yaml => {
    const flow = /^\[(.*)\]$/.exec(given)?.[1];
    if (flow !== undefined) return flow.split(", ").map((one) => scalar(line, one));
    const quoted = /^"([^"\\]*)"$/.exec(given)?.[1];
    if (quoted !== undefined) return quoted;
    if (/^["'[\]{}&*!|>%@`]|: | #/.test(given)) return refuse(line, "needs quotes");
    return given;
  };
  const block = (indent: number): string => {
    const kept: string[] = [];
    while (at < lines.length && (lines[at]?.text === "" || (lines[at]?.indent ?? 0) > indent)) {
      kept.push(lines[at]?.text ?? "");
      at += 1;
    }
    return kept.join("\n").trimEnd();
  };
  const value = (line: Line, rest: string | undefined): Yaml => {
    if (rest === "|") return block(line.indent);
    if (rest !== undefined) return scalar(line, rest);
    skip();
    const next = lines[at];
    return next && next.indent > line.indent ? node(next.indent) : refuse(line, "has no value");
  };
  const mapping = (indent: number, first?: Line): Yaml => {
    const found: Record<string, Yaml> = {};
    let line: Line | undefined = first;
    for (;;) {
      if (!line) {
        skip();
        line = lines[at];
        if (!line || line.indent !== indent || line.text.startsWith("- ")) break;
        at += 1;
      }
      const [, key, rest] = KEY.exec(line.text) ?? refuse(line, "is no key");
      if (key === undefined || Object.hasOwn(found, key)) return refuse(line, "is there twice");
      found[key] = value(line, rest);
      line = undefined;
    }
    return found;
  };
  const node = (indent: number): Yaml => {
    if (indent % 2 !== 0) refuse(lines[at], "is indented by an odd number");
    if (!lines[at]?.text.startsWith("- ")) return mapping(indent);
    const items: Yaml[] = [];
    for (;;) {
      skip();
      const line = lines[at];
      if (!line || line.indent !== indent || !line.text.startsWith("- ")) return items;
      at += 1;
      const rest = { ...line, indent: indent + 2, text: line.text.slice(2) };
      items.push(KEY.test(rest.text) ? mapping(indent + 2, rest) : scalar(line, rest.text));
    }
  };

  if (text.includes("\t")) throw new Error("YAML has no tabs");
  skip();
  const whole = node(0);
  skip();
  if (at < lines.length) refuse(lines[at], "is not indented like its neighbours");
  return whole;
};
