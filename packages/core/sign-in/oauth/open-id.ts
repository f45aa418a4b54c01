/** ID tokens of the token endpoint: what they need is read together with the account of the user. */
import { sectorOf } from "../../applications/protocols/sector.ts";
import { encryptionKeys } from "../../applications/registry/client-keys.ts";
import { countingRoles } from "../../applications/registry/client-model.ts";
import type { Application } from "../../applications/registry/model.ts";
import { Fault } from "../../kernel/faults.ts";
import type { ClaimNames } from "../../tokens/code-store.ts";
import { encryptedJwt } from "../../tokens/encrypted-jwt.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import { type PublicKey, readKeySet } from "../../tokens/key-set.ts";
import type { TokenUser } from "../../tokens/model.ts";
import type { RemoteKeySets } from "../../tokens/remote-documents.ts";
import { type IdTokenContent, idTokenOf, type SignInOfToken } from "../openid/id-token.ts";
import { claimedUser, type MembershipNeeds, membershipNeeds } from "../openid/memberships.ts";
import { claimsFor, type Granted, knownClaims, subjectFor } from "../openid/user-claims.ts";
import type { AccountStatus } from "./account-status.ts";
import type { OAuthContext } from "./context.ts";
import type { IssuedToken } from "./issue.ts";

/** The settings by which an ID token is made. */
export interface OpenIdSettings {
  readonly application: Application;
  readonly given: Granted;
  readonly needs: MembershipNeeds;
}

/** Of which sign-in. */
export interface OpenIdQuery {
  readonly tenant: string;
  readonly applicationId: string;
  /** Names of the granted scopes of OpenID Connect. */
  readonly granted: readonly string[];
  readonly claims?: ClaimNames | undefined;
}

/** Reads them. One round trip. `undefined` where the application does not exist any more. */
export async function openIdSettings(
  { tenant, applicationId, granted, claims }: OpenIdQuery,
  { applications, oidcScopes }: OAuthContext,
): Promise<OpenIdSettings | undefined> {
  const [application, known] = await Promise.all([applications.find(tenant, applicationId), oidcScopes.all(tenant)]);
  if (!application) return undefined;
  const scopes = known.filter(({ name }) => granted.includes(name));
  const given: Granted = { scopes, claims: claims && knownClaims(claims.idToken, application, known) };
  return { application, given, needs: membershipNeeds(application, given) };
}

/** What a sign-in says of itself in an ID token. */
export interface IdTokenSource {
  readonly tenant: string;
  readonly clientId: string;
  readonly signedIn: SignInOfToken;
  readonly nonce?: string | undefined;
}

/** The subject of a user, and the claims about it. */
export interface SubjectClaims {
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Who the user is for an application of a tenant, to which a guest gives what it agreed to. No round trip, but one
 * where claims need names of groups that are not read yet.
 */
export async function subjectClaims(
  tenant: string,
  { home, given: ofGuest }: TokenUser,
  { application, given, needs }: OpenIdSettings,
  { user, roles, stores }: AccountStatus,
  { table, tools }: OAuthContext,
): Promise<SubjectClaims> {
  const sector = application.inbound.oidc && sectorOf(application.inbound.oidc);
  const of = { user, tenant: home ?? tenant, isGuest: home !== undefined, given: ofGuest };
  const [claimed, pairwise] = await Promise.all([
    claimedUser({ ...of, needs }, { id: application.id, ...countingRoles(application.associatedRoles) }, stores, roles),
    sector === undefined ? undefined : tools.pairwise.of(table, { tenant, sector, userId: user.id, home }),
  ]);
  return { subject: subjectFor(claimed, application, pairwise), claims: claimsFor(claimed, application, given) };
}

/** When an ID token is issued, and together with what: the digest of each binds it to the token. */
export type IssuedWith = Pick<IdTokenContent, "issuedAtSeconds" | "accessToken" | "code" | "state">;

/** An access token as that what an ID token is issued with. */
export function together({ text, token: { issuedAtSeconds } }: IssuedToken): IssuedWith {
  return { issuedAtSeconds, accessToken: text };
}

/**
 * Signs an ID token, and encrypts it where the application wants that. Throws `request.invalid` where it has no key to
 * encrypt with: then the code of the request can be used again.
 */
export async function issueIdToken(
  { tenant, clientId, signedIn, nonce }: IdTokenSource,
  { application }: OpenIdSettings,
  { subject, claims }: SubjectClaims,
  issuedWith: IssuedWith,
  { origin, table, tools, now }: OAuthContext,
): Promise<string> {
  const issuer = issuerAt(origin).issuerOf(tenant);
  const content = { issuer, clientId, subject, claims, signedIn, nonce, ...issuedWith };
  const signable = idTokenOf(application, content);
  const signed = await tools.idTokens.sign(table, signable.claims, signable.algorithm, signable.lifeSeconds, now);
  const { encryption } = application.inbound.oidc?.idToken ?? {};
  if (!encryption?.enabled) return signed;
  const { algorithm = "", method = "" } = encryption;
  const keys = await keysFor(application, tools.encryptionKeySets);
  const encrypted = await encryptedJwt(signed, { algorithm, method }, keys);
  if (encrypted !== undefined) return encrypted;
  throw new Fault(
    "request.invalid",
    `The ID token cannot be encrypted: the certificate of the application has no RSA key for ${algorithm}.`,
  );
}

/** The keys that an application registered for encryption. */
async function keysFor({ advancedConfigurations }: Application, sets: RemoteKeySets): Promise<readonly PublicKey[]> {
  const { address, jwks } = encryptionKeys(advancedConfigurations.certificate);
  const set = address === undefined ? jwks !== undefined && readKeySet(jwks, "enc") : await sets.at(address);
  return set ? set.keys : [];
}
