/** Characters that make two different names look alike. */

/**
 * Characters that show nothing, or change how others show: controls, formats (zero width, joiners, direction marks,
 * tags), separators of lines and paragraphs, all that Unicode lists as Default_Ignorable_Code_Point (variation
 * selectors and fillers too), and two symbols that are blank.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}]/u;

/** Scripts in which a joiner changes the form of the letters around it. */
const JOINED = [
  ...["Arab", "Beng", "Deva", "Gujr", "Guru", "Khmr", "Knda", "Mlym", "Mong", "Mymr"],
  ...["Nkoo", "Orya", "Sinh", "Syrc", "Taml", "Telu", "Tibt"],
]
  .map((script) => `\\p{Script=${script}}`)
  .join("");

/** Hidden characters that are part of how a word or an emoji is written. */
const WRITTEN = new RegExp(
  [
    `(?<=[${JOINED}]\\p{M}{0,4})[\\u200C\\u200D](?=[${JOINED}])`,
    "(?<=\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\uFE0F?)\\u200D(?=\\p{Extended_Pictographic})",
    "(?<=\\p{Extended_Pictographic})[\\uFE0E\\uFE0F]",
    "(?<=[0-9#*])\\uFE0F(?=\\u20E3)",
    "(?<=\\u{1F3F4})[\\u{E0020}-\\u{E007E}]{1,10}\\u{E007F}",
  ].join("|"),
  "gu",
);

/**
 * The first hidden character of a text as `U+200B`; `undefined` where it has none. For names that users sign in with.
 */
export function hiddenIn(text: string): string | undefined {
  const point = HIDDEN.exec(text)?.[0].codePointAt(0);
  return point === undefined ? undefined : `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * The same for names that are only shown, such as those of groups. Allows joiners between letters of scripts that need
 * them, and what belongs to an emoji.
 */
export function hiddenInShown(text: string): string | undefined {
  return hiddenIn(text.replaceAll(WRITTEN, ""));
}
