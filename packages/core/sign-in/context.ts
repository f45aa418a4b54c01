/** What the handlers of sign-in depend on. */
import type { ApiResourceStore } from "../api-resources/store.ts";
import type { ClientStore } from "../applications/registry/client-store.ts";
import type { ApplicationStore } from "../applications/registry/store.ts";
import type { OnRefusal, SignInAttempt } from "../auth/refusals.ts";
import type { SignIn, SignInStores } from "../auth/sign-in.ts";
import type { GroupStore } from "../identities/groups/store.ts";
import type { RoleStore } from "../identities/roles/store.ts";
import type { OidcScopeStore } from "../oidc-scopes/store.ts";
import type { PublicContext, SentRequest } from "../operation/context.ts";
import type { Seal } from "../platform/seal.ts";
import type { TokenLimits } from "../sessions/ending.ts";
import type { SignInSettings } from "../settings/sign-in.ts";
import type { Table } from "../table/table.ts";
import type { ProofReader } from "../tokens/dpop.ts";
import type { TokenReader } from "../tokens/reader.ts";
import type { RemoteKeySets } from "../tokens/remote-key-sets.ts";

/** What lives as long as the container. */
export interface SignInTools {
  readonly settings: SignInSettings;
  /** The limits of tokens, which say for how long a session that has ended is remembered. */
  readonly limits: TokenLimits;
  readonly signIn: SignIn;
  readonly seal: Seal;
  readonly reader: TokenReader;
  readonly proofs: ProofReader;
  /** The keys of clients at addresses, which verify their request objects. */
  readonly keySets: RemoteKeySets;
  /** Logs the refusals of one request. */
  readonly refusals: (attempt: SignInAttempt) => OnRefusal;
}

/** What one request reads and writes. */
export interface SignInContextStores extends SignInStores {
  readonly table: Table;
  readonly sent: SentRequest;
  /** The cookies of the request, `name=value` each. */
  readonly cookies: readonly string[];
  readonly clients: ClientStore;
  readonly applications: Pick<ApplicationStore, "find">;
  readonly oidcScopes: Pick<OidcScopeStore, "all">;
  readonly apiResources: Pick<ApiResourceStore, "findScopes">;
  readonly groups: GroupStore;
  readonly roles: RoleStore;
  readonly tools: SignInTools;
}

export type SignInContext = PublicContext & SignInContextStores;
