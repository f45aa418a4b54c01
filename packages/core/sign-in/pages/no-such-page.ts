/** The page that a browser gets at an address that leads nowhere. */

import type { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { html } from "./html.ts";
import { type Language, languageOf } from "./language.ts";
import { page } from "./layout.ts";

const texts: Readonly<Record<Language, { readonly title: string; readonly home: string; readonly reference: string }>> =
  {
    en: { title: "There is no such page", home: "Home", reference: "Reference of the API" },
    de: { title: "Diese Seite gibt es nicht", home: "Startseite", reference: "Referenz der API" },
  };

/** 404, with links to what there is. Programs get the same as JSON. */
export function noSuchPage(language: Language): PageResult {
  const { title, home, reference } = texts[language];
  const content = html`<h1>${title}</h1>
<p><a href="/">${home}</a></p>
<p><a href="/reference">${reference}</a></p>`;
  return page(title, { language }, content, { status: 404, headers: { vary: "accept" } });
}

/** The same for a request that failed. */
export async function faultPage(
  _: Fault,
  { headers }: { readonly headers: Readonly<Record<string, string | undefined>> },
): Promise<PageResult> {
  return noSuchPage(languageOf(undefined, headers["accept-language"]));
}
