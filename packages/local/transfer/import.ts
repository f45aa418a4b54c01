/**
 * `import folder`: every file of a folder as an application. An application that is there already is left alone, or
 * replaced where that is asked for; so a run that was interrupted is repeated without making anything twice.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Api, type ApiAnswer, reasonOf, textIn } from "./client.ts";
import { UsageError } from "./options.ts";
import type { Result } from "./report.ts";
import { forEach } from "./run.ts";

const IMPORT = "/applications/import";
/** Upstream's code for a name that is in use. */
const NAME_TAKEN = "APP-60007";
const NOTES_SHOWN = 3;

/** What of a file has no effect, in one line. */
const notesOf = ({ body }: ApiAnswer): { readonly why?: string } => {
  const notes = body !== null && typeof body === "object" && "notHonoured" in body ? body.notHonoured : undefined;
  const elements = (Array.isArray(notes) ? notes : []).map((note) => textIn(note, "element") ?? "");
  if (elements.length === 0) return {};
  const shown = elements.slice(0, NOTES_SHOWN).join(", ");
  const more = elements.length > NOTES_SHOWN ? ` and ${elements.length - NOTES_SHOWN} more` : "";
  return { why: `without effect here: ${shown}${more}` };
};

/** Imports every file. What is refused is told in the results, and everything else is imported. */
export const importAll = async (api: Api, folder: string, replaces: boolean): Promise<readonly Result[]> => {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".xml")).sort();
  if (names.length === 0) throw new UsageError(`${folder} holds no file that ends with .xml.`);
  return forEach("import", names, async (name): Promise<Result> => {
    const content = await readFile(join(folder, name));
    const created = await api.upload("POST", IMPORT, name, content);
    if (created.status === 201) return { name, outcome: "created", ...notesOf(created) };
    if (textIn(created.body, "code") !== NAME_TAKEN) return { name, outcome: "refused", why: reasonOf(created) };
    if (!replaces) {
      return { name, outcome: "skipped", why: "an application of that name exists; --update replaces it" };
    }
    const updated = await api.upload("PUT", IMPORT, name, content);
    if (updated.status === 200) return { name, outcome: "updated", ...notesOf(updated) };
    return { name, outcome: "refused", why: reasonOf(updated) };
  });
};
