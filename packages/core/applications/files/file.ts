/** Reads a file into settings, and writes an application as a file. Loaded with the first file. */
import { Fault } from "../../kernel/faults.ts";
import { parsePart } from "../../kernel/parse.ts";
import type { ProtocolSupport } from "../protocols/configure.ts";
import { SECRETS_WITHHELD } from "../protocols/contract-secrets.ts";
import type { CustomProtocolKind } from "../protocols/custom-kind.ts";
import { ownerOf } from "../protocols/model.ts";
import type { Application } from "../registry/model.ts";
import { checkDeclared } from "./declared.ts";
import { exactElement, withExact } from "./exact.ts";
import { readTree, writeTree } from "./formats.ts";
import { normalised } from "./normalise.ts";
import { refuseFile } from "./read-xml.ts";
import { declaredElements, readServiceProvider, writeServiceProvider } from "./service-provider.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { FileSettings } from "./shapes.ts";
import type { Element, FileFormat } from "./tree.ts";
import { restore, type Unmapped, withoutSecrets } from "./unmapped.ts";

/** A file: its whole content, and the settings in it. */
interface ReadFile {
  readonly root: Element;
  readonly settings: Settings;
}

/** Whether a file contains secrets. "withheld": the caller asked for them without a scope, and the file says so. */
type Secrets = "included" | "omitted" | "withheld";

/** Reads a file. Throws `application.invalid`. */
export async function readFile(
  bytes: Uint8Array,
  format: FileFormat,
  kinds: readonly CustomProtocolKind[],
): Promise<ReadFile> {
  const given = await readTree(bytes, format);
  checkDeclared(given, declaredElements, format);
  const root = normalised(given);
  const settings = withExact(root, readServiceProvider(root, kinds));
  try {
    return { root, settings: parsePart("body", FileSettings, settings) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw refuseFile(`The file has invalid settings: ${error.description.replaceAll("body.", "")}`);
  }
}

/** Writes the file of an application. */
export async function fileOf(
  application: Application,
  tenant: string,
  { seal, customKinds }: ProtocolSupport,
  secrets: Secrets,
  format: FileFormat,
): Promise<string> {
  const hasSecrets = secrets === "included";
  const owner = ownerOf(tenant, application.id);
  const open = (sealed: string) => seal.open(sealed, owner);
  const written = writeServiceProvider(settingsOf(application, open));
  const unmapped = application.kept === undefined ? undefined : (JSON.parse(open(application.kept)) as Unmapped);
  const whole = unmapped ? restore(written, unmapped, new Set(customKinds.map(({ name }) => name))) : written;
  const root = hasSecrets ? whole : withoutSecrets(whole);
  const actual = settingsOf(application, hasSecrets ? open : () => undefined);
  const exact = exactElement(readServiceProvider(root, customKinds), actual);
  const lacksSecrets = secrets === "withheld" && JSON.stringify(root) !== JSON.stringify(whole);
  const file = { ...root, children: [...root.children, ...exact] };
  return writeTree(file, format, lacksSecrets ? SECRETS_WITHHELD : undefined);
}
