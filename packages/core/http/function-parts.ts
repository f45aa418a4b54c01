/** What a function is built from: its operations with their handlers, its table, and the stores on that table. */
import type { Caused } from "../database/changes/open.ts";
import type { OpenTable } from "../database/table/dynamo.ts";
import type { Meter } from "../database/table/meter.ts";
import type { Table } from "../database/table/table.ts";
import type { Fault } from "../kernel/faults.ts";
import type { Handlers, Operation, PageResult } from "../kernel/operation/operation.ts";
import type { ServiceName } from "../kernel/operation/services.ts";
import type { ReadMultipart } from "./body.ts";
import type { Changing } from "./changing.ts";
import type { EventHead, HttpRequest } from "./request.ts";
import type { ScimProfile, ScimProfileSetting } from "./scim-profile.ts";

/** The operations of a service, by their ids. */
export type Operations = Readonly<Record<string, Operation>>;

/** What a function is built from. */
export type FunctionParts<Ops extends Operations, Stores> = ServiceParts<Ops, Stores> & StoreParts<Stores>;

/** What the stores of a request may depend on. */
export interface Served {
  /** Counts what the request reads and writes. */
  readonly meter: Meter;
  /** The tenant of the caller, if there is one. */
  readonly tenant: string | undefined;
  /** For what only proofs of possession refer to. */
  readonly event: EventHead;
  /** The caller, for change records. */
  readonly caused: Caused;
  /** Of SCIM 2.0; other functions have no use for it. */
  readonly profile: ScimProfile;
}

/** The table of a request, and its stores on that table or on one that is laid over it. */
export function opened<Stores>(parts: StoreParts<Stores>, served: Served) {
  if (!parts.table) return { table: undefined, storesOn: (_: Table | undefined) => parts.stores() };
  const table = parts.table(served.meter);
  return { table, storesOn: (on: Table = table) => parts.stores(on, served) };
}

/** The table of a function, and what its handlers use on it, for one request. */
type StoreParts<Stores> =
  | {
      /** Opens the table, without the records of changes. */
      readonly table: OpenTable;
      /** Builds the stores on that table, or on one that is laid over it. */
      readonly stores: (table: Table, served: Served) => Stores;
    }
  | { readonly table?: undefined; readonly stores: () => Stores };

/** What a function serves, and how. */
interface ServiceParts<Ops extends Operations, Stores> {
  readonly service: ServiceName;
  /** All operations of the service. */
  readonly operations: Ops;
  readonly handlers: Handlers<Ops, Stores>;
  /** The origin of absolute links. Where it is absent: the domain of the gateway. */
  readonly baseUrl?: string | undefined;
  /** The SCIM 2.0 profile of the deployment, for the function that has one. */
  readonly scimProfile?: ScimProfileSetting;
  /** True where unknown members are refused unless the request says `Prefer: handling=lenient`. */
  readonly isStrict?: boolean;
  /** True where changes of existing resources are refused without `If-Match` (decision 0085). */
  readonly requiresIfMatch?: boolean;
  /** For a function with operations that can be rehearsed, repeated or made conditional. */
  readonly changing?: Changing;
  /** Parses `multipart/form-data`, for a function with an operation that accepts it. */
  readonly readMultipart?: ReadMultipart;
  /** Shows failures of operations that answer people, for a function that has some. */
  readonly faultPage?: (fault: Fault, request: HttpRequest) => Promise<PageResult>;
  /** Seal first answers, for a function with operations that take an `Idempotency-Key`. The first one is used. */
  readonly answerKeys?: readonly Uint8Array[];
}
