/**
 * Token exchange (RFC 8693): a service that got the access token of a user takes a token of its own for it, with which
 * it acts for that user elsewhere (decision 0081).
 *
 * The new token has no scope that the exchanged one or the client does not have, does not outlive it, ends with it, and
 * shows in `act` who acts. Both tokens of a request are read as introspection reads them, with all revocations.
 */
import type * as z from "zod";
import type { Client } from "../../applications/registry/client-store.ts";
import { maySignIn } from "../../directory/users/model.ts";
import { Fault } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import { isSameKey } from "../../tokens/confirmation.ts";
import { actorsOf, EXCHANGES_MAX } from "../../tokens/delegation.ts";
import { isJwt, issuerAt } from "../../tokens/jwt.ts";
import type { Exchange } from "../../tokens/model.ts";
import { type AccessToken, subjectOf, type TokenUser } from "../../tokens/model.ts";
import { isDatedAhead, isEndedBy } from "../../tokens/revocation-store.ts";
import { mayUse, noAccess } from "./access.ts";
import { type AccountStatus, readAccountStatus } from "./account-status.ts";
import type { OAuthContext } from "./context.ts";
import type { GrantRequest } from "./grant-request.ts";
import { issueAccessToken, tokenResponse } from "./issue.ts";
import { required } from "./request.ts";
import { userScopes } from "./scopes.ts";
import { ACCESS_TOKEN_TYPE, JWT_TYPE, TOKEN_EXCHANGE, type TokenResponse } from "./shapes.ts";
import { audienceFor, isElsewhere, isScopeOf, resolveTargets, type Target, unknownTarget } from "./targets.ts";

/** A token of a user. */
type UserToken = AccessToken & { readonly user: TokenUser };

/** The tokens of a request. */
interface Presented {
  readonly subject: UserToken;
  readonly actor: AccessToken | undefined;
}

/** Exchanges an access token of a user. Throws `request.invalid`, `grant.invalid`, `scope.invalid` and more. */
export async function exchange(request: GrantRequest, context: OAuthContext): Promise<z.input<typeof TokenResponse>> {
  const { client, form, possession } = request;
  if (client.settings.isPublic) {
    throw new Fault("grant.unauthorized", "A public client has no secret: it cannot exchange tokens.");
  }
  const issuedType = issuedTypeFor(form.requested_token_type, client);
  const presented = await readTokens(request, context);
  const { subject, actor } = presented;
  const names = exchangeNames(request, subject);
  const [status, clientIds, others] = await Promise.all([
    accountOf(subject, names, client, context),
    targetClients(request, context),
    clientsBehind(subject, client, context),
  ]);
  await checkAccess([client, ...others], subject, status, context);
  const asked = resolveTargets(request.asked, { apiIds: request.apiIds, clientIds }, client, context.origin);
  checkTargets(asked, subject, client, context.origin);
  const granted = userScopes({ names, places: status.places, targets: asked, ...client }, status.roles);
  checkReached(asked, subject, granted.scopes, status);
  const exchanges = chainOf(presented);
  const issued = await issueAccessToken(
    client,
    {
      user: subject.user,
      scopes: granted.scopes,
      // The scopes of the exchanged token came from its roles.
      roleIds: [...new Set([...granted.roleIds, ...subject.roleIds])],
      grantId: newId(),
      knownMs: status.knownMs,
      ...(asked ? audienceFor(asked) : subject.audience && { audience: subject.audience }),
      exchanges,
      account: status,
      ...(subject.sid !== undefined && { sid: subject.sid }),
      expiresAtSecondsMax: Math.min(subject.expiresAtSeconds, actor?.expiresAtSeconds ?? Number.POSITIVE_INFINITY),
      ...possession.bound,
    },
    context,
  );
  if (client.settings.tokenType === "JWT" && !isJwt(issued.text)) {
    throw new Fault("request.invalid", "The token would be longer than the gateway accepts. Request fewer scopes.");
  }
  const writes = [...issued.steps, ...possession.steps];
  if (writes.length > 0) await context.table.write(...writes);
  context.tools.onExchanged(context.traceId, context.sourceIp, issued.token);
  return { ...tokenResponse(issued), issued_token_type: issuedType };
}

/** The type of the new token: the client's format decides it. Throws `request.invalid` for another one. */
function issuedTypeFor(
  requested: string | undefined,
  { settings }: Client,
): typeof ACCESS_TOKEN_TYPE | typeof JWT_TYPE {
  if (!requested || requested === ACCESS_TOKEN_TYPE) return ACCESS_TOKEN_TYPE;
  if (requested === JWT_TYPE && settings.tokenType === "JWT") return JWT_TYPE;
  throw new Fault(
    "request.invalid",
    `requested_token_type: this client gets ${ACCESS_TOKEN_TYPE}${settings.tokenType === "JWT" ? ` or ${JWT_TYPE}` : ""}.`,
  );
}

/**
 * Reads the tokens of a request, in parallel, together with all revocations. Throws `request.invalid` for one that this
 * client cannot exchange, or act by.
 */
async function readTokens({ form, client, possession }: GrantRequest, context: OAuthContext): Promise<Presented> {
  const subjectText = required("subject_token", form.subject_token);
  checkType("subject_token_type", required("subject_token_type", form.subject_token_type), subjectText);
  const actorText = form.actor_token || undefined;
  if (actorText === undefined && form.actor_token_type) {
    throw new Fault("request.invalid", "The parameter actor_token_type needs an actor_token.");
  }
  if (actorText !== undefined) {
    checkType("actor_token_type", required("actor_token_type", form.actor_token_type), actorText);
  }
  const read = async (text: string): Promise<AccessToken | undefined> => {
    const { table, origin, now, tools } = context;
    const reading = {
      table,
      issuer: issuerAt(origin),
      nowMs: now,
      tenantGuess: client.tenant,
      isStrict: true,
    } as const;
    const token = (await tools.reader.read(text, reading))?.token;
    // A token that a wrong clock dated cannot be tied to its revocations.
    return token && token.tenant === client.tenant && !isDatedAhead(token) ? token : undefined;
  };
  const [subject, actor] = await Promise.all([
    read(subjectText),
    actorText === undefined ? undefined : read(actorText),
  ]);
  if (!subject?.user || !mayExchange(subject, client, context.origin)) throw subjectRefused();
  for (const { cnf } of [subject, ...(actor ? [actor] : [])]) {
    // Otherwise a stolen token that is bound to a key could be exchanged for one that is not.
    if (cnf && !isSameKey(cnf, possession.bound.cnf)) throw keyMissing();
  }
  if ((subject.exchanges?.length ?? 0) >= EXCHANGES_MAX) {
    throw new Fault("request.invalid", `A token can be exchanged ${EXCHANGES_MAX} times in a row. Use an earlier one.`);
  }
  if (actorText !== undefined && (actor?.clientId !== client.clientId || actor.exchanges)) throw actorRefused();
  return { subject: { ...subject, user: subject.user }, actor };
}

/** Access tokens of this service are all that is exchanged. */
function checkType(parameter: string, type: string, text: string): void {
  if (type === ACCESS_TOKEN_TYPE || (type === JWT_TYPE && isJwt(text))) return;
  throw new Fault(
    "request.invalid",
    `${parameter}: only access tokens of this service are exchanged: ${ACCESS_TOKEN_TYPE}, or ${JWT_TYPE} for a JWT.`,
  );
}

/** Whether a client may exchange a token: one that was issued to it, or whose audience names it. */
function mayExchange({ clientId, audience }: AccessToken, client: Client, origin: string): boolean {
  return clientId === client.clientId || isAddressedTo(audience, client, origin);
}

/** Whether an audience names a client. An address of this service names none, whatever id a client has chosen. */
function isAddressedTo(audience: readonly string[] | undefined, { clientId }: Client, origin: string): boolean {
  return audience?.includes(clientId) === true && isElsewhere(clientId, origin);
}

/** One sentence for every refused subject token, so that it shows nothing of the reason. */
function subjectRefused(): Fault {
  return new Fault(
    "request.invalid",
    "The subject_token cannot be exchanged by this client: it is not valid, is not an access token of a user of the " +
      "client's tenant, or was neither issued to the client nor has the client's id in its audience.",
  );
}

function keyMissing(): Fault {
  return new Fault(
    "request.invalid",
    "A token that is bound to a key is exchanged with the proof of that key, by a client whose tokens are bound too.",
  );
}

function actorRefused(): Fault {
  return new Fault(
    "request.invalid",
    "The actor_token is not valid, or was not issued to this client by another grant than a token exchange.",
  );
}

/** The requested scopes: those of the exchanged token, or a part of them. Throws `scope.invalid`. */
function exchangeNames({ form, names }: GrantRequest, { scopes }: UserToken): readonly string[] {
  if (!form.scope) return scopes;
  if (names.every((name) => scopes.includes(name))) return names;
  throw new Fault("scope.invalid", "You can only request scopes that the subject_token has.");
}

/** The account of the user, who may sign in and whose tokens were not revoked meanwhile. Throws `request.invalid`. */
async function accountOf(
  subject: UserToken,
  names: readonly string[],
  { clientId }: Client,
  context: OAuthContext,
): Promise<AccountStatus> {
  const { tenant, user } = subject;
  const find = async () => {
    const found = await context.users.find(tenant, user.id, user.userStore);
    return found && maySignIn(found) ? found : undefined;
  };
  const status = await readAccountStatus({ tenant, names, clientId, find }, context);
  if (!status || isEndedBy(status.userFromMs, subject, context.now)) throw subjectRefused();
  return status;
}

/** The other clients that the token has come through: the one that it was issued to, and those before it. */
async function clientsBehind({ clientId, exchanges = [] }: UserToken, own: Client, { clients }: OAuthContext) {
  const ids = new Set([clientId, ...exchanges.map((one) => one.clientId)]);
  ids.delete(own.clientId);
  const found = await Promise.all([...ids].map((id) => clients.find(id)));
  return found.flatMap((one) => one ?? []);
}

/** The user must have access to each application that hands the token on or takes it. Throws `grant.invalid`. */
async function checkAccess(
  through: readonly Client[],
  { user }: UserToken,
  { user: account }: AccountStatus,
  context: OAuthContext,
): Promise<void> {
  const allowed = await Promise.all(through.map((one) => mayUse(one, { user, account }, context)));
  if (allowed.includes(false)) throw noAccess();
}

/** Those of the targets that are clients of the tenant which may exchange tokens. One round trip where any may be. */
async function targetClients({ asked, apiIds, client }: GrantRequest, { clients }: OAuthContext) {
  const others = asked.elsewhere.filter((address) => !apiIds.has(address));
  const found = await Promise.all(others.map((id) => clients.find(id)));
  return new Set(
    found.flatMap((one) =>
      one?.tenant === client.tenant && one.settings.isEnabled && one.settings.grantTypes.includes(TOKEN_EXCHANGE)
        ? [one.clientId]
        : [],
    ),
  );
}

/**
 * A token that was sent to the client is there to be exchanged: its scopes decide where it leads. A token of the client
 * itself stays within its audience; handed to itself, it would lead anywhere. Throws `target.invalid`.
 */
function checkTargets(
  targets: readonly Target[] | undefined,
  { audience }: UserToken,
  client: Client,
  origin: string,
): void {
  if (!targets || !audience || isAddressedTo(audience, client, origin)) return;
  const isOther = ({ kind, address }: Target) => kind === "client" && address !== client.clientId;
  const wider = targets.find((target) => !isOther(target) && !audience.includes(target.address));
  if (wider) throw unknownTarget(wider.address);
}

/**
 * Throws `target.invalid` for a resource that is not in the audience of the exchanged token and of which the new token
 * has no scope: the user never let anybody act there.
 */
function checkReached(
  targets: readonly Target[] | undefined,
  { audience }: UserToken,
  scopes: readonly string[],
  { places }: AccountStatus,
): void {
  for (const target of targets ?? []) {
    const isInside = audience ? audience.includes(target.address) : target.kind === "service";
    if (isInside || scopes.some((name) => isScopeOf(target, name, places)) || target.kind === "client") continue;
    throw new Fault(
      "target.invalid",
      `The token would have no scope of ${target.address.slice(0, 100)}: the subject_token or the client has none.`,
    );
  }
}

/** The exchanges behind the new token. */
function chainOf({ subject, actor }: Presented): readonly Exchange[] {
  const { clientId, grantId, issuedMs, exchanges = [] } = subject;
  const by = actor && {
    grantId: actor.grantId,
    issuedMs: actor.issuedMs,
    ...(actor.user && { userId: subjectOf(actor) }),
  };
  return [{ clientId, grantId, issuedMs, ...(by && { actor: by }) }, ...exchanges];
}

/** What the log says of an exchanged token: who acts for whom. */
export function exchangeRecord(token: AccessToken): {
  readonly tenant: string;
  readonly subject: string;
  readonly actor: string;
} {
  const actor = actorsOf(token).map(({ sub }) => sub);
  return { tenant: token.tenant, subject: subjectOf(token), actor: actor.join(" ") };
}
