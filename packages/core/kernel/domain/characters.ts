/** Characters that make two different names look alike. */

/**
 * Characters that show nothing, or change how others show: controls, formats (zero width, joiners, direction marks,
 * tags), separators of lines and paragraphs, all that Unicode lists as Default_Ignorable_Code_Point (variation
 * selectors and fillers too), and two symbols that are blank.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}]/u;

/** Letters of scripts in which a joiner changes the form of the letters around it. */
const JOINED =
  /[\p{Script=Arab}\p{Script=Beng}\p{Script=Deva}\p{Script=Gujr}\p{Script=Guru}\p{Script=Khmr}\p{Script=Knda}\p{Script=Mlym}\p{Script=Mong}\p{Script=Mymr}\p{Script=Nkoo}\p{Script=Orya}\p{Script=Sinh}\p{Script=Syrc}\p{Script=Taml}\p{Script=Telu}\p{Script=Tibt}]/u;

/** A joiner, with the letter and marks before it and the letter after it. */
const JOINER = /(\P{M}\p{M}{0,4})[\u200C\u200D](?=(.))/gsu;

/** Hidden characters that are part of an emoji. */
const IN_EMOJI =
  /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?)\u200D(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]|(?<=[0-9#*])\uFE0F(?=\u20E3)|(?<=\u{1F3F4})[\u{E0020}-\u{E007E}]{1,10}\u{E007F}/gu;

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
  const withoutJoiners = text.replaceAll(JOINER, (all: string, before: string, after: string) =>
    JOINED.test(before) && JOINED.test(after) ? before : all,
  );
  return hiddenIn(withoutJoiners.replaceAll(IN_EMOJI, ""));
}
