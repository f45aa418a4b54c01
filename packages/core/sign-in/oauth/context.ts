/** The dependencies of the handlers of the token endpoint. */
import type { ApiResourceStore } from "../../applications/apis/store.ts";
import type { OidcScopeStore } from "../../applications/oidc-scopes/store.ts";
import type { ClientLimits } from "../../applications/protocols/limits.ts";
import type { ClientStore } from "../../applications/registry/client-store.ts";
import type { SecretUseStore } from "../../applications/registry/secret-use-store.ts";
import type { ApplicationStore } from "../../applications/registry/store.ts";
import type { Table } from "../../database/table/table.ts";
import type { Identifier } from "../../directory/users/identifiers.ts";
import type { PublicContext, SentRequest } from "../../kernel/operation/context.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { ProofReader } from "../../tokens/dpop.ts";
import type { IdTokenKeys } from "../../tokens/id-token-keys.ts";
import type { SigningKeys } from "../../tokens/key-cache.ts";
import type { AccessToken } from "../../tokens/model.ts";
import type { FamilyStore } from "../../tokens/refresh-family-store.ts";
import type { RemoteKeySets } from "../../tokens/remote-documents.ts";
import type { Authenticate, AuthenticationStores } from "../authentication/authenticate.ts";
import type { FreshCache } from "../authentication/fresh.ts";
import type { OnRefusal, SignInAttempt } from "../authentication/refusals.ts";
import type { SignIn } from "../authentication/sign-in.ts";
import type { TokenReader } from "../authentication/token-reader.ts";
import type { PairwiseSubjects } from "../openid/pairwise-store.ts";
import type { ClientAuthenticator } from "./client-authentication.ts";
import type { ClientLockoutStore } from "./client-lockout-store.ts";

/** The days of the uses that one container has noted or read, by the sealed texts of the secrets. */
export type NotedUses = Pick<FreshCache<number>, "get" | "set">;

/** What lives as long as the container. */
export interface OAuthTools {
  readonly signIn: SignIn;
  /** What people may type as their name. */
  readonly identifiers: ReadonlySet<Identifier>;
  readonly authenticate: Authenticate;
  readonly clientAuthenticator: ClientAuthenticator;
  readonly notedUses: NotedUses;
  readonly limits: ClientLimits;
  /** The origin of the name with client certificates; absent where there is none. */
  readonly mtlsUrl: string | undefined;
  readonly signing: SigningKeys;
  readonly idTokens: IdTokenKeys;
  readonly pairwise: PairwiseSubjects;
  /** The keys of clients that ID tokens are encrypted with, by their addresses. */
  readonly encryptionKeySets: RemoteKeySets;
  /** Opens orders of logout tokens. */
  readonly orders: Pick<Seal, "open">;
  readonly reader: TokenReader;
  readonly proofs: ProofReader;
  /** Logs the refusals of one request. */
  readonly refusals: (attempt: SignInAttempt) => OnRefusal;
  /** Logs that a token was exchanged for this one. */
  readonly onExchanged: (traceId: string, sourceIp: string, token: AccessToken) => void;
}

/** What one request reads and writes. */
export interface OAuthStores extends AuthenticationStores {
  readonly table: Table;
  readonly sent: SentRequest;
  readonly clients: ClientStore;
  readonly applications: Pick<ApplicationStore, "find">;
  readonly clientLockouts: ClientLockoutStore;
  readonly secretUses: SecretUseStore;
  readonly apiResources: ApiResourceStore;
  readonly oidcScopes: Pick<OidcScopeStore, "all">;
  readonly families: FamilyStore;
  readonly tools: OAuthTools;
}

export type OAuthContext = PublicContext & OAuthStores;
