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
  const places: Place[] = [];
  let table = "";
  for (const [index, text] of source.split(/\r?\n/).entries()) {
    const line = index + 1;
    const [, open, name] = HEADER.exec(text) ?? [];
    if (open && name) {
      const parts = name.split(".").map((part) => part.trim().replace(/^["']|["']$/g, ""));
      table = "";
      for (const [at, part] of parts.entries()) {
        table += `${table ? "." : ""}${part}`;
        const isList = open === "[[" && at === parts.length - 1;
        if (isList) counts.set(table, (counts.get(table) ?? -1) + 1);
        const count = counts.get(table);
        if (count !== undefined) table += `[${count}]`;
      }
      places.push({ path: table, line });
      continue;
    }
    const [, double, single, bare] = KEY.exec(text) ?? [];
    const key = double ?? single ?? bare;
    if (key !== undefined) places.push({ path: table ? `${table}.${key}` : key, line });
  }
  return places;
}
