/** What a kind of resource says about itself, so that folders, plans and changes treat all kinds alike. */
import type { Api } from "#client/client.ts";
import type { CustomProtocolKind } from "#core/applications/protocols/custom-kind.ts";
import type { ClientLimits } from "#core/applications/protocols/limits.ts";
import type { Document } from "./document.ts";

export const kindNames = ["api-resources", "groups", "roles", "templates", "applications"] as const;
export type KindName = (typeof kindNames)[number];

/** A resource of the service. */
export interface Found {
  readonly id: string;
  readonly document: Document;
  /** What the service showed and the document leaves out, for the kind itself. */
  readonly kept?: Document;
}

/** What documents depend on besides themselves: settings of the deployment. */
export interface Deployment {
  readonly customKinds: readonly CustomProtocolKind[];
  readonly limits: ClientLimits;
}

/** The names of resources by their ids: of the kinds that were read before, and of all applications. */
export interface Names {
  /** `undefined` for an id that no resource has: files do not name what is gone. */
  of(kind: KindName, id: string): string | undefined;
}

/** The ids of resources by their names. Changes add those that they create. */
export class Ids {
  readonly #ids = new Map<string, string>();

  set(kind: KindName, key: string, id: string): void {
    this.#ids.set(`${kind}/${key}`, id);
  }
  find(kind: KindName, key: string): string | undefined {
    return this.#ids.get(`${kind}/${key}`);
  }
  /** Throws `Unknown` where there is no such resource, or not yet. */
  get(kind: KindName, key: string): string {
    const id = this.find(kind, key);
    if (id === undefined) throw new Unknown(kind, key);
    return id;
  }
}

/** A document names a resource that does not exist, or not yet. */
export class Unknown extends Error {
  readonly kind: KindName;
  readonly key: string;
  constructor(kind: KindName, key: string) {
    super(`There is no ${wordOf[kind]} "${key.replace("\u0000", "/")}".`);
    this.kind = kind;
    this.key = key;
  }
}

export const wordOf: Readonly<Record<KindName, string>> = {
  "api-resources": "API resource",
  groups: "group",
  roles: "role",
  templates: "template",
  applications: "application",
};

/** What a step gets. */
export interface Work {
  readonly api: Api;
  readonly ids: Ids;
  readonly deployment: Deployment;
  /** A rehearsal: the service makes its checks and changes nothing. */
  readonly dryRun: boolean;
  /** The secret of a reference. */
  secret(reference: string): Promise<string>;
}

/** One request, or a few that belong together. */
export interface Step {
  run(work: Work): Promise<void>;
  /** It depends on the steps before it, so that it cannot be rehearsed. */
  readonly isLater?: true;
}

/** What a document has, and no other document may have. */
export interface Unique {
  /** `name of a group`. */
  readonly is: string;
  /** In the form in which the service compares it. */
  readonly value: string;
  readonly shown: string;
}

/** How one kind is read, compared and changed. */
export interface FolderKind {
  readonly name: KindName;
  /** The name of a document among those of its kind. */
  keyOf(document: Document): string;
  /** Two files that share one cannot both be carried out, and no rehearsal would tell, because neither is there yet. */
  uniques(document: Document): readonly Unique[];
  /** `onEach` is called for each resource that was read. */
  read(api: Api, deployment: Deployment, names: Names, onEach: () => void): Promise<readonly Found[]>;
  /** The document as the service would show it, without what is usual. Throws a `Fault` of the core for a wrong one. */
  normalised(document: Document, current: Found | undefined, deployment: Deployment): Document;
  create(document: Document): readonly Step[];
  /** Throws a `CommandError` where the service cannot make this change. */
  update(document: Document, current: Found): readonly Step[];
  delete(current: Found): readonly Step[];
}
