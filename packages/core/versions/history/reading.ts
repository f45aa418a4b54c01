/** What handlers of histories share: the functions that read them, loaded on first use, and the pair for a resource. */
import { later } from "../../kernel/later.ts";
import type { RequestContext, ScopedContext } from "../../kernel/operation/context.ts";
import type { Subject } from "./history.ts";
import type { WithHistory } from "./source.ts";

export const { readHistory, storesAt } = later(() => import("./history.ts"), "readHistory", "storesAt");

/** The input of a handler that reads a resource, besides its path. */
export const empty = { query: undefined, headers: undefined, body: undefined } as const;

/** Which page of a history. */
interface Page {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

/** The handlers of the history of a resource that `read` returns as it is now, or as it was in the stores it gets. */
export function historyHandlers<Stores, Path, Shown>(
  type: Subject["type"],
  idOf: (path: Path) => string,
  read: (params: Path, context: RequestContext & Stores) => Promise<Shown>,
) {
  type Context = RequestContext & WithHistory<Stores>;
  const subject = ({ tenant }: Context, params: Path): Subject => ({ tenant, type, id: idOf(params) });
  return {
    list: ({ params, query }: { readonly params: Path; readonly query: Page }, context: Context & ScopedContext) =>
      readHistory(context, subject(context, params), query, () => read(params, context)),
    async at({ params }: { readonly params: Path & { readonly version: string } }, context: Context): Promise<Shown> {
      const now = () => read(params, context);
      const stores = await storesAt(context.history, subject(context, params), params.version, now);
      return read(params, { ...context, ...stores });
    },
  };
}
