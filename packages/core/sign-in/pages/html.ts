/** HTML that is safe by construction: every value in a template is escaped, unless it is HTML itself. */

/** A piece of HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | readonly Html[] | string | number | undefined;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that turn the direction of text, so that it shows as another one, and invisible controls. */
const DECEPTIVE = /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Values in a template: a text is escaped; `undefined` is nothing. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(strings.map((string, at) => (at === 0 ? string : partOf(values[at - 1]) + string)).join(""));
}

function partOf(value: Part): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return String(value)
    .replace(DECEPTIVE, "")
    .replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
