/** Many operations in one request, as SCIM 2.0 has them (RFC 7644 section 3.7; reference scim.md section 4.3). */
import { Fault } from "../../platform/faults.ts";
import {
  type BulkCaller,
  type BulkKind,
  type BulkMethod,
  type BulkOperation,
  type BulkProtocol,
  carryOutBulk,
  readBulk,
} from "../../scim/bulk.ts";
import { linkTo } from "../resources/present.ts";
import { patchGroup, postGroup, putGroup, removeGroup } from "./groups.ts";
import type { Asking } from "./list.ts";
import { BULK_REQUEST, BULK_RESPONSE } from "./shapes.ts";
import type { Scim2Stores } from "./stores.ts";
import { patchUser, postUser, putUser, removeUser, type Shown } from "./users.ts";

/** What became of one operation. */
interface Outcome {
  readonly method: string;
  readonly bulkId?: string;
  readonly version?: string;
  readonly location?: string;
  readonly status: string;
  readonly response?: Record<string, unknown>;
}

type Doing = (
  stores: Scim2Stores,
  asking: Asking,
  id: string,
  ifMatch: string | undefined,
  data: unknown,
) => Promise<Pick<Shown, "etag"> | undefined>;
/** The answer is not asked for, so nothing is read for it. */
const NOTHING = { attributes: "id" } as const;

const doing: Readonly<Record<BulkKind, Readonly<Record<Exclude<BulkMethod, "POST">, Doing>>>> = {
  Users: {
    PUT: (stores, asking, id, ifMatch, data) => putUser(stores, asking, { id, ifMatch }, data, NOTHING),
    PATCH: (stores, asking, id, ifMatch, data) => patchUser(stores, asking, { id, ifMatch }, data, NOTHING),
    DELETE: async (stores, asking, id, ifMatch) => {
      await removeUser(stores, asking, { id, ifMatch });
      return undefined;
    },
  },
  Groups: {
    PUT: (stores, asking, id, ifMatch, data) => putGroup(stores, asking, { id, ifMatch }, data, NOTHING),
    PATCH: (stores, asking, id, ifMatch, data) => patchGroup(stores, asking, { id, ifMatch }, data, NOTHING),
    DELETE: async (stores, asking, id, ifMatch) => {
      await removeGroup(stores, asking, { id, ifMatch });
      return undefined;
    },
  },
};

const statuses: Readonly<Record<BulkMethod, string>> = { POST: "201", PUT: "200", PATCH: "200", DELETE: "204" };

/**
 * Carries out a bulk request. Throws `request.malformed`, `request.invalid` or `request.too_large` for the request as a
 * whole; whatever fails in one operation stands in its own answer.
 */
export async function bulk(
  stores: Scim2Stores,
  asking: Asking,
  caller: BulkCaller,
  body: Readonly<Record<string, unknown>>,
) {
  checkSchemas(body);
  return {
    schemas: [BULK_RESPONSE] as [typeof BULK_RESPONSE],
    Operations: await carryOutBulk(protocolOf(stores, asking), caller, readBulk(body)),
  };
}

function checkSchemas(body: Readonly<Record<string, unknown>>): void {
  const name = Object.keys(body).findLast((one) => one.toLowerCase() === "schemas");
  const schemas = (name === undefined ? undefined : body[name]) ?? [];
  const hasUrn = [schemas]
    .flat()
    .some((urn) => typeof urn === "string" && urn.toLowerCase() === BULK_REQUEST.toLowerCase());
  if (Array.isArray(schemas) && (schemas.length === 0 || hasUrn)) return;
  throw new Fault("request.invalid", `schemas must hold ${BULK_REQUEST}.`);
}

function protocolOf(stores: Scim2Stores, asking: Asking): BulkProtocol<Outcome> {
  return {
    async create(kind, data) {
      const { body, etag } = await (kind === "Users" ? postUser : postGroup)(stores, asking, data, NOTHING);
      return { id: String(body.id), etag };
    },
    change: (kind, method, id, { data, version }) => doing[kind][method](stores, asking, id, version, data),
    locationOf: (kind, id) => linkTo(asking, `/${kind}/${id}`),
    unknownPath: (description) => new Fault("scim.not_found", description),
    succeeded: (sent, { method, location, etag }) => ({
      ...headOf(sent),
      ...(etag !== undefined && { version: etag }),
      location,
      status: statuses[method],
    }),
    failed: (sent, fault, location) => ({
      ...headOf(sent),
      ...(location !== undefined && { location }),
      status: String(fault.row.status),
      response: stores.dialect.errorOf(fault),
    }),
  };
}

function headOf({ method, bulkId }: BulkOperation) {
  return { method, ...(bulkId !== undefined && { bulkId }) };
}
