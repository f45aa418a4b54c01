/** What the functions behind the token endpoint use. */
import type { ApiResourceStore } from "../api-resources/store.ts";
import type { ClientStore } from "../applications/registry/client-store.ts";
import type { Authenticate, AuthenticationStores } from "../auth/authenticate.ts";
import type { OnRefusal } from "../auth/refusals.ts";
import type { SignIn } from "../auth/sign-in.ts";
import type { PublicContext } from "../operation/context.ts";
import type { Table } from "../table/table.ts";
import type { FamilyStore } from "../tokens/families.ts";
import type { SigningKeys } from "../tokens/held-keys.ts";
import type { TokenReader } from "../tokens/reader.ts";
import type { ClientJudge } from "./client-authentication.ts";

/** What lives as long as the container. */
export interface OAuthTools {
  readonly signIn: SignIn;
  readonly authenticate: Authenticate;
  readonly judge: ClientJudge;
  readonly signing: SigningKeys;
  readonly reader: TokenReader;
  /** Writes refusals into the log of a request. */
  readonly refusals: (traceId: string, sourceIp: string) => OnRefusal;
}

/** What one request reads and writes. */
export interface OAuthStores extends AuthenticationStores {
  readonly table: Table;
  readonly clients: ClientStore;
  readonly apiResources: ApiResourceStore;
  readonly families: FamilyStore;
  readonly tools: OAuthTools;
}

/** A request with what it uses. */
export type OAuthContext = PublicContext & OAuthStores;
