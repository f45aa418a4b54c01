/**
 * A letter as HTML and as text: both from the same parts. Everything is escaped, and no part can begin a header, hide
 * a line or turn the direction of what follows.
 */
import { type Html, html } from "../../sign-in/pages/html.ts";
import type { Language } from "../../sign-in/pages/language.ts";
import type { Brand } from "../../sign-in/pages/layout.ts";
import type { Letter, Part } from "./model.ts";

/** Line ends, other controls, and characters that turn the direction of text or are not seen. */
const UNSAFE = /[\p{Cc}\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]+/gu;
const ACCENT = "#0b5cad";

/** How a letter looks. */
export interface Look {
  readonly language: Language;
  /** What the tenant shows of itself. */
  readonly brand: Brand;
  /** Its name where it shows none. */
  readonly tenant: string;
}

/** One line of text. Values from rows of the table pass through it before they stand in a letter. */
export function plainLine(text: string): string {
  return text.replace(UNSAFE, " ").trim();
}

/** The letter as text. */
export function textOf({ parts }: Letter, { brand, tenant }: Look): string {
  return [...parts.map(textPart), `-- \n${plainLine(brand.name ?? tenant)}`].join("\n\n");
}

function textPart(part: Part): string {
  if (typeof part === "string") return plainLine(part);
  if ("list" in part) return part.list.map((each) => `- ${plainLine(each)}`).join("\n");
  return `${plainLine(part.label)}:\n${part.link}`;
}

/** The letter as HTML, for readers of e-mail: with styles in attributes, and a table for none. */
export function htmlOf({ subject, parts }: Letter, { language, brand, tenant }: Look): string {
  const { logo, accents } = brand;
  const name = plainLine(brand.name ?? tenant);
  const colour = accents?.light ?? ACCENT;
  const image =
    logo === undefined ? undefined : html`<p><img src="${logo}" alt="${name}" style="max-height:64px;border:0"></p>`;
  return html`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${plainLine(subject)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 sans-serif;color:#1b1f24;background:#ffffff">
${image}
${parts.map((part) => htmlPart(part, colour))}
<p style="color:#57606a">${name}</p>
</body>
</html>
`.text;
}

function htmlPart(part: Part, colour: string): Html {
  if (typeof part === "string")
    return html`<p>${plainLine(part)}</p>
`;
  if ("list" in part)
    return html`<ul>${part.list.map((each) => html`<li>${plainLine(each)}</li>`)}</ul>
`;
  return html`<p><a href="${part.link}" style="color:${colour};font-weight:bold">${plainLine(part.label)}</a></p>
<p style="overflow-wrap:anywhere">${part.link}</p>
`;
}
