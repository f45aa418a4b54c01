/**
 * What every resource does: the service has it or not, and each difference from its declaration is a request, which is
 * rehearsed before it is sent (docs/dry-run.md).
 */
import { type Api, type Credentials, client, isFault } from "../../client/client.ts";
import type { Shown } from "../declarations.ts";
import { type Change, hasUnknown, isSettled, type Members, type Part, present, readBack, shownOf } from "./declared.ts";

interface Declared {
  readonly importId?: string | undefined;
}

interface Deployed {
  readonly shown?: Shown;
}

/** What is special about a resource: `I` is what a program declares, `Now` what the service has. */
export interface Definition<I extends Declared, Now> {
  /** How sentences name it: a kind of resource, before its name. */
  readonly kind: string;
  nameOf(inputs: I): string;
  /** The output that has its id. */
  readonly idOutput: string;
  /** Reads what the declaration is compared with. `undefined` without such a resource. */
  find(api: Api, id: string, inputs: I, before: Partial<I>): Promise<Now | undefined>;
  /** Throws what creating it would throw. Members that are known later only are left out. */
  rehearse(api: Api, inputs: I, isReplaced: boolean): Promise<void>;
  /** Creates it. Returns its id. If it throws, there is nothing. */
  make(api: Api, inputs: I): Promise<string>;
  /** The id of the resource whose name the declaration has. */
  holderOf(api: Api, inputs: I): Promise<string | undefined>;
  parts(now: Now, inputs: I, before: Partial<I>): readonly Part[];
  /** The members that only a new resource can be given, and that differ. */
  replaces(now: Now, inputs: I): readonly string[];
  /** The requests for the parts that differ, and for those that are no longer declared. */
  changes(api: Api, id: string, now: Now, differing: readonly Part[], inputs: I, before: Partial<I>): Promise<Change[]>;
  /** The members of the declaration from its parts. */
  inputsOf(values: ReadonlyMap<string, unknown>): Members;
  /** What the service decides. `before` has what this credential may not see. */
  madeOf(now: Now, before: Members): Members;
  pathOf(id: string): `/${string}`;
}

export interface CheckResult {
  readonly inputs: Members;
  readonly failures: readonly { readonly property: string; readonly reason: string }[];
}

export interface DiffResult {
  readonly changes: boolean;
  /** The parts that differ, for people: Pulumi does not use them. */
  readonly changed: readonly string[];
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** The methods of a provider as functions of a client, what is declared, and what the last deployment stored. */
export interface Resource {
  /** A new resource is rehearsed here, so that a preview fails with the sentence of the service. */
  check(api: Api, outputs: Members, inputs: Members): Promise<CheckResult>;
  /** Compares with what the service has now, and rehearses the change. Throws the sentence of a refusal. */
  diff(api: Api, id: string, outputs: Members, inputs: Members): Promise<DiffResult>;
  create(api: Api, inputs: Members): Promise<{ readonly id: string; readonly outs: Members }>;
  /** Without an id where the service has no such resource. */
  read(api: Api, id: string, outputs: Members): Promise<{ readonly id: string; readonly props?: Members }>;
  update(api: Api, id: string, outputs: Members, inputs: Members): Promise<{ readonly outs: Members }>;
  /** A resource that does not exist is no error. */
  remove(api: Api, id: string, outputs: Members): Promise<void>;
}

/** The resource that a definition makes. */
export function resourceOf<I extends Declared, Now>(definition: Definition<I, Now>): Resource {
  const { find, parts, pathOf, idOutput } = definition;
  const telling = tellingOf(definition);
  const { wordOf, told, toldOfTaken } = telling;
  const { outputsOf, planned, existing, applied } = changingOf(definition, telling);
  const declaredOf = (values: Members) => present(values) as Members & I & Deployed;
  const diff = diffOf(definition, telling, planned);

  return {
    async check(api, outputs, given) {
      const inputs = declaredOf(given);
      try {
        if (Object.keys(outputs).length > 0) return { inputs, failures: [] };
        const { importId } = inputs;
        if (importId) await planned(api, importId, await existing(api, importId, inputs, {}), inputs, {});
        else await toldOfTaken(api, inputs, () => definition.rehearse(api, inputs, false));
        return { inputs, failures: [] };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { inputs, failures: [{ property: error.property, reason: error.message }] };
      }
    },

    diff: (api, id, outputs, given) => diff(api, id, declaredOf(given), declaredOf(outputs)),

    async create(api, given) {
      const inputs = declaredOf(given);
      const { importId } = inputs;
      if (importId) return { id: importId, outs: await applied(api, importId, inputs, {} as Members & Partial<I>) };
      const id = await toldOfTaken(api, inputs, () => definition.make(api, inputs));
      return { id, outs: outputsOf(id, await existing(api, id, inputs, {}), inputs, {}) };
    },

    async read(api, id, outputs) {
      const before = declaredOf(outputs);
      const now = await told(before, "name", () => find(api, id, before, before));
      if (now === undefined) return { id: "" };
      const all = parts(now, before, before);
      const values = new Map(all.map((part) => [part.key, readBack(part, before.shown)]));
      const props = { ...before, ...definition.inputsOf(values), [idOutput]: id, ...definition.madeOf(now, before) };
      return { id, props: withoutAbsent(props) };
    },

    async update(api, id, outputs, given) {
      return { outs: await applied(api, id, declaredOf(given), declaredOf(outputs)) };
    },

    async remove(api, id, outputs) {
      try {
        await api.send("DELETE", pathOf(id));
      } catch (error) {
        if (!isFault(error, "notFound")) throw refusalOf(wordOf(declaredOf(outputs)), "name", error);
      }
    },
  };
}

type Telling<I extends Declared> = ReturnType<typeof tellingOf<I, never>>;
type Planned<I extends Declared, Now> = ReturnType<typeof changingOf<I, Now>>["planned"];

/** Runs work with errors that name the resource. */
function tellingOf<I extends Declared, Now>({
  kind,
  nameOf,
  holderOf,
}: Pick<Definition<I, Now>, "kind" | "nameOf" | "holderOf">) {
  const wordOf = (inputs: I) => `${kind} "${nameOf(inputs)}"`;

  /** What runs, with errors that name the resource. */
  const told = async <T>(inputs: I, property: string, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw refusalOf(wordOf(inputs), property, error);
    }
  };

  /** The same where the name of the resource may be taken. */
  const toldOfTaken = async <T>(api: Api, inputs: I, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      const holder = isFault(error, "conflict") ? await holderOf(api, inputs) : undefined;
      if (holder) throw taken(wordOf(inputs), "name", error, holder);
      throw refusalOf(wordOf(inputs), "name", error);
    }
  };

  return { wordOf, told, toldOfTaken };
}

/** Plans the requests of a change, and sends them. */
function changingOf<I extends Declared, Now>(definition: Definition<I, Now>, { wordOf, told }: Telling<I>) {
  const { kind, idOutput, find, parts } = definition;

  const outputsOf = (id: string, now: Now, inputs: I, before: Members): Members =>
    withoutAbsent({
      ...(inputs as Members),
      [idOutput]: id,
      ...definition.madeOf(now, before),
      shown: shownOf(parts(now, inputs, before as Partial<I>)),
    });

  /** The requests that are needed, each of them rehearsed. Throws a `Refusal`. */
  const planned = async (api: Api, id: string, now: Now, inputs: I, before: Partial<I> & Deployed) => {
    const differing = parts(now, inputs, before).filter((part) => !isSettled(part, before.shown));
    const changes = await told(inputs, kind, () => definition.changes(api, id, now, differing, inputs, before));
    for (const change of changes) {
      if (change.isLate || hasUnknown(change.body)) continue;
      await told(inputs, change.keys[0] ?? kind, () => sent(api, { ...change, isRehearsal: true }));
    }
    return { changes, differing };
  };

  const existing = async (api: Api, id: string, inputs: I, before: Partial<I>): Promise<Now> => {
    const now = await told(inputs, "name", () => find(api, id, inputs, before));
    if (now === undefined)
      throw new Refusal("name", `${wordOf(inputs)}: the service has no ${kind} with the id ${id}.`);
    return now;
  };

  const applied = async (api: Api, id: string, inputs: I, before: Members & Partial<I> & Deployed) => {
    const now = await existing(api, id, inputs, before);
    const { changes } = await planned(api, id, now, inputs, before);
    for (const [index, change] of changes.entries()) {
      // A change of a list that this loop has changed already needs the entity tag of after that.
      const isFirst = !changes.slice(0, index).some(({ ifMatch }) => ifMatch && ifMatch === change.ifMatch);
      const { ifMatch: _, ...rest } = change;
      await told(inputs, change.keys[0] ?? kind, () => sent(api, isFirst ? change : rest));
    }
    return outputsOf(id, await existing(api, id, inputs, {}), inputs, before);
  };

  return { outputsOf, planned, existing, applied };
}

function diffOf<I extends Declared, Now>(
  definition: Definition<I, Now>,
  { wordOf, told, toldOfTaken }: Telling<I>,
  planned: Planned<I, Now>,
) {
  const { kind, idOutput, find } = definition;
  return async (api: Api, id: string, inputs: I & Deployed, before: Members & I & Deployed): Promise<DiffResult> => {
    if (inputs.importId && inputs.importId !== id) {
      throw new Refusal(
        "import",
        `${wordOf(inputs)} is the ${kind} ${id}; the option import names ${inputs.importId}. ` +
          "Remove the option, or declare the other one as a resource of its own.",
      );
    }
    const now = await told(inputs, "name", () => find(api, id, inputs, before));
    if (now === undefined) {
      await toldOfTaken(api, inputs, () => definition.rehearse(api, inputs, false));
      return { changes: true, changed: [idOutput], replaces: [idOutput], deleteBeforeReplace: true };
    }
    const replaces = definition.replaces(now, inputs);
    if (replaces.length > 0) {
      await told(inputs, replaces[0] ?? kind, () => definition.rehearse(api, inputs, true));
      return { changes: true, changed: replaces, replaces, deleteBeforeReplace: true };
    }
    const { changes, differing } = await planned(api, id, now, inputs, before);
    const made = Object.entries(definition.madeOf(now, before)).filter(([name, value]) => before[name] !== value);
    const changed = [
      ...new Set([
        ...differing.map(({ key }) => key),
        ...changes.flatMap(({ keys }) => keys),
        ...made.map(([name]) => name),
      ]),
    ];
    return { changes: changed.length > 0, changed, replaces: [], deleteBeforeReplace: false };
  };
}

function withoutAbsent(members: Members): Members {
  return present(members);
}

function sent(api: Api, { method, path, body, ifMatch, isRehearsal }: Change & { readonly isRehearsal?: true }) {
  return api.send(method, path, {
    ...(body !== undefined && { body }),
    ...(ifMatch !== undefined && { ifMatch }),
    ...(isRehearsal && { dryRun: true }),
  });
}

/** A sentence about a resource. It has no part of a request, so no credential either. */
export class Refusal extends Error {
  /** The member of the declaration that it is about. */
  readonly property: string;

  constructor(property: string, message: string) {
    super(message);
    this.property = property;
  }
}

/** The error of a failed request: the sentence of the service, after the name of the resource. */
function refusalOf(what: string, property: string, error: unknown): Error {
  if (!isFault(error)) return error instanceof Error ? error : new Error(String(error));
  const trace = error.traceId ? ` (trace id ${error.traceId})` : "";
  if (error.kind === "changed") {
    return new Refusal(property, `${what} was changed by somebody else just now. Deploy again.${trace}`);
  }
  return new Refusal(property, `${what}: ${error.detail}${trace}`);
}

/** A name that another resource has: how to take that one over. */
function taken(what: string, property: string, error: unknown, id: string | undefined): Error {
  const refused = refusalOf(what, property, error);
  const option = `{ import: "${id ?? "<its id>"}" }`;
  return new Refusal(property, `${refused.message} To manage what exists, give the resource the option ${option}.`);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A misspelt member of a declaration is refused, not ignored. */
export const requestHeaders = { "user-agent": "identity-admin-api-sst", prefer: "handling=strict" } as const;

const PREFIX = "IDENTITY_ADMIN_";
const HELP = `Set ${PREFIX}USER and ${PREFIX}PASSWORD, or ${PREFIX}CLIENT_ID and ${PREFIX}CLIENT_SECRET, or ${PREFIX}TOKEN.`;

/** Throws an `Error` that names the variables which are missing, without their values. */
export function apiOf(environment: Environment): Api {
  const read = (name: string) => environment[`${PREFIX}${name}`] || undefined;
  const url = read("URL");
  if (!url)
    throw new Error(`${PREFIX}URL is not set. It is the address of the service, such as https://id.example.com.`);
  const tenant = read("TENANT");
  const credentials = credentialsOf(read);
  try {
    return client({ url, credentials, ...(tenant && { tenant }), headers: requestHeaders });
  } catch (error) {
    throw new Error(`${PREFIX}URL cannot be used: ${error instanceof Error ? error.message : "unknown error"}`);
  }
}

function credentialsOf(read: (name: string) => string | undefined): Credentials {
  const [username, password] = [read("USER"), read("PASSWORD")];
  const [clientId, clientSecret] = [read("CLIENT_ID"), read("CLIENT_SECRET")];
  const token = read("TOKEN");
  const kinds = [username ?? password, clientId ?? clientSecret, token].filter((each) => each !== undefined);
  if (kinds.length === 0) throw new Error(`There is no credential for the service. ${HELP}`);
  if (kinds.length > 1) throw new Error(`There is more than one credential for the service. ${HELP}`);
  if (token) return { token };
  if (username && password) return { username, password };
  if (clientId && clientSecret) return { clientId, clientSecret };
  throw new Error(`The credential for the service is incomplete. ${HELP}`);
}
