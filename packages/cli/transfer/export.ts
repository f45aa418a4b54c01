/**
 * `export --out folder`: every application of a tenant as a file, and beside it one of the APIs it may call. A run that is interrupted leaves a list of what it has
 * done in the folder, and the next one goes on from there; when all is done the list goes.
 */
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SECRETS_WITHHELD } from "#core/applications/files/contract-secrets.ts";
import { authorizedOf, besideOf, writeBeside } from "./authorized-apis.ts";
import { type Api, listIn, RunEnded, reasonOf } from "./client.ts";
import { writeWhole } from "./files.ts";
import { UsageError } from "./options.ts";
import type { Result } from "./report.ts";
import { forEach } from "./run.ts";

const PAGE = 100;
const PROGRESS = ".export-in-progress";
const NAME_LENGTH_MAX = 100;

/** Which export a list of what is done belongs to, and where the files go. */
interface Export {
  readonly folder: string;
  readonly url: string;
  readonly hasSecrets: boolean;
}

interface Listed {
  readonly id: string;
  readonly name: string;
}

const NEW_SECRETS = "OAuth clients without one in the file get a new secret when it is imported";

/** Exports everything. What cannot be exported is told in the results; the next run tries that again. */
export async function exportAll(api: Api, task: Export): Promise<readonly Result[]> {
  const done = await doneBefore(task);
  const progress = join(task.folder, PROGRESS);
  const results = await forEach("export", await listAll(api), async (application): Promise<Result> => {
    const { id, name } = application;
    if (done.has(id)) return { name, outcome: "skipped", why: "done by the run before" };
    const answer = await api.get(`/applications/${encodeURIComponent(id)}/export?exportSecrets=${task.hasSecrets}`);
    if (answer.status === 404) return { name, outcome: "skipped", why: "deleted in the meantime" };
    if (answer.status !== 200) return { name, outcome: "refused", why: reasonOf(answer) };
    if (!isApplicationFile(answer.text)) return { name, outcome: "refused", why: "what came is no application file" };
    const authorized = await authorizedOf(api, id);
    const file = join(task.folder, fileNameOf(application));
    await writeWhole(file, answer.text);
    if (typeof authorized === "string") return { name, outcome: "incomplete", why: authorized };
    await writeBeside(besideOf(file), name, authorized);
    if (isWithheld(answer.text)) {
      return { name, outcome: "incomplete", why: `${SECRETS_WITHHELD.replace(/\.$/, "")}: ${NEW_SECRETS}` };
    }
    await appendFile(progress, `${id}\n`);
    const isToldSo = !task.hasSecrets && hasClient(answer.text);
    return { name, outcome: "exported", ...(isToldSo && { why: `without secrets: ${NEW_SECRETS}` }) };
  });
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
    throw new UsageError(`${folder} holds files of another export: name an empty folder.`);
  }
  await writeFile(progress, `${head}\n`, { mode: 0o600 });
  return new Set();
}

/** Every application once, however the list moves while it is read. */
async function listAll(api: Api): Promise<readonly Listed[]> {
  const found = new Map<string, Listed>();
  for (let offset = 0; ; offset += PAGE) {
    const answer = await api.get(`/applications?limit=${PAGE}&offset=${offset}`);
    if (answer.status !== 200) throw new RunEnded(`The list of applications cannot be read: ${reasonOf(answer)}`);
    const { totalResults } = (answer.body ?? {}) as Record<string, unknown>;
    if (typeof totalResults !== "number") {
      throw new RunEnded(`${api.url} answers, but this is no list of applications: is it the address of the service?`);
    }
    const page = (listIn(answer.body, "applications") ?? []).filter(isListed);
    for (const each of page) found.set(each.id, each);
    if (page.length === 0 || offset + PAGE >= totalResults) return [...found.values()];
  }
}

function isListed(value: unknown): value is Listed {
  return (
    value !== null &&
    typeof value === "object" &&
    "id" in value &&
    typeof value.id === "string" &&
    "name" in value &&
    typeof value.name === "string"
  );
}

function isApplicationFile(text: string): boolean {
  return /^\s*<(?:\?xml|!--|ServiceProvider\b)/.test(text) && text.includes("<ServiceProvider");
}

/** A name that every file system takes, and that is no other application's. */
function fileNameOf({ id, name }: Listed): string {
  const safe = (text: string) => text.replace(/[^A-Za-z0-9._ -]/g, "_").slice(0, NAME_LENGTH_MAX);
  return `${safe(name).replace(/^[. ]+/, "_")}.${safe(id)}.xml`;
}

function isWithheld(text: string): boolean {
  return text.replace(/^<\?xml[^>]*\?>\s*/, "").startsWith(`<!-- ${SECRETS_WITHHELD}`);
}

/** An OAuth client's own document stands in the file as it is, or escaped. */
function hasClient(text: string): boolean {
  return /(?:<|&lt;)oauthConsumerKey\b/.test(text);
}
