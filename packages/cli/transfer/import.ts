/**
 * `import folder`: every file of a folder as an application, with the APIs that the file beside it names. An application that
 * is there already is left alone, or replaced where that is asked for; so a run that was interrupted is repeated without
 * making anything twice.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Authorize, authorizing, type Beside, besideOf, readBeside } from "./authorized-apis.ts";
import { type Api, type ApiAnswer, listIn, RunEnded, reasonOf, textIn } from "./client.ts";
import { UsageError } from "./options.ts";
import type { Outcome, Result } from "./report.ts";
import { forEach } from "./run.ts";

const IMPORT = "/applications/import";
/** Upstream's code for a name that is in use. */
const NAME_TAKEN = "APP-60007";
const NOTES_SHOWN = 3;

/**
 * A note in the folder that an application, which is not there yet, is about to be made and authorized: whoever repeats the
 * run knows by it that the application is the run's own. In a folder that cannot be written there is none.
 */
interface Intent {
  /** True where a run before this one left the note. */
  readonly isOld: boolean;
  readonly done: () => Promise<void>;
}

const NO_INTENT: Intent = { isOld: false, done: async () => undefined };

/** Imports every file. What is refused is told in the results, and everything else is imported. */
export async function importAll(api: Api, folder: string, replaces: boolean): Promise<readonly Result[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".xml")).sort();
  if (names.length === 0) throw new UsageError(`${folder} holds no file that ends with .xml.`);
  const authorize = authorizing(api);
  return forEach("import", names, (name) => importFile(api, authorize, { folder, name, replaces }));
}

/** One file of a folder. */
async function importFile(
  api: Api,
  authorize: Authorize,
  { folder, name, replaces }: { readonly folder: string; readonly name: string; readonly replaces: boolean },
): Promise<Result> {
  const content = await readFile(join(folder, name));
  const beside = await readBeside(join(folder, besideOf(name)));
  if (typeof beside === "string") return { name, outcome: "refused", why: beside };
  const intent = beside ? await intend(api, folder, name, beside) : NO_INTENT;

  const finish = async (outcome: Outcome, answer: ApiAnswer, notes: readonly string[]): Promise<Result> => {
    const id = beside && (await idOf(api, answer, beside));
    const troubles = !beside ? [] : id ? await authorize(id, beside.apis) : ["all (the application is not found)"];
    if (troubles.length === 0) await intent.done();
    else notes = [`not authorized for ${shortened(troubles)}`, ...notes];
    const why = notes.join("; ");
    return { name, outcome: troubles.length > 0 ? "incomplete" : outcome, ...(why && { why }) };
  };

  const created = await api.upload("POST", IMPORT, name, content);
  checkImport(api, created);
  if (created.status === 201) return finish("created", created, notesOf(created));
  if (textIn(created.body, "code") !== NAME_TAKEN) {
    await intent.done();
    return { name, outcome: "refused", why: reasonOf(created) };
  }
  if (replaces) {
    const updated = await api.upload("PUT", IMPORT, name, content);
    if (updated.status === 200) return finish("updated", updated, notesOf(updated));
    return { name, outcome: "refused", why: reasonOf(updated) };
  }
  if (intent.isOld) return finish("updated", created, ["only its authorized APIs, which an earlier run left open"]);
  await intent.done();
  return { name, outcome: "skipped", why: "an application of that name exists; --update replaces it" };
}

async function intend(api: Api, folder: string, name: string, { application }: Beside): Promise<Intent> {
  const path = join(folder, `.${name}.to-authorize`);
  const isOld = (await readFile(path, "utf8").catch(() => "")) === api.url;
  if (!isOld) {
    if ((await idNamed(api, application)) !== "none") return NO_INTENT;
    const isNoted = await writeFile(path, api.url, { mode: 0o600 }).then(
      () => true,
      () => false,
    );
    if (!isNoted) return NO_INTENT;
  }
  return { isOld, done: () => rm(path, { force: true }) };
}

/** The id of an application: as an answer tells it, or found by its name. */
async function idOf(api: Api, answer: ApiAnswer, { application }: Beside): Promise<string | undefined> {
  const told = textIn(answer.body, "applicationId") ?? answer.location?.split("/").at(-1);
  if (told) return told;
  const found = await idNamed(api, application);
  return typeof found === "string" ? undefined : found.id;
}

/** The application with a name: "unknown" where that cannot be looked up. */
async function idNamed(api: Api, name: string): Promise<{ readonly id: string } | "none" | "unknown"> {
  const { status, body } = await api.attempt("GET", `/applications?filter=${encodeURIComponent(`name eq ${name}`)}`);
  const { totalResults } = (body ?? {}) as Record<string, unknown>;
  if (status !== 200 || typeof totalResults !== "number") return "unknown";
  const id = textIn(
    listIn(body, "applications")?.find((each) => textIn(each, "name") === name),
    "id",
  );
  return id === undefined ? "none" : { id };
}

/** Ends the run where what answers does not import anything. */
function checkImport(api: Api, { status }: ApiAnswer): void {
  if (status !== 404 && status !== 405 && (status >= 300 || status === 201)) return;
  throw new RunEnded(
    `${api.url} answers ${status}, but this is no import of applications: is it the address of the service?`,
  );
}

/** What of a file has no effect, in one line. */
function notesOf({ body }: ApiAnswer): readonly string[] {
  const elements = (listIn(body, "notHonoured") ?? []).map((note) => textIn(note, "element") ?? "");
  return elements.length === 0 ? [] : [`without effect here: ${shortened(elements)}`];
}

function shortened(words: readonly string[]): string {
  const more = words.length > NOTES_SHOWN ? ` and ${words.length - NOTES_SHOWN} more` : "";
  return `${words.slice(0, NOTES_SHOWN).join(", ")}${more}`;
}
