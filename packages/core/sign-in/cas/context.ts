/** What the handlers of CAS depend on. */
import type { PublicContext } from "../../kernel/operation/context.ts";
import type { SsoStores } from "../sso/context.ts";

/** What one request reads and writes, and what lives as long as the container. */
export interface CasStores extends SsoStores {
  readonly tools: SsoStores["tools"] & {
    /** The kind of custom protocols that is CAS; `undefined` where the deployment declares none. */
    readonly casKind: string | undefined;
    /** Calls an address of an application. Returns why it has not taken the call. */
    readonly call: (address: string) => Promise<string | undefined>;
  };
}

export type CasContext = PublicContext & CasStores;
