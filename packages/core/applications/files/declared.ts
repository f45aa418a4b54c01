/**
 * Checks a file against the elements that the parts of the mapping declare: each once, with a value of its type, so
 * that nothing is read as something else or dropped in silence. What no part declares is kept for exports
 * (unmapped.ts).
 *
 * A text that spells a flag or a number stands for one in every format: XML and YAML have no others.
 */
import type { Fault } from "../../kernel/faults.ts";
import { checkEach, eachTogether } from "../../kernel/together.ts";
import { beanNameOf } from "./bean-names.ts";
import { kindsOf } from "./kinds.ts";
import type { Shape, Shapes } from "./parts.ts";
import { nestedDocuments, refuseFile } from "./read-xml.ts";
import type { Element, FileFormat } from "./tree.ts";

/** The name of a child as the file writes it. */
type NameOf = (name: string, parent: string) => string;

const documents: ReadonlySet<string> = new Set(Object.values(nestedDocuments));

const expected: Readonly<Record<Shape["is"], string>> = {
  text: "a string",
  flag: "true or false",
  number: "a number",
  group: "an object",
  list: "a list",
};
/** XML has neither strings nor objects. */
const expectedInXml: typeof expected = { ...expected, text: "a text", group: "an element with elements" };

/** Checks the content of a file. Throws `application.invalid` with the paths of the members as the file has them. */
export function checkDeclared(root: Element, shapes: Shapes, format: FileFormat): void {
  const isXml = format === "xml" || format === "xml-inline";
  const words = isXml ? expectedInXml : expected;
  const wrong = (place: string, { is }: Shape, given: string) =>
    refuseFile(`${place} must be ${words[is]}, not ${given}.`);
  checkChildren(root, shapes, "", { isXml, nameOf: isXml ? (name) => name : beanNameOf, words, wrong });
}

/** What all checks of a file share. */
interface Checking {
  readonly isXml: boolean;
  readonly nameOf: NameOf;
  readonly words: typeof expected;
  readonly wrong: (place: string, shape: Shape, given: string) => Fault;
}

function checkChildren(parent: Element, inside: Shapes, place: string, checking: Checking): void {
  const { isXml, nameOf } = checking;
  const emptied = kindsOf(parent).emptyLists;
  const byName = Map.groupBy(parent.children, ({ name }) => name);
  eachTogether([...new Set([...byName.keys(), ...emptied])], (name): readonly never[] => {
    const shape = Object.hasOwn(inside, name) ? inside[name] : undefined;
    // In JSON and YAML, the members of a document are those of its holder.
    const below = !isXml && documents.has(name) ? place.slice(0, -1) : `${place}${nameOf(name, parent.name)}`;
    if (shape) checkNamed(byName.get(name) ?? [], shape, { place: below, isEmptied: emptied.includes(name) }, checking);
    return [];
  });
}

/** Checks all elements of one name. */
function checkNamed(
  all: readonly Element[],
  shape: Shape,
  { place, isEmptied }: { readonly place: string; readonly isEmptied: boolean },
  checking: Checking,
): void {
  if (shape.is !== "list" && !shape.repeats && isEmptied) throw checking.wrong(place, shape, "a list");
  if (all.length > 1 && !shape.repeats) {
    throw all[0] && kindsOf(all[0]).isListed
      ? checking.wrong(place, shape, listed(shape))
      : refuseFile(`${place} is there ${all.length} times. Keep one of them.`);
  }
  checkEach(all, (each) => {
    checkOne(each, shape, place, checking);
  });
}

const listed = ({ is }: Shape) => (is === "list" ? "a list of lists" : "a list");

function checkOne(given: Element, shape: Shape, place: string, checking: Checking): void {
  const { words, wrong } = checking;
  const { isListed, kind } = kindsOf(given);
  if (isListed && !shape.repeats) throw wrong(place, shape, listed(shape));
  const hasText = given.text.trim() !== "";
  switch (shape.is) {
    case "group":
      if (hasText && (kind !== undefined || !shape.isMixed)) throw wrong(place, shape, kind ?? words.text);
      checkChildren(given, shape.inside, `${place}.`, checking);
      return;
    case "list":
      if (hasText) throw wrong(place, shape, kind ?? words.text);
      checkItems(given, shape, place, checking);
      return;
    default:
      if (given.children.length > 0) throw wrong(place, shape, words.group);
      if (shape.is === "text" && kind !== undefined) throw wrong(place, shape, kind);
      shape.read?.(given.text, place);
  }
}

function checkItems(
  list: Element,
  shape: Extract<Shape, { readonly is: "list" }>,
  place: string,
  checking: Checking,
): void {
  const { item, each } = shape;
  const isOther = each.is !== "group" && list.children.some(({ name }) => name !== item);
  if (isOther) {
    throw checking.isXml
      ? refuseFile(`${place} must have elements ${item} alone.`)
      : checking.wrong(place, shape, "an object");
  }
  const items = list.children.filter(({ name }) => name === item);
  checkEach(items.entries(), ([at, one]) => {
    checkOne(one, each, `${place}[${at}]`, checking);
  });
}

/** The names of elements that are texts wherever they are declared: `true` and `5` are texts there. */
export function textNames(shapes: Shapes): ReadonlySet<string> {
  const [texts, others] = [new Set<string>(), new Set<string>()];
  const visit = (name: string, shape: Shape): void => {
    if (shape.is === "group") visitAll(shape.inside);
    else if (shape.is === "list") visit(shape.item, shape.each);
    else (shape.is === "text" ? texts : others).add(name);
  };
  const visitAll = (inside: Shapes): void => {
    for (const [name, shape] of Object.entries(inside)) visit(name, shape);
  };
  visitAll(shapes);
  return texts.difference(others);
}
