/** The scripts of the pages: our own, compiled, and the component that shows the API document. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

const EXPLORER = "../../node_modules/openapi-explorer/dist/browser/openapi-explorer.min.js";
/** In the templates of the component. */
const STYLE_ELEMENTS = 5;

/** Compiles a script of `browser/` to a module for browsers. */
export async function script(name: "home" | "reference"): Promise<string> {
  const { code } = await transform(await textOf(`browser/${name}.ts`), {
    loader: "ts",
    format: "esm",
    target: "es2022",
    minify: true,
  });
  return code;
}

/**
 * The component that shows the API document. Its templates contain style elements, which the policy of the page blocks:
 * they become hidden text, and browser/reference.ts gives the same styles as sheets. Throws an `Error` if a new version
 * of the component has other templates.
 */
export async function explorerScript(): Promise<string> {
  const source = await textOf(EXPLORER);
  const found = source.match(/<style>/g)?.length ?? 0;
  if (found !== STYLE_ELEMENTS) {
    throw new Error(`openapi-explorer has ${found} style elements in its templates in place of ${STYLE_ELEMENTS}.`);
  }
  return source.replaceAll("<style>", "<span hidden>").replaceAll("</style>", "</span>");
}

function textOf(path: string): Promise<string> {
  return readFile(fileURLToPath(new URL(path, import.meta.url)), "utf8");
}
