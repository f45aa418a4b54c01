/**
 * `export --out folder`: writes every application of a tenant to a file, and its authorized APIs and assignments to
 * others next to it. An interrupted run leaves a progress file in the folder, and the next run continues from it. A
 * complete run deletes it.
 */
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SECRETS_WITHHELD } from "#core/applications/protocols/contract-secrets.ts";
import { assignedTo, assignmentFiles } from "./assignments.ts";
import { apiFiles, authorizedOf } from "./authorized-apis.ts";
import { type Api, listIn, memberOf, RunEnded, reasonOf, textIn, UsageError } from "./client.ts";
import { forEach, type Result, writeWhole } from "./report.ts";

const PAGE = 100;
const PROGRESS = ".export-in-progress";
const NAME_LENGTH_MAX = 100;

/** An export: its target folder, and what a progress file must match. */
interface Export {
  readonly folder: string;
  readonly url: string;
  readonly hasSecrets: boolean;
  /** Shows no progress. */
  readonly isQuiet?: boolean | undefined;
}

interface Listed {
  readonly id: string;
  readonly name: string;
}

const NEW_SECRETS = "an import creates new secrets for OAuth clients without one";

/** Exports every application. The results contain the failures; the next run tries those again. */
export async function exportAll(api: Api, task: Export): Promise<readonly Result[]> {
  const done = await doneBefore(task);
  const progress = join(task.folder, PROGRESS);
  const exportOne = async (application: Listed): Promise<Result> => {
    const { id, name } = application;
    if (done.has(id)) return { name, outcome: "skipped", why: "done by an earlier run" };
    const answer = await api.get(`/applications/${encodeURIComponent(id)}/export?exportSecrets=${task.hasSecrets}`);
    if (answer.status === 404) return { name, outcome: "skipped", why: "deleted during the export" };
    if (answer.status !== 200) return { name, outcome: "refused", why: reasonOf(answer) };
    if (!isApplicationFile(answer.text))
      return { name, outcome: "refused", why: "the response is not an application file" };
    const [authorized, assigned] = [await authorizedOf(api, id), await assignedTo(api, id)];
    const file = join(task.folder, fileNameOf(application));
    await writeWhole(file, answer.text);
    if (typeof authorized === "string") return { name, outcome: "incomplete", why: authorized };
    await apiFiles.write(apiFiles.pathOf(file), name, authorized);
    if (typeof assigned === "string") return { name, outcome: "incomplete", why: assigned };
    await assignmentFiles.write(assignmentFiles.pathOf(file), name, assigned);
    if (isWithheld(answer.text)) {
      return { name, outcome: "incomplete", why: `${SECRETS_WITHHELD.replace(/\.$/, "")}: ${NEW_SECRETS}` };
    }
    await appendFile(progress, `${id}\n`);
    const lacksSecrets = !task.hasSecrets && hasClient(answer.text);
    return { name, outcome: "exported", ...(lacksSecrets && { why: `without secrets: ${NEW_SECRETS}` }) };
  };
  const results = await forEach("export", await listAll(api), exportOne, task);
  if (!results.some(({ outcome }) => outcome === "refused" || outcome === "incomplete"))
    await rm(progress, { force: true });
  return results;
}

/** The ids that an interrupted run of the same export has done. Throws `UsageError` for a folder with other files. */
async function doneBefore({ folder, url, hasSecrets }: Export): Promise<ReadonlySet<string>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const progress = join(folder, PROGRESS);
  const head = JSON.stringify({ url, hasSecrets });
  const [found, ...ids] = (await readFile(progress, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  if (found === head) return new Set(ids);
  if ((await readdir(folder)).some((name) => name.endsWith(".xml"))) {
    throw new UsageError(`${folder} contains files of another export. Choose an empty folder.`);
  }
  await writeFile(progress, `${head}\n`, { mode: 0o600 });
  return new Set();
}

/** Every application once, even if the list changes between two pages. */
async function listAll(api: Api): Promise<readonly Listed[]> {
  const found = new Map<string, Listed>();
  for (let offset = 0; ; offset += PAGE) {
    const answer = await api.get(`/applications?limit=${PAGE}&offset=${offset}`);
    if (answer.status !== 200) throw new RunEnded(`Cannot list the applications: ${reasonOf(answer)}`);
    const total = memberOf(answer.body, "totalResults");
    if (typeof total !== "number") {
      throw new RunEnded(`The response of ${api.url} is not a list of applications. Check the address of the service.`);
    }
    const page = (listIn(answer.body, "applications") ?? []).flatMap(listedIn);
    for (const each of page) found.set(each.id, each);
    if (page.length === 0 || offset + PAGE >= total) return [...found.values()];
  }
}

function listedIn(value: unknown): readonly Listed[] {
  const [id, name] = [textIn(value, "id"), textIn(value, "name")];
  return id === undefined || name === undefined ? [] : [{ id, name }];
}

function isApplicationFile(text: string): boolean {
  return /^\s*<(?:\?xml|!--|ServiceProvider\b)/.test(text) && text.includes("<ServiceProvider");
}

/** A file name that every file system accepts, unique by the id. */
function fileNameOf({ id, name }: Listed): string {
  const safe = (text: string) => text.replace(/[^A-Za-z0-9._ -]/g, "_").slice(0, NAME_LENGTH_MAX);
  return `${safe(name).replace(/^[. ]+/, "_")}.${safe(id)}.xml`;
}

function isWithheld(text: string): boolean {
  return text.replace(/^<\?xml[^>]*\?>\s*/, "").startsWith(`<!-- ${SECRETS_WITHHELD}`);
}

/** Whether the file has an OAuth client: its nested document is written as CDATA or escaped. */
function hasClient(text: string): boolean {
  return /(?:<|&lt;)oauthConsumerKey\b/.test(text);
}
