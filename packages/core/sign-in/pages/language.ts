/** The languages of the pages, and which one a person reads. */

/** Their tags (RFC 5646). The first is the default. */
const tags = ["en", "de"] as const;
export type Language = (typeof tags)[number];

/** The languages by their own names. */
export const languageNames: Readonly<Record<Language, string>> = { en: "English", de: "Deutsch" };

/** Tags that are looked at: a header can have hundreds. */
const TAGS_MAX = 20;

/** The first known language of `ui_locales`, then of `Accept-Language`; otherwise the default. */
export function languageOf(locales: string | undefined, acceptLanguage: string | undefined): Language {
  const asked = (locales ?? "").split(" ").slice(0, TAGS_MAX);
  const accepted = (acceptLanguage ?? "")
    .split(",")
    .slice(0, TAGS_MAX)
    .map((entry) => {
      const [tag = "", quality = ""] = entry.trim().split(";");
      return { tag, weight: Number(/^\s*q=([0-9.]{1,5})$/.exec(quality)?.[1] ?? 1) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
  const found = [...asked, ...accepted].map((tag) => tags.find((each) => each === tag.slice(0, 2).toLowerCase()));
  return found.find((each) => each !== undefined) ?? tags[0];
}
