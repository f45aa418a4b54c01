/** An application file as the handlers see it: bytes to settings, and an application to text. Loaded when first needed. */

import { Fault } from "../../platform/faults.ts";
import { parsePart } from "../../platform/parse.ts";
import type { ProtocolSupport } from "../protocols/configure.ts";
import type { CustomProtocolKind } from "../protocols/custom-kind.ts";
import { ownerOf } from "../protocols/model.ts";
import type { Application } from "../registry/model.ts";
import { SECRETS_WITHHELD } from "./contract-secrets.ts";
import { exactElement, withExact } from "./exact.ts";
import { type Kept, restore, withoutSecrets } from "./keep.ts";
import { normalised } from "./normalise.ts";
import { readXml, refuseFile } from "./read-xml.ts";
import { readServiceProvider, writeServiceProvider } from "./service-provider.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { FileSettings } from "./shapes.ts";
import type { Element } from "./tree.ts";
import { writeXml } from "./write-xml.ts";

/** A file that was read: all that it says, and the settings among that. */
interface ReadFile {
  readonly root: Element;
  readonly settings: Settings;
}

/** Whether the secrets of an application are in its file; those that are withheld were asked for, and the file says so. */
type Secrets = "told" | "left out" | "withheld";

/** Reads a file. Throws `application.invalid` with a sentence on what to change. */
export function readFile(bytes: Uint8Array, kinds: readonly CustomProtocolKind[]): ReadFile {
  const root = normalised(readXml(bytes));
  const given = withExact(root, readServiceProvider(root, kinds));
  try {
    return { root, settings: parsePart("body", FileSettings, given) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw refuseFile(`The file says what an application cannot be: ${error.description.replaceAll("body.", "")}`);
  }
}

/** The file of an application; with its secrets, or without. */
export function fileOf(
  application: Application,
  tenant: string,
  { seal, customKinds }: ProtocolSupport,
  secrets: Secrets,
): string {
  const hasSecrets = secrets === "told";
  const owner = ownerOf(tenant, application.id);
  const open = (sealed: string) => seal.open(sealed, owner);
  const written = writeServiceProvider(settingsOf(application, open));
  const kept = application.kept === undefined ? undefined : (JSON.parse(open(application.kept)) as Kept);
  const whole = kept ? restore(written, kept, new Set(customKinds.map(({ name }) => name))) : written;
  const root = hasSecrets ? whole : withoutSecrets(whole);
  const meant = settingsOf(application, hasSecrets ? open : () => undefined);
  const exact = exactElement(readServiceProvider(root, customKinds), meant);
  const isLess = secrets === "withheld" && JSON.stringify(root) !== JSON.stringify(whole);
  return writeXml({ ...root, children: [...root.children, ...exact] }, isLess ? SECRETS_WITHHELD : undefined);
}
