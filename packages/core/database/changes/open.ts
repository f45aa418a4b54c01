/**
 * Opens the table of a request so that its changes are recorded (decision 0082): it adds to each transaction the
 * records of the resources that it changes. Stores write as before: what a row was is known from the reads of the
 * request, and the condition of the write ensures that it still is. So every change has its record, and what was
 * refused has none.
 */

import { withStore } from "../../kernel/domain/username.ts";
import { newId } from "../../kernel/ids.ts";
import { loadedOnce } from "../../kernel/later.ts";
import type { Principal, SignInMethod } from "../../kernel/operation/context.ts";
import type { OpenTable } from "../table/dynamo.ts";
import type { Page, Table } from "../table/table.ts";
import { newRowMemory } from "./memory.ts";
import type { Cause, ChangeActor } from "./model.ts";
import type { Recording } from "./recorder.ts";

/** The parts of an admitted request that records show. */
interface Caller {
  readonly operation: string;
  readonly principal: Principal | undefined;
  readonly signIn: SignInMethod | undefined;
  readonly clientId: string | undefined;
}

const recorderModule = loadedOnce(() => import("./recorder.ts"));

/** How long records are kept, in days. */
interface Keeping {
  readonly recordDays: number;
}

/** The tables in which the first tenant is created: its first resources have records as those of any other tenant. */
export function foundingTables(open: OpenTable, { recordDays }: Keeping): OpenTable {
  const cause = {
    tenant: undefined,
    actor: { type: "operator", id: "" },
    sourceIp: "",
    operation: "createTenant",
  } as const;
  return (meter) => recording(open(meter), { cause: { ...cause, traceId: newId() }, recordDays });
}

/** For a function that changes resources: lays the records of a request's changes over its table. */
export function recordedTables({ recordDays }: Keeping): (table: Table, caused: Caused) => Table {
  return (table, caused) => recording(table, { cause: causeOf(caused), recordDays });
}

/** Opens the recording table of one request. */
export function recording(table: Table, given: Recording): Table {
  const memory = newRowMemory();
  let opened: Promise<ReturnType<typeof import("./recorder.ts").recorder>> | undefined;
  return {
    ...table,
    get: async (key, options) => memory.remember(key, await table.get(key, options), options?.keyOnly),
    async getMany(keys, options) {
      const items = await table.getMany(keys, options);
      // Candidates of a list are many, and no change is based on them.
      return options?.spend ? items : memory.rememberAll(keys, items);
    },
    snapshot: async (keys) => memory.rememberAll(keys, await table.snapshot(keys)),
    query: async (range): Promise<Page> => {
      const page = await table.query(range);
      for (const item of page.items) memory.remember(item, item, range.keysOnly);
      return page;
    },
    async write(...steps) {
      opened ??= recorderModule().then(({ recorder }) => recorder(table, memory, given));
      await (await opened)(steps);
    },
  };
}

/** A request that may change something. */
export interface Caused {
  readonly caller: Caller;
  readonly traceId: string;
  readonly sourceIp: string;
}

/** The cause of the changes of a request. */
function causeOf({ caller, traceId, sourceIp }: Caused): Cause {
  const { operation, principal } = caller;
  return { tenant: principal?.tenant, actor: actorOf(caller), sourceIp, operation, traceId };
}

function actorOf({ principal, signIn, clientId }: Caller): ChangeActor {
  const by = { ...(signIn !== undefined && { signIn }), ...(clientId !== undefined && { clientId }) };
  if (!principal) return { type: "operator", id: "", ...by };
  if (principal.kind === "client") return { type: "client", id: principal.subject, ...by };
  const { subject, username, userStore, actor } = principal;
  const via = actor?.split(" ");
  return { type: "user", id: subject, name: withStore(userStore, username), ...by, ...(via && { via }) };
}
