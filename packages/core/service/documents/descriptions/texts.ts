/**
 * The texts of the document, which are data: what each operation does, does not do and causes (`operations.yaml`), and
 * what members and parameters are (`members.yaml`). Only the generator of the document reads them: functions do not
 * carry these texts.
 */
import { readFileSync } from "node:fs";
import { load } from "js-yaml";

type Texts = Readonly<Record<string, string>>;

interface OperationFile {
  readonly sentences: Texts;
  readonly operations: Texts;
  /** What the operations on the past of every resource say. */
  readonly history: Readonly<Record<(typeof ofHistory)[number], string>>;
  /** The ids of these operations, and what a resource adds to their texts. Webhooks have no restore. */
  readonly histories: readonly Texts[];
}

interface MemberFile {
  readonly sentences: Texts;
  readonly members: Texts;
  readonly names: Texts;
  readonly parameters: Texts;
}

const ofHistory = ["list", "version", "restore"] as const;
const ofOperations = read<OperationFile>("operations.yaml");
const ofMembers = read<MemberFile>("members.yaml");

/** The descriptions of all operations, by their ids. */
export const operationDescriptions: Texts = {
  ...filled(ofOperations.operations, ofOperations.sentences),
  ...Object.assign({}, ...ofOperations.histories.map(descriptionsOfHistory)),
};

/** Descriptions of members by `Schema.member`, where the name alone would not say enough. */
export const memberDescriptions: Texts = ofMembers.members;

/** Descriptions of members by name, for schemas that have no description of their own. */
export const nameDescriptions: Texts = filled(ofMembers.names, ofMembers.sentences);

/** Descriptions of parameters by name, where the shape of an operation has no other. */
export const parameterDescriptions: Texts = ofMembers.parameters;

function descriptionsOfHistory(resource: Texts): Texts {
  const texts = filled(ofOperations.history, resource);
  return Object.fromEntries(
    ofHistory.flatMap((kind) => {
      const id = resource[kind];
      return id === undefined ? [] : [[id, texts[kind] ?? ""]];
    }),
  );
}

/** The texts with what `{name}` stands for in them. */
function filled(texts: Texts, words: Texts): Texts {
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole);
  return Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, fill(text)]));
}

/** Throws for a key that is there twice. */
function read<File>(name: string): File {
  return load(readFileSync(new URL(name, import.meta.url), "utf8")) as File;
}
