/** What the random writers share: resources that they know, names that are unique, and values that must stay secret. */
import { seeded } from "../hostile-database.ts";
import type { Ask } from "../world.ts";

/** A response, or none: then the status is 0. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
  readonly body: any;
}

/** Sends a request with its own correlation id. */
export type Sender = (method: string, path: string, ask: Ask) => Promise<Reply>;

/** A write that is about to be sent. */
export interface Write {
  readonly method: string;
  readonly path: string;
  readonly ask?: Ask;
  /** Whether a success changes something for certain, so that it must have its record. */
  readonly isChange: boolean;
  /** After a success. */
  readonly after?: (reply: Reply) => void;
}

/** A tenant whose users, groups and roles are written, and who writes them. */
export interface Realm {
  readonly tenant: string;
  /** Of paths. */
  readonly prefix: string;
  readonly as: Ask["as"];
  readonly users: string[];
  readonly groups: string[];
  readonly roles: string[];
}

/** An application with what is known of it. */
export interface KnownApplication {
  readonly id: string;
  readonly name: string;
}

/** An API with its scopes. */
export interface KnownApi {
  readonly id: string;
  readonly scopes: string[];
}

/** Random choices, and what is known of the service. */
export interface Pool {
  readonly realms: Realm[];
  readonly applications: KnownApplication[];
  readonly templates: string[];
  readonly apis: KnownApi[];
  readonly tenants: string[];
  readonly webhooks: string[];
  readonly streams: string[];
  /** Values that may be in no record, row of the log or line of output. */
  readonly secrets: Set<string>;
  chance(of: number): boolean;
  upTo(most: number): number;
  pick<T>(list: readonly T[]): T | undefined;
  /** Takes one away, so that no other writer knows it. */
  take<T>(list: T[]): T | undefined;
  /** Some of a list, each once. */
  some<T>(list: readonly T[], most: number): T[];
  /** A text that no other call returns. */
  fresh(prefix: string): string;
  /** The same, and it must stay secret. */
  secret(): string;
}

/** A user of the super tenant that does everything, as the default of requests. */
const root = (): Realm => ({ tenant: "carbon.super", prefix: "", as: undefined, users: [], groups: [], roles: [] });

/** An empty pool. Without concurrency its choices are those of the seed. */
export const newPool = (seed: number): Pool => {
  const random = seeded(seed);
  let count = 0;
  const fresh = (prefix: string): string => {
    count += 1;
    return `${prefix}-${seed}-${count}`;
  };
  const secrets = new Set<string>();
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  return {
    realms: [root()],
    applications: [],
    templates: [],
    apis: [],
    tenants: [],
    webhooks: [],
    streams: [],
    secrets,
    chance: (of) => random() < of,
    upTo,
    pick: (list) => list[upTo(list.length - 1)],
    take(list) {
      if (list.length === 0) return undefined;
      return list.splice(upTo(list.length - 1), 1)[0];
    },
    some: (list, most) =>
      [...new Set(Array.from({ length: Math.min(most, list.length) }, () => upTo(list.length - 1)))].map(
        (at) => list[at] as (typeof list)[number],
      ),
    fresh,
    secret() {
      const made = fresh("Pl4nted-secret-value");
      secrets.add(made);
      return made;
    },
  };
};
