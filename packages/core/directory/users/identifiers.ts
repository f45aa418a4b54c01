/** What people type in place of their user names: addresses and telephone numbers (decision 0186). Pure. */
import { foldName, trimName } from "../../kernel/fold.ts";

/** A value by which users are found, other than their names. */
export interface Lookup {
  readonly attribute: "externalId" | "emails" | "phoneNumbers";
  readonly value: string;
}

/** What people may type as their name. The user name always counts. */
export type Identifier = "userName" | "emails.value" | "phoneNumbers.value";

/** Digits that stand for a telephone number, with or without the code of a country. */
const NUMBER = /^\+?[0-9]{6,15}$/;
/** What people and address books write between digits (RFC 3966 section 5.1.1), and blanks. */
const BETWEEN = /[\s().\-/\u2010-\u2015]/gu;

/** The form in which telephone numbers are compared; `undefined` for a text that is none, or has an extension. */
export function phoneForm(text: string): string | undefined {
  const number = foldName(text)
    .normalize("NFKC")
    .replace(/^\s*tel:/u, "")
    .replaceAll(BETWEEN, "");
  return NUMBER.test(number) ? number : undefined;
}

/** What an entered text stands for besides a user name; `undefined` where it has the form of nothing that counts. */
export function identifierIn(entered: string, identifiers: ReadonlySet<Identifier>): Lookup | undefined {
  const text = trimName(entered);
  if (text.includes("@")) return identifiers.has("emails.value") ? { attribute: "emails", value: text } : undefined;
  const value = identifiers.has("phoneNumbers.value") ? phoneForm(text) : undefined;
  return value === undefined ? undefined : { attribute: "phoneNumbers", value };
}
