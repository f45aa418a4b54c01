/** The grants: from a client and its form to tokens (reference access.md sections 1.2 and 1.7; decision 0023). */
import type * as z from "zod";
import { usable } from "../auth/basic.ts";
import { NOWHERE } from "../auth/sign-in.ts";
import { parseUsername } from "../domain/username.ts";
import { maySignIn } from "../identities/users/model.ts";
import { systemClock } from "../platform/clock.ts";
import { Fault } from "../platform/faults.ts";
import { newId } from "../platform/ids.ts";
import { removingAccessToken } from "../tokens/access.ts";
import {
  continuingFamily,
  type Family,
  type FoundRefresh,
  removingFamily,
  startingFamily,
} from "../tokens/families.ts";
import { isAlive } from "../tokens/model.ts";
import { digestOf, newOpaque } from "../tokens/opaque.ts";
import { revocationTime, revokingGrant } from "../tokens/revocation.ts";
import { userStanding } from "./account-status.ts";
import type { OAuthContext } from "./context.ts";
import { tokenAnswer, type Written, writeAccessToken } from "./issue.ts";
import { needed, type Opened } from "./request.ts";
import { clientScopes, ownNames, userScopes } from "./scopes.ts";
import type { TokenRequest, TokenResponse } from "./shapes.ts";

/** A token request whose client is known. */
export interface GrantRequest extends Opened {
  readonly form: z.output<typeof TokenRequest>;
  /** The scopes that are asked for. */
  readonly names: readonly string[];
}

type Grant = (request: GrantRequest, context: OAuthContext) => Promise<z.input<typeof TokenResponse>>;

/** A family ends after 30 days, however often it is used, or with its first refresh token where that lives longer (RFC 9700 section 4.14.2). */
const FAMILY_SECONDS = 30 * 24 * 60 * 60;

/** The grants that there are, by their names, which are compared as they are. */
export const grants: ReadonlyMap<string, Grant> = new Map([
  ["client_credentials", clientCredentials],
  ["password", password],
  ["refresh_token", refresh],
]);

/** The steps that end a family and all its tokens. */
export function endingFamily({ id, tenant, access }: Family) {
  return [
    removingFamily(tenant, id),
    ...(access.digest === undefined ? [] : [removingAccessToken(access.digest)]),
    ...revokingGrant(tenant, id, revocationTime(), access.expiresAtSeconds),
  ];
}

async function clientCredentials(
  { client, names, places }: GrantRequest,
  context: OAuthContext,
): Promise<z.input<typeof TokenResponse>> {
  if (client.settings.isPublic) {
    throw new Fault(
      "grant.unauthorized",
      "A public client cannot show that it is the one: it has no grant of its own.",
    );
  }
  const scopes = clientScopes({ names, places, ...client });
  const written = await writeAccessToken(client, { scopes, roleIds: [], grantId: newId(), knownMs: 0 }, context);
  if (written.steps.length > 0) await context.table.write(...written.steps);
  return tokenAnswer(written);
}

async function password(
  { form, client, names, places }: GrantRequest,
  context: OAuthContext,
): Promise<z.input<typeof TokenResponse>> {
  const { tenant, settings } = client;
  const username = needed("username", form.username);
  const credential = usable(username, needed("password", form.password));
  if (!credential) throw signInRefused();
  const given = parseUsername(credential.username);
  // A name that does not end in the client's tenant is meant as a whole, an e-mail address included; whoever is of another
  // tenant is a stranger then.
  const isQualified = username.includes("@") && given?.tenant === tenant;
  const name = (isQualified ? given : parseUsername(`${credential.username}@${tenant}`)) ?? NOWHERE;
  const onRefused = context.tools.refusals(context.traceId, context.sourceIp);
  const found = await userStanding(
    tenant,
    async () => (await context.tools.signIn([name], credential.password, context, onRefused))?.user,
    context,
  );
  if (!found) throw signInRefused();
  const { user, roles, knownMs } = found;
  const [id, text] = [newId(), newOpaque("rt_")];
  const who = { id: user.id, userName: user.userName, userStore: user.userStore };
  const decided = userScopes({ names, places, ...client }, roles);
  const written = await writeAccessToken(client, { user: who, ...decided, grantId: id, knownMs }, context);
  const startedSeconds = written.token.issuedAtSeconds;
  const family: Family = {
    id,
    tenant,
    clientId: client.clientId,
    applicationId: client.applicationId,
    user: who,
    scopes: decided.scopes,
    startedMs: written.token.issuedMs,
    endsAtSeconds: startedSeconds + Math.max(FAMILY_SECONDS, settings.refreshSeconds),
    current: digestOf(text),
    currentUntilSeconds: startedSeconds + settings.refreshSeconds,
    rotatedMs: 0,
    access: written.latest,
  };
  await context.table.write(...written.steps, ...startingFamily(family));
  return tokenAnswer(written, text);
}

/** One answer for everybody who may not sign in, whatever the reason. */
function signInRefused(): Fault {
  return new Fault("grant.invalid", "The user name or the password is wrong, or the user may not sign in.");
}

async function refresh(request: GrantRequest, context: OAuthContext): Promise<z.input<typeof TokenResponse>> {
  const { client } = request;
  const { tenant, settings } = client;
  const given = needed("refresh_token", request.form.refresh_token);
  const family = await usableFamily(request, context);
  const names = refreshNames(request, family);
  const find = async () => {
    const user = await context.users.find(tenant, family.user.id, family.user.userStore);
    return user && maySignIn(user) ? user : undefined;
  };
  const [found, places] = await Promise.all([
    userStanding(tenant, find, context),
    context.apiResources.findScopes(tenant, ownNames(names)),
  ]);
  if (!found || found.userFromMs > family.startedMs) throw refreshRefused();
  const decided = userScopes({ names, places, ...client }, found.roles);
  const knownMs = Math.max(found.knownMs, family.access.issuedMs + 1);
  const written = await writeAccessToken(
    client,
    { user: family.user, ...decided, grantId: family.id, knownMs },
    context,
  );
  const text = settings.rotatesRefresh ? newOpaque("rt_") : given;
  const after: Family = {
    ...family,
    access: written.latest,
    ...(settings.rotatesRefresh && {
      current: digestOf(text),
      currentUntilSeconds: Math.min(written.token.issuedAtSeconds + settings.refreshSeconds, family.endsAtSeconds),
      rotatedMs: systemClock.now(),
    }),
  };
  await context.table.write(
    ...continuingFamily(family, after, refreshRefused),
    ...written.steps,
    ...replacing(family, written, context.now),
  );
  return tokenAnswer(written, text);
}

/** The family of a refresh token that this client may use now. */
async function usableFamily({ client, located }: GrantRequest, context: OAuthContext): Promise<Family> {
  const found = located?.tenant === client.tenant ? await context.families.open(located) : undefined;
  if (!found || found.family.clientId !== client.clientId || !isAlive(found, context.now)) throw refreshRefused();
  await checkReuse(found, context);
  const { family } = found;
  const hasEnded = !isAlive({ expiresAtSeconds: family.endsAtSeconds }, context.now);
  if (hasEnded || client.tokensFromMs > family.startedMs) throw refreshRefused();
  return family;
}

/**
 * Refuses a token that has been used. Its second use ends the family: one of the two was by somebody who should not have it.
 * Uses at the same moment are a race of one client with itself: one wins, and nothing ends.
 */
async function checkReuse({ digest, family }: FoundRefresh, context: OAuthContext): Promise<void> {
  if (family.current === digest) return;
  if (context.now >= family.rotatedMs) {
    await context.table.write(...endingFamily(family));
    const { userName: name, userStore } = family.user;
    const log = context.tools.refusals(context.traceId, context.sourceIp);
    log({ tenant: family.tenant, userStore, name }, "refresh token used twice");
  }
  throw refreshRefused();
}

/** The names that a refresh asks for: those of the sign-in, or some of them. Throws `scope.invalid`. */
function refreshNames({ form, names }: GrantRequest, { scopes }: Family): readonly string[] {
  if (!form.scope) return scopes;
  if (names.every((name) => scopes.includes(name))) return names;
  throw new Fault("scope.invalid", "A refresh token brings no scope that was not granted with it.");
}

/** One answer for every refresh token that brings nothing. */
function refreshRefused(): Fault {
  return new Fault(
    "grant.invalid",
    "The refresh token is not valid: it is unknown, has expired, was used, or was revoked.",
  );
}

/** What ends with the access token that a new one replaces. A JWT lives on unless it is told about. */
function replacing({ tenant, id, access }: Family, { token }: Written, nowMs: number) {
  if (access.digest !== undefined) return [removingAccessToken(access.digest)];
  return isAlive(access, nowMs) ? revokingGrant(tenant, id, token.issuedMs, token.expiresAtSeconds) : [];
}
