/** What the plan says of one function. Pure. */

/** What a function may need besides the table. */
export type Need =
  /** The origin of absolute links and of tokens, if the stage has a domain. */
  | "address"
  /** The public address of the stage, its own or that of the gateway, for functions that no request reaches. */
  | "origin"
  /** The origin of the name with client certificates, if the stage has one. */
  | "mtls"
  /** The keys that seal secrets which the API returns. */
  | "sealing"
  /** The key that seals cursors: derived, it opens no secret. */
  | "cursors"
  /** The key that seals forms of sign-in: derived, it opens no secret. */
  | "forms"
  /** The key that seals orders of messages about ended sessions: derived, it opens no secret. */
  | "logouts"
  /** The keys that seal secrets of one-time codes: derived, they open no other secret. */
  | "factors"
  /** The keys that seal what signs SAML assertions: derived, they open no other secret. */
  | "saml"
  /** The key that seals secrets for receivers of events: derived, it opens no other secret. */
  | "events"
  /** The keys of secrets for receivers of events and of the keys that sign them: derived, they open no other secret. */
  | "delivering"
  /** The key of the nonces of DPoP proofs: derived, it opens no secret. */
  | "nonces"
  /** The keys that seal first answers to repeatable requests: derived, they open no other secret. */
  | "answers"
  /** The files of the page at `/` and the API document, next to the bundle. */
  | "front"
  /** deployment.toml, next to the bundle. */
  | "deployment"
  /** The directories that deployment.toml declares as user stores: their passwords and their network. */
  | "directories"
  /** How mails leave: by Amazon SES, with its configuration set, or with the password of a mail server. */
  | "mail"
  /** The bus on which it puts events. */
  | "bus"
  /** What the synthetic check knows as a client: the public address and its secret; and when authorities expire. */
  | "canary";

/** The calls that read the table, and those that write it. There is no Scan and no BatchWriteItem. */
export type ReadAction = "GetItem" | "BatchGetItem" | "Query";
export type WriteAction = "PutItem" | "UpdateItem" | "DeleteItem" | "ConditionCheckItem";

/** Calls that are allowed on partitions. */
export interface Right<Action> {
  readonly calls: readonly Action[];
  readonly on: readonly string[];
}

/** One function. */
export interface FunctionPlan {
  readonly description: string;
  readonly memory: `${number} MB`;
  readonly timeout: `${number} seconds`;
  readonly needs: readonly Need[];
  readonly reads?: Right<ReadAction>;
  /** Partitions of which it may read keys alone (`GetItem`), to see whether an item exists. */
  readonly checks?: readonly string[];
  /** The same by `Query`: to see whether a partition has items. */
  readonly lists?: readonly string[];
  readonly writes?: Right<WriteAction>;
  /** Further partitions in which it changes attributes of items (`UpdateItem`), and replaces or removes no item. */
  readonly changes?: readonly string[];
  /**
   * All partitions of transactions that have a condition on an item without writing it. They are fewer than those of
   * `writes`: a condition can find out what an item contains.
   */
  readonly conditions?: readonly string[];
}

/** Memory and time of most functions behind the gateway. */
export const endpoint = { memory: "512 MB", timeout: "29 seconds" } as const;
/** For functions that hash passwords: Lambda assigns processor time by memory. */
export const hashing = { memory: "1024 MB" } as const;
