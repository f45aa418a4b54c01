/** The contents of all files of the page at `/`, before they are compressed. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { NOT_FOUND, type Policy } from "#core/service/site/files.ts";
import { documentPages } from "./documents.ts";
import { hashOf } from "./hash.ts";
import { type Assets, home, notFound, reference } from "./pages.ts";
import { explorerScript, script } from "./scripts.ts";

const JAVASCRIPT = "text/javascript; charset=utf-8";

/** A file to serve: its path, and what is there. */
export interface Served {
  readonly path: string;
  readonly type: string;
  readonly policy: Policy;
  readonly content: string;
}

/** Makes all files: pages from docs/, the API document, the reference that shows it, scripts and styles. */
export async function everything(root: string): Promise<readonly Served[]> {
  const text = (path: string) => readFile(join(root, path), "utf8");
  const api: unknown = JSON.parse(await text("docs/openapi.json"));
  const { version } = JSON.parse(await text("package.json")) as { version: string };
  const parts: Served[] = [];
  const asset = (name: string, type: string, content: string): string => {
    const [, base, ending] = /^(.*)\.(\w+)$/.exec(name) ?? [];
    const path = `/assets/${base}-${hashOf(content)}.${ending}`;
    parts.push({ path, type, policy: "asset", content });
    return path;
  };
  const assets: Assets = {
    version,
    style: asset("page.css", "text/css; charset=utf-8", await text("packages/front/styles/page.css")),
    icon: asset("icon.svg", "image/svg+xml", await text("packages/front/styles/icon.svg")),
    picture: asset("architecture.svg", "image/svg+xml", await text("docs/architecture.svg")),
    homeScript: asset("home.js", JAVASCRIPT, await script("home")),
    referenceScript: asset("reference.js", JAVASCRIPT, await script("reference")),
    explorer: asset("explorer.js", JAVASCRIPT, await explorerScript()),
    document: asset("openapi.json", "application/json", JSON.stringify(shown(api))),
  };
  const { pages, pictures } = await documentPages(root, assets);
  const html = (path: string, content: string, policy: Policy = "page"): Served => {
    return { path, type: "text/html; charset=utf-8", policy, content };
  };
  return [
    html("/", home(assets)),
    html("/reference", reference(assets), "reference"),
    html(NOT_FOUND, notFound(assets)),
    { path: "/openapi.json", type: "application/json", policy: "document", content: JSON.stringify(api) },
    ...pages.map(({ path, content }) => html(path, content)),
    ...pictures.map(({ path, content }) => ({ path, type: "image/svg+xml", policy: "page" as const, content })),
    ...parts,
  ];
}

/** The API document with one example for each parameter: the component shows a list of them as an object. */
function shown(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(shown);
  if (part === null || typeof part !== "object") return part;
  const entries = Object.entries(part).map(([name, value]) => [name, shown(value)] as const);
  const { examples, ...rest } = Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
  if (typeof rest.in !== "string" || typeof rest.name !== "string" || examples === undefined) {
    return Object.fromEntries(entries);
  }
  const [first] = Object.values(examples as Readonly<Record<string, { readonly value?: unknown }>>);
  return { ...rest, ...(first?.value !== undefined && { example: first.value }) };
}
