/** What all requests of clients have in common: parameters, and the authentication of the client. */
import type { ScopePlace } from "../../applications/apis/scope-store.ts";
import type { Client } from "../../applications/registry/client-store.ts";
import type { Step } from "../../database/table/table.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import { codeStore, type FoundCode } from "../../tokens/code-store.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import type { RefreshToken } from "../../tokens/refresh-family-store.ts";
import { isLocked } from "../authentication/guess-rows.ts";
import {
  type AuthenticatedClient,
  type ClientParameters,
  checkAssertionLife,
  clientRefused,
  isGuess,
  presentedClient,
} from "./client-authentication.ts";
import { credentialVersion } from "./client-lockout-store.ts";
import type { ServerCheck } from "./client-proofs.ts";
import type { OAuthContext } from "./context.ts";
import { noteOfUse } from "./secret-use.ts";
import { usingProof } from "./used-proof-store.ts";

/** Parameters that belong in the body: URLs are stored in logs and browser histories. */
const BODY_ONLY: ReadonlySet<string> = new Set([
  "grant_type",
  "username",
  "password",
  "client_id",
  "client_secret",
  "client_assertion",
  "client_assertion_type",
  "assertion",
  "code",
  "code_verifier",
  "refresh_token",
  "access_token",
  "token",
  "scope",
  "resource",
  "audience",
  "subject_token",
  "actor_token",
]);

/** A request before its client is authenticated. */
export interface ClientRequest {
  readonly authorization: string | undefined;
  readonly form: ClientParameters;
  /** The endpoint of the request, where an assertion for it alone counts (RFC 9126 section 2). */
  readonly ownAudience?: "par";
  /** Scopes of the tenant's own APIs whose places are to be read, for a client that sends a secret. */
  readonly names?: readonly string[];
  /** Identifiers of the tenant's own APIs whose ids are to be read, for the same clients. */
  readonly identifiers?: readonly string[];
  readonly refreshToken?: string | undefined;
  /** An authorization code. */
  readonly code?: string | undefined;
}

/** The authenticated client of a request, and what was read in the same round trip. */
export interface AuthenticatedRequest {
  readonly client: Client;
  /** The APIs of the named scopes that exist. */
  readonly places: ReadonlyMap<string, ScopePlace>;
  /** The ids of the APIs with the named identifiers. */
  readonly apiIds: ReadonlyMap<string, string>;
  readonly refreshToken: RefreshToken | undefined;
  readonly code: FoundCode | undefined;
  /** Ends when the use of the client's secret is noted. Never fails. */
  readonly noted: Promise<void>;
  /**
   * The steps that use the client's assertion up; none for other methods. They belong to the first write of the
   * request. They throw `client.unauthenticated` for an assertion that was used before.
   */
  readonly proof: readonly Step[];
}

/** A client that is not authenticated. */
export interface ClientFailure {
  /** Counts the failure. One round trip. */
  count(): Promise<void>;
}

/**
 * The most scopes and APIs that are read for a client before it is authenticated: anybody can send a hundred names.
 * More are read at once where the same credentials were accepted before, otherwise one round trip later.
 */
const UNPROVEN_NAMES_MAX = 4;
/** Of these, the most APIs. Few clients name more than one resource. */
const UNPROVEN_APIS_MAX = 2;

/** What is read of the tenant's own APIs. */
interface Names {
  readonly scopes: readonly string[];
  readonly identifiers: readonly string[];
}

const NO_NAMES: Names = { scopes: [], identifiers: [] };

const USED = "The client_assertion was used before. Sign a new one, with another jti, for every request.";

/** Refuses OAuth parameters in the query string. Throws `request.invalid`. */
export function checkQuery(query: Readonly<Record<string, unknown>>): void {
  const wrong = Object.keys(query).find((name) => BODY_ONLY.has(name));
  if (wrong === undefined) return;
  throw new Fault("request.invalid", `Send ${wrong} in the body, not in the URL.`);
}

/** A required parameter. Throws `request.invalid`. */
export function required(name: string, value: string | undefined): string {
  if (value) return value;
  throw new Fault("request.invalid", `The parameter ${name} is required.`);
}

/**
 * Authenticates the client of a request, and counts a failure. Throws `client.unauthenticated` and `request.invalid`.
 */
export async function authenticateClient(request: ClientRequest, context: OAuthContext): Promise<AuthenticatedRequest> {
  const result = await tryClient(request, context);
  if (!("count" in result)) return result;
  await result.count();
  throw clientRefused();
}

/**
 * Authenticates the client of a request; the caller counts a failure. One round trip, in which everything else that the
 * request needs is read too; one more where the client's tenant is neither the tenant of the path nor the super tenant,
 * or where more scopes and APIs are named than are read for an unproven client. Throws `client.unauthenticated` for a
 * header that cannot be read or a client that may not be used, and `request.invalid`.
 */
export async function tryClient(
  request: ClientRequest,
  context: OAuthContext,
): Promise<AuthenticatedRequest | ClientFailure> {
  const { authorization, form, names: requested = [], identifiers: apis = [], refreshToken, code: codeText } = request;
  const { ownAudience } = request;
  const { clients, clientLockouts, tenants, apiResources, families, pathTenant, sourceIp, tools, now } = context;
  const presented = presentedClient(authorization, form, context.sent.certificate);
  checkAssertionLife(presented, now);
  const guesser = { clientId: presented.clientId, sourceIp };
  const guess = pathTenant ?? SUPER_TENANT;
  // The id of a public client proves nothing.
  const isProven = isGuess(presented) || presented.certificate !== undefined;
  const wanted: Names = { scopes: isProven ? requested : [], identifiers: apis };
  const accepted = tools.clientAuthenticator.accepted(presented, sourceIp);
  const early = isProven && (accepted !== undefined || isSmall(wanted)) ? wanted : NO_NAMES;
  const readTenant = (domain: string, { scopes, identifiers }: Names) =>
    Promise.all([
      tenants.find(domain),
      apiResources.findScopes(domain, scopes),
      apiResources.idsOf(domain, identifiers),
    ]);
  const use = noteOfUse(presented, accepted, context);
  const [found, lock, guessed, token, code] = await Promise.all([
    clients.find(presented.clientId),
    clientLockouts.find(guesser, now),
    readTenant(guess, early),
    refreshToken ? families.findToken(refreshToken) : undefined,
    codeText ? codeStore(context.table).find(codeText) : undefined,
    use.read,
  ]);
  context.readableBy?.(found?.settings.origins ?? []);
  const version = credentialVersion(found);
  const failure = (of: string): ClientFailure => ({
    count: async () => {
      const counted = clientLockouts.fail(guesser, lock, now, isGuess(presented) ? of : undefined);
      await Promise.all([counted, use.refuse()]);
    },
  });
  const server = serverCheck(found?.tenant ?? guess, ownAudience, context);
  const check = { found, pathTenant, isLocked: isLocked(lock, version, now), sourceIp, accepted, ...server };
  const authenticated = await tools.clientAuthenticator.authenticate(presented, check);
  if (!authenticated) return failure(version);
  const { client, secret, refusal } = authenticated;
  const proof = proofOf(authenticated);
  if (refusal) {
    await spend({ proof }, context);
    throw refusal;
  }
  const isGuessed = client.tenant === guess;
  const isComplete = early === wanted || sizeOf(wanted) === 0;
  const [tenant, places, apiIds] = isGuessed && isComplete ? guessed : await readTenant(client.tenant, wanted);
  if (!tenant?.active) {
    await spend({ proof }, context);
    // The same work as for a wrong secret, but a lock of that time does not outlast it.
    return failure(`inactive ${version}`);
  }
  return { client, places, apiIds, refreshToken: token, code, noted: use.write(client, secret), proof };
}

/** The steps that use the assertion of a client up. */
function proofOf({ client, once }: AuthenticatedClient): readonly Step[] {
  return once ? [usingProof({ maker: `client ${client.clientId}`, ...once }, () => clientRefused(USED))] : [];
}

/** Uses an assertion up, for a request that writes nothing else together with it. One round trip. */
export async function spend({ proof }: Pick<AuthenticatedRequest, "proof">, { table }: OAuthContext): Promise<void> {
  if (proof.length > 0) await table.write(...proof);
}

/**
 * Uses the assertion of a client up also where its request is refused, so that it counts once whatever follows, and
 * waits until the use of a secret is noted.
 */
export async function spendingAlways<Result>(
  authenticated: AuthenticatedRequest,
  context: OAuthContext,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await whileNoted(authenticated.noted, act);
  } catch (error) {
    if (error instanceof Fault && error.row.status < 500) await spend(authenticated, context);
    throw error;
  }
}

/** How clients of a tenant may name this server in an assertion: each origin, with and without the tenant's path. */
function serverCheck(tenant: string, own: string | undefined, { sent, origin, tools, now }: OAuthContext): ServerCheck {
  const origins = [...sent.origins, ...(tools.mtlsUrl === undefined ? [] : [tools.mtlsUrl])];
  const bases = origins.flatMap((origin) => [`${origin}/oauth2`, `${origin}/t/${tenant}/oauth2`]);
  const at = (...paths: readonly string[]) => new Set(bases.flatMap((base) => paths.map((path) => `${base}/${path}`)));
  return {
    issuers: at("token", ...(own === undefined ? [] : [own])),
    addresses: at("token", "introspect", "revoke", "par"),
    issuer: issuerAt(origin).issuerOf(tenant),
    nowMs: now,
  };
}

/** The work of a request, while the use of its secret is noted. The response does not leave before both are done. */
export async function whileNoted<T>(noted: Promise<void>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await noted;
  }
}

function isSmall(names: Names): boolean {
  return sizeOf(names) <= UNPROVEN_NAMES_MAX && names.identifiers.length <= UNPROVEN_APIS_MAX;
}

function sizeOf({ scopes, identifiers }: Names): number {
  return scopes.length + identifiers.length;
}
