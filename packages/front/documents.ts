/** The documents as pages below `/docs`: the README, the changes, and those of docs/ except for decisions. */
import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { Marked, type Tokens } from "marked";
import { type Assets, documentPage } from "./pages.ts";

/** Documents outside of docs/, with their paths. */
const projectFiles = new Map([
  ["README.md", "/docs/start"],
  ["CHANGELOG.md", "/docs/changelog"],
]);

/** A file that is served. */
interface Content {
  readonly path: string;
  readonly content: string;
}

/** The pages, and the pictures that they show. */
export interface Documents {
  readonly pages: readonly Content[];
  readonly pictures: readonly Content[];
}

/**
 * Reads the Markdown of the project. `docs/guides/okta.md` is the page `/docs/guides/okta`, `docs/README.md` the page
 * `/docs`, and the README of the project `/docs/start`. Links between them stay links, and those to other files of the
 * project become text. Throws an `Error` where a link leads to no document.
 */
export async function documentPages(root: string, assets: Assets): Promise<Documents> {
  const names = async (folder: string, ending: string) => {
    const all = await readdir(join(root, folder));
    return all
      .filter((name) => name.endsWith(ending))
      .map((name) => `${folder}/${name}`)
      .sort();
  };
  const pathOf = (file: string) => `/${file.replace(/(?:\/README)?\.md$/, "")}`;
  const files = [...(await names("docs", ".md")), ...(await names("docs/guides", ".md"))];
  const known = new Map([...projectFiles, ...files.map((file) => [file, pathOf(file)] as const)]);
  const read = (file: string) => readFile(join(root, file), "utf8");
  const pages = [...known].map(async ([file, path]) => {
    return { path, content: documentPage(assets, { path, ...rendered(await read(file), { file, known }) }) };
  });
  const pictures = (await names("docs", ".svg")).map(async (name) => ({ path: `/${name}`, content: await read(name) }));
  return { pages: await Promise.all(pages), pictures: await Promise.all(pictures) };
}

interface Rendered {
  readonly title: string;
  readonly html: string;
}

/** A document of the project, and the paths of all that are served. */
interface Source {
  readonly file: string;
  readonly known: ReadonlyMap<string, string>;
}

function rendered(text: string, source: Source): Rendered {
  const ids = new Map<string, number>();
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, text: heading }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(heading, ids)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const target = targetOf(href, source);
        return target === undefined ? inner : `<a href="${escaped(target)}">${inner}</a>`;
      },
      image({ href, text: alternative }: Tokens.Image) {
        const path = posix.join("/", posix.dirname(source.file), href);
        return `<img src="${escaped(path)}" alt="${escaped(alternative)}">`;
      },
      // The keyboard reaches a region that scrolls.
      table({ header, rows }: Tokens.Table) {
        // A header without a text heads nothing.
        const cell = ({ tokens, text: shown }: Tokens.TableCell, tag: "td" | "th") => {
          const name = shown === "" ? "td" : tag;
          return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
        };
        const cells = (row: Tokens.TableCell[], tag: "td" | "th") => row.map((one) => cell(one, tag)).join("");
        const head = header.some((one) => one.text !== "") ? `<thead><tr>${cells(header, "th")}</tr></thead>` : "";
        const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
        return `<div class="scroll" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
      code({ text: code }: Tokens.Code) {
        return `<pre tabindex="0"><code>${escaped(code)}</code></pre>\n`;
      },
      html({ text: raw }: Tokens.HTML | Tokens.Tag) {
        return escaped(raw);
      },
    },
  });
  const html = marked.parse(text, { async: false });
  return { title: /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? source.file, html };
}

/** The anchor of a heading, as links of the documents write it. */
function anchorOf(heading: string, ids: Map<string, number>): string {
  const plain = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
  const times = ids.get(plain) ?? 0;
  ids.set(plain, times + 1);
  return times === 0 ? plain : `${plain}-${times}`;
}

/** Where a link of a document leads on the page; `undefined` for a file of the project that is not served. */
function targetOf(href: string, { file, known }: Source): string | undefined {
  if (/^(?:https?:\/\/|#)/.test(href)) return href;
  const [path = "", fragment] = href.split("#");
  const target = posix.join(posix.dirname(file), path);
  const page = known.get(target) ?? (target === "docs/openapi.json" ? "/openapi.json" : undefined);
  if (page !== undefined) return fragment === undefined ? page : `${page}#${fragment}`;
  if (!/^docs\/(?:guides\/)?[^/]+$/.test(target)) return undefined;
  throw new Error(`${file} links to ${href}, which is no document.`);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
