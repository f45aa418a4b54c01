/** The lines of keys in a TOML file. The parser returns values without their lines. */

const HEADER = /^\s*(\[\[|\[)\s*([\w."' -]+?)\s*(\]\]|\])\s*(?:#.*)?$/;
const KEY = /^\s*(?:"([^"]+)"|'([^']+)'|([\w-]+))\s*=/;

interface Place {
  readonly path: string;
  readonly line: number;
}

/** Finds the line of a value, or of the nearest table that contains it; `undefined` where it finds neither. */
export function lineFinder(source: string): (path: readonly PropertyKey[]) => number | undefined {
  const places = placesIn(source);
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const searched = path
        .slice(0, length)
        .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at ? "." : ""}${String(part)}`))
        .join("");
      const found = places.find((place) => place.path === searched);
      if (found) return found.line;
    }
    return undefined;
  };
}

/** Every table and key with its path (`resource.access_control[1].scope`). Multi-line strings may add wrong ones. */
function placesIn(source: string): readonly Place[] {
  const counts = new Map<string, number>();
  let table = "";
  return source.split(/\r?\n/).flatMap((text, index): readonly Place[] => {
    const [, open, name] = HEADER.exec(text) ?? [];
    if (open && name) table = tablePath(name, open === "[[", counts);
    const [, double, single, bare] = KEY.exec(text) ?? [];
    const key = double ?? single ?? bare;
    const path = open && name ? table : key && (table ? `${table}.${key}` : key);
    return path === undefined ? [] : [{ path, line: index + 1 }];
  });
}

/** The path of a table as its header names it. Counts the elements of lists. */
function tablePath(name: string, isList: boolean, counts: Map<string, number>): string {
  const parts = name.split(".").map((part) => part.trim().replace(/^["']|["']$/g, ""));
  return parts.reduce((parent, part, at) => {
    const path = parent ? `${parent}.${part}` : part;
    if (isList && at === parts.length - 1) counts.set(path, (counts.get(path) ?? -1) + 1);
    const count = counts.get(path);
    return count === undefined ? path : `${path}[${count}]`;
  }, "");
}
