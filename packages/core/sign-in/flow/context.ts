/** What the handlers of sign-in depend on. */
import type { ApiResourceStore } from "../../applications/apis/store.ts";
import type { OidcScopeStore } from "../../applications/oidc-scopes/store.ts";
import type { ClientStore } from "../../applications/registry/client-store.ts";
import type { ApplicationStore } from "../../applications/registry/store.ts";
import type { Table } from "../../database/table/table.ts";
import type { PasswordLimits } from "../../directory/credentials/password-limits.ts";
import type { GroupStore } from "../../directory/groups/store.ts";
import type { UserStores } from "../../directory/provisioning/users.ts";
import type { RoleStore } from "../../directory/roles/store.ts";
import type { Identifier } from "../../directory/users/identifiers.ts";
import type { Principal, PublicContext, SentRequest } from "../../kernel/operation/context.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { ProofReader } from "../../tokens/dpop.ts";
import type { RemoteDocuments, RemoteKeySets } from "../../tokens/remote-documents.ts";
import type { SignInStores } from "../authentication/attempt.ts";
import type { OnRefusal, SignInAttempt } from "../authentication/refusals.ts";
import type { SignIn } from "../authentication/sign-in.ts";
import type { TokenReader } from "../authentication/token-reader.ts";
import type { AskLimits } from "../mails/ask.ts";
import type { PairwiseSubjects } from "../openid/pairwise-store.ts";
import type { Brand } from "../pages/layout.ts";
import type { TokenLimits } from "../sessions/ending.ts";
import type { SessionLimits } from "../sessions/model.ts";

/** What the operator decides about sign-in. */
export interface SignInSettings {
  /** What people may type as their name. */
  readonly identifiers: ReadonlySet<Identifier>;
  readonly sessions: SessionLimits;
  /** What the pages of a tenant show of it. */
  readonly brandOf: (tenant: string) => Brand;
}

/** What lives as long as the container. */
export interface SignInTools {
  /** Seals secrets of one-time codes. */
  readonly factorSeal: Seal;
  readonly settings: SignInSettings;
  /** For new passwords. */
  readonly passwords: PasswordLimits;
  /** The name of the administrator whose password the environment says: of `npm start` alone. */
  readonly localAdministrator?: string | undefined;
  /** Whether forgotten passwords can be recovered: the deployment sends mails. */
  readonly recovers: boolean;
  /** How many mails may be asked for. */
  readonly mailLimits: AskLimits;
  /** Whether people may register in a tenant by a page. */
  readonly registers: (tenant: string) => boolean;
  /** The limits of tokens, which say for how long a session that has ended is remembered. */
  readonly limits: TokenLimits;
  readonly signIn: SignIn;
  readonly seal: Seal;
  readonly reader: TokenReader;
  readonly proofs: ProofReader;
  readonly pairwise: PairwiseSubjects;
  /** The addresses of sectors, by the address of their document. */
  readonly sectors: RemoteDocuments<readonly string[]>;
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
  /** Changes users on behalf of one: the records of changes name that user. */
  readonly identitiesAs: (principal: Principal) => UserStores;
  readonly tools: SignInTools;
}

export type SignInContext = PublicContext & SignInContextStores;
