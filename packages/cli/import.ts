/**
 * `import folder`: imports every file of a folder, with its authorized APIs and assignments. An existing application is
 * skipped, or replaced with `--update`. So an interrupted run can be repeated and creates nothing twice.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Assigned, assignAll, assignmentFiles } from "./assignments.ts";
import { type Authorize, type AuthorizedApi, apiFiles, authorizing } from "./authorized-apis.ts";
import { type Api, type ApiResponse, listIn, memberOf, RunEnded, reasonOf, textIn, UsageError } from "./client.ts";
import type { Companion } from "./companions.ts";
import { forEach, type Outcome, type Result } from "./report.ts";

const IMPORT = "/applications/import";
/** The code of WSO2 Identity Server for a name in use. */
const NAME_TAKEN = "APP-60007";
const NOTES_SHOWN = 3;

/**
 * A marker file in the folder, written before a new application is created and authorized. If the run stops in between,
 * the next run knows that the application is its own. A folder that cannot be written has no markers.
 */
interface Marker {
  /** Whether an earlier run wrote it. */
  readonly isOld: boolean;
  readonly remove: () => Promise<void>;
}

const NO_MARKER: Marker = { isOld: false, remove: async () => undefined };

/** How to import. */
export interface ImportOptions {
  /** Replaces applications that exist. */
  readonly replaces: boolean;
  /**
   * The server makes its checks and changes nothing. Authorized APIs and assignments are left out: a new application is
   * not there.
   */
  readonly isRehearsal?: boolean | undefined;
  readonly isQuiet?: boolean | undefined;
}

/** Imports every file. The results contain the failures; they do not stop the run. */
export async function importAll(api: Api, folder: string, options: ImportOptions): Promise<readonly Result[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".xml")).sort();
  if (names.length === 0) throw new UsageError(`${folder} contains no file with the extension .xml.`);
  const authorize = authorizing(api);
  return forEach("import", names, (name) => importFile(api, authorize, { folder, name, ...options }), options);
}

/** Imports one file. */
async function importFile(
  api: Api,
  authorize: Authorize,
  { folder, name, replaces, isRehearsal }: ImportOptions & { readonly folder: string; readonly name: string },
): Promise<Result> {
  const path = isRehearsal ? `${IMPORT}?dryRun=true` : IMPORT;
  const content = await readFile(join(folder, name));
  const read = await apiFiles.read(join(folder, apiFiles.pathOf(name)));
  if (typeof read === "string") return { name, outcome: "refused", why: read };
  const given = await assignmentFiles.read(join(folder, assignmentFiles.pathOf(name)));
  if (typeof given === "string") return { name, outcome: "refused", why: given };
  const [authorized, assigned] = isRehearsal ? [] : [read, given];
  const more = authorized ?? assigned;
  const marker = more ? await mark(api, folder, name, more) : NO_MARKER;

  const finish = async (outcome: Outcome, answer: ApiResponse, notes: readonly string[]): Promise<Result> => {
    const failures = authorized ? await authorizeImported(api, authorize, answer, authorized) : [];
    const unassigned = assigned ? await assignImported(api, answer, assigned) : [];
    const isComplete = failures.length + unassigned.length === 0;
    if (isComplete) await marker.remove();
    if (unassigned.length > 0) notes = [`not assigned: ${shortened(unassigned)}`, ...notes];
    if (failures.length > 0) notes = [`not authorized for ${shortened(failures)}`, ...notes];
    const why = notes.join("; ");
    return { name, outcome: isComplete ? outcome : "incomplete", ...(why && { why }) };
  };

  const created = await api.upload("POST", path, name, content);
  checkImport(api, created);
  if (created.status === 201) return finish("created", created, notesOf(created));
  if (textIn(created.body, "code") !== NAME_TAKEN) {
    await marker.remove();
    return { name, outcome: "refused", why: reasonOf(created) };
  }
  if (replaces) {
    const updated = await api.upload("PUT", path, name, content);
    if (updated.status === 200) return finish("updated", updated, notesOf(updated));
    return { name, outcome: "refused", why: reasonOf(updated) };
  }
  if (marker.isOld)
    return finish("updated", created, [
      "only its authorized APIs and assignments, which an earlier run did not finish",
    ]);
  await marker.remove();
  return { name, outcome: "skipped", why: "an application with this name exists; --update replaces it" };
}

async function mark(
  api: Api,
  folder: string,
  name: string,
  { application }: Pick<Companion<unknown>, "application">,
): Promise<Marker> {
  const path = join(folder, `.${name}.to-authorize`);
  const isOld = (await readFile(path, "utf8").catch(() => "")) === api.url;
  if (!isOld) {
    if ((await idNamed(api, application)) !== "none") return NO_MARKER;
    const isWritten = await writeFile(path, api.url, { mode: 0o600 }).then(
      () => true,
      () => false,
    );
    if (!isWritten) return NO_MARKER;
  }
  return { isOld, remove: () => rm(path, { force: true }) };
}

async function authorizeImported(
  api: Api,
  authorize: Authorize,
  answer: ApiResponse,
  { application, items }: Companion<AuthorizedApi>,
): Promise<readonly string[]> {
  const found = await importedAs(api, answer, application);
  return typeof found === "string" ? ["all (the application is not found)"] : authorize(found.id, items);
}

async function assignImported(
  api: Api,
  answer: ApiResponse,
  { application, items }: Companion<Assigned>,
): Promise<readonly string[]> {
  const found = await importedAs(api, answer, application);
  return typeof found === "string" ? ["all (the application is not found)"] : assignAll(api, found.id, items);
}

async function importedAs(api: Api, answer: ApiResponse, application: string) {
  const shown = textIn(answer.body, "applicationId") ?? answer.location?.split("/").at(-1);
  return shown ? { id: shown } : idNamed(api, application);
}

/** The application with a name: "unknown" if the look-up fails. */
async function idNamed(api: Api, name: string): Promise<{ readonly id: string } | "none" | "unknown"> {
  const { status, body } = await api.attempt("GET", `/applications?filter=${encodeURIComponent(`name eq ${name}`)}`);
  if (status !== 200 || typeof memberOf(body, "totalResults") !== "number") return "unknown";
  const found = listIn(body, "applications")?.find((each) => textIn(each, "name") === name);
  const id = textIn(found, "id");
  return id === undefined ? "none" : { id };
}

/** Ends the run if the server has no import operation. */
function checkImport(api: Api, { status }: ApiResponse): void {
  if (status !== 404 && status !== 405 && (status >= 300 || status === 201)) return;
  throw new RunEnded(
    `The response of ${api.url} (${status}) is not that of an import of applications. Check the address of the service.`,
  );
}

/** The elements of the file without effect, in one line. */
function notesOf({ body }: ApiResponse): readonly string[] {
  const elements = (listIn(body, "notHonoured") ?? []).map((note) => textIn(note, "element") ?? "");
  return elements.length === 0 ? [] : [`without effect: ${shortened(elements)}`];
}

function shortened(words: readonly string[]): string {
  const more = words.length > NOTES_SHOWN ? ` and ${words.length - NOTES_SHOWN} more` : "";
  return `${words.slice(0, NOTES_SHOWN).join(", ")}${more}`;
}
