/** Files next to an application file, for what application files cannot hold: the application's name, and a list. */
import { readFile, rm } from "node:fs/promises";
import { listIn, textIn } from "./client.ts";
import { writeWhole } from "./report.ts";

/** The content of such a file. */
export interface Companion<Item> {
  readonly application: string;
  readonly items: readonly Item[];
}

/** Files of one kind. `word`: part of each file's name; `what`: in messages; `itemOf`: `undefined` if it is invalid. */
export function companions<Item>({
  word,
  member,
  what,
  itemOf,
}: Readonly<Record<"word" | "member" | "what", string>> & { readonly itemOf: (given: unknown) => Item | undefined }) {
  const invalid = `the file of ${what} is invalid: correct or delete it`;
  return {
    /** The path of the file for an application file. */
    pathOf: (file: string): string => file.replace(/\.xml$/, `.${word}.json`),

    /** Writes the list of an application, or deletes the file if the list is empty. */
    async write(path: string, application: string, items: readonly Item[]): Promise<void> {
      if (items.length === 0) return rm(path, { force: true });
      await writeWhole(path, `${JSON.stringify({ application, [member]: items }, undefined, 2)}\n`);
    },

    /** Reads a file: `undefined` if there is none, a text if its content is invalid. */
    async read(path: string): Promise<Companion<Item> | string | undefined> {
      let text: string;
      try {
        text = await readFile(path, "utf8");
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
        throw error;
      }
      try {
        const body: unknown = JSON.parse(text);
        const application = textIn(body, "application");
        const items = listIn(body, member)?.map(itemOf);
        return application !== undefined && items?.every((each) => each !== undefined)
          ? { application, items }
          : invalid;
      } catch {
        return invalid;
      }
    },
  };
}
