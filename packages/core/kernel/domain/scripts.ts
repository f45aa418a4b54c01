/** Names that are written otherwise than they look: in compatibility characters, or in letters of several scripts. */
import { foldName } from "../fold.ts";

/** A character that a name must not have. */
export interface Odd {
  /** The character and its code point: `"а" (U+0430)`. */
  readonly character: string;
  /** From 1, in characters. */
  readonly at: number;
}

/** A letter, and the one before it that is of another script. */
export interface Mixed extends Odd {
  readonly before: string;
}

/** A compatibility character, and what it stands for. */
export interface Unstable extends Odd {
  readonly standsFor: string;
}

/**
 * Scripts that are used together: those of Japanese, Chinese and Korean, with Latin (the level Highly Restrictive of
 * UTS 39 section 5.2).
 */
const TOGETHER = ["Latn Hani Hira Kana", "Latn Hani Bopo", "Latn Hani Hang"];

/** The scripts of Unicode 17 by their codes, without Common and Inherited, which are part of every other. */
const SCRIPTS =
  "Cyrl Grek Arab Hebr Deva Thai Armn Geor Beng Taml Telu Ethi Khmr Adlm Aghb Ahom Armi Avst Bali Bamu Bass Batk " +
  "Berf Bhks Brah Brai Bugi Buhd Cakm Cans Cari Cham Cher Chrs Copt Cpmn Cprt Diak Dogr Dsrt Dupl Egyp Elba Elym Gara " +
  "Glag Gong Gonm Goth Gran Gujr Gukh Guru Hano Hatr Hluw Hmng Hmnp Hung Ital Java Kali Kawi Khar Khoj Kits Knda Krai " +
  "Kthi Lana Laoo Lepc Limb Lina Linb Lisu Lyci Lydi Mahj Maka Mand Mani Marc Medf Mend Merc Mero Mlym Modi Mong Mroo " +
  "Mtei Mult Mymr Nagm Nand Narb Nbat Newa Nkoo Nshu Ogam Olck Onao Orkh Orya Osge Osma Ougr Palm Pauc Perm Phag Phli " +
  "Phlp Phnx Plrd Prti Rjng Rohg Runr Samr Sarb Saur Sgnw Shaw Shrd Sidd Sidt Sind Sinh Sogd Sogo Sora Soyo Sund Sunu " +
  "Sylo Syrc Tagb Takr Tale Talu Tang Tavt Tayo Tfng Tglg Thaa Tibt Tirh Tnsa Todr Tols Toto Tutg Ugar Vaii Vith " +
  "Wara Wcho Xpeo Xsux Yezi Yiii Zanb";

/** A character that goes with every script. */
const ANYWHERE = /[\p{Script_Extensions=Zyyy}\p{Script_Extensions=Zinh}]/u;

/** The longest beginning of a text in scripts that may be together, for each such set. Compiled where it is needed. */
const beginnings: (RegExp | undefined)[] = [];
const sets: readonly string[] = ["Latn", ...TOGETHER, ...SCRIPTS.split(" ")];

/**
 * The first character of a name that NFKC changes, as it changes ligatures, full width and superscripts: the name would
 * look like another, or would be another to a system that applies NFKC (RFC 8265 section 3.3). `undefined` where there
 * is none.
 */
export function unstableIn(name: string): Unstable | undefined {
  const folded = foldName(name);
  if (isStable(name) && isStable(folded)) return undefined;
  const characters = [...name.normalize("NFC")];
  const found = characters.findIndex((one) => !isStable(one) || !isStable(foldName(one)));
  // A sequence that only together is another: all of it.
  const one = found < 0 ? name : (characters[found] ?? "");
  return { ...oddAt(one, found), standsFor: one.normalize("NFKC").trim() };
}

/**
 * The first character of a name whose script does not go with those before it. In a name that is an e-mail address, the
 * local part and each label of the domain are looked at by themselves: `иван@example.com` is usual. `undefined` where
 * there is none.
 */
export function mixedIn(name: string): Mixed | undefined {
  let start = 0;
  for (const part of partsOf(name)) {
    const length = longestIn(part);
    if (length < part.length) {
      const at = [...name.slice(0, start + length)].length;
      const before = [...part.slice(0, length)].findLast((one) => !ANYWHERE.test(one)) ?? "";
      return { ...oddAt([...part.slice(length)][0] ?? "", at), before: oddAt(before, 0).character };
    }
    start += part.length + 1;
  }
  return undefined;
}

function isStable(text: string): boolean {
  return text.normalize("NFC") === text.normalize("NFKC");
}

/** The local part of an address, and the labels of its domain; the whole of any other name. */
function partsOf(name: string): readonly string[] {
  const at = name.lastIndexOf("@");
  return at < 0 ? [name] : [name.slice(0, at), ...name.slice(at + 1).split(".")];
}

/** The length of the longest beginning in scripts that may be together. */
function longestIn(text: string): number {
  let longest = 0;
  for (const [index, set] of sets.entries()) {
    beginnings[index] ??= beginningIn(set);
    longest = Math.max(longest, beginnings[index].exec(text)?.[0].length ?? 0);
    if (longest === text.length) break;
  }
  return longest;
}

/** Matches the beginning of a text in some scripts. */
function beginningIn(codes: string): RegExp {
  const ofScript = codes.split(" ").map((code) => `\\p{Script_Extensions=${code}}`);
  try {
    return new RegExp(`^[\\p{Script_Extensions=Zyyy}\\p{Script_Extensions=Zinh}${ofScript.join("")}]*`, "u");
  } catch {
    // A script that the runtime does not know yet: its letters are not assigned there.
    return /^/;
  }
}

function oddAt(character: string, index: number): Odd {
  const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return { character: `"${character.slice(0, 20)}" (U+${point})`, at: Math.max(index, 0) + 1 };
}
