/** The libraries of XML signatures and encryption are in the function of single sign-on alone, and load where a request needs them. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plan } from "../../stacks/plan.ts";
import { directory } from "./directory.ts";

/** Texts of xml-crypto, xml-encryption and @xmldom/xmldom that no minifier changes. */
const MARKS = [
  "to prevent signature wrapping attack",
  "encryption key algorithm not supported",
  "unclosed xml attribute",
];

const filesOf = async (name: string) => {
  const files = (await readdir(join(directory, name))).filter((file) => file.endsWith(".mjs"));
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(join(directory, name, file), "utf8") })));
};

test("no other function has them", async () => {
  const holders = await Promise.all(
    Object.keys(plan).map(async (name) => {
      const files = await filesOf(name);
      return MARKS.some((mark) => files.some(({ text }) => text.includes(mark))) ? [name] : [];
    }),
  );
  expect(holders.flat()).toEqual(["sso"]);
});

test("they are in files that the function does not load at its start", async () => {
  const files = await filesOf("sso");
  const textOf = (name: string) => files.find(({ file }) => file === name)?.text ?? "";
  const started = new Set<string>();
  const start = (name: string): void => {
    if (started.has(name)) return;
    started.add(name);
    for (const [, other = ""] of textOf(name).matchAll(/(?:import|from)\s*"\.\/([\w.-]+\.mjs)"/g)) start(other);
  };
  start("bundle.mjs");
  expect([...started].filter((name) => MARKS.some((mark) => textOf(name).includes(mark)))).toEqual([]);
  expect(MARKS.map((mark) => files.some(({ text }) => text.includes(mark)))).toEqual([true, true, true]);
});
