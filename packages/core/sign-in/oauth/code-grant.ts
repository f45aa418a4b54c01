/**
 * The grant `authorization_code`: from a code of the authorization endpoint to tokens (RFC 6749 section 4.1.3, RFC 7636
 * section 4.5, OpenID Connect Core 1.0 section 3.1.3).
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { requestedAddress } from "../../applications/protocols/addresses.ts";
import { Fault } from "../../kernel/faults.ts";
import {
  type AuthorizationCode,
  type Challenge,
  type FoundCode,
  isCodeAlive,
  usingCode,
} from "../../tokens/code-store.ts";
import { homeOf } from "../../tokens/model.ts";
import { digestOf, newOpaque } from "../../tokens/opaque.ts";
import { type Family, startingFamily } from "../../tokens/refresh-family-store.ts";
import { isEndedBy } from "../../tokens/revocation-store.ts";
import { accessTokenOf, endingWith, rightsOf } from "./code-tokens.ts";
import type { OAuthContext } from "./context.ts";
import { endingFamily } from "./ending.ts";
import type { GrantRequest, Response } from "./grant-request.ts";
import { tokenResponse } from "./issue.ts";
import { familySeconds, refreshSeconds } from "./lifetimes.ts";
import { issueIdToken, subjectClaims, together } from "./open-id.ts";
import { required } from "./request.ts";
import { type AskedTargets, askedResources } from "./targets.ts";

/** The name of the grant. */
export const AUTHORIZATION_CODE = "authorization_code";

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Tokens for a code. Throws `grant.invalid` for any code that this client may not use now, and `target.invalid`. */
export async function byCode(request: GrantRequest, context: OAuthContext): Promise<Response> {
  const { client, possession, form } = request;
  const { bound, steps } = possession;
  required("code", form.code);
  const found = await usableCode(request, context);
  const { code } = found;
  const { tenant, user, signedIn } = code;
  const { authSeconds, sid, methods } = signedIn;
  const rights = await rightsOf(code, client, targetsOf(request, code, context), context);
  if (!rights) throw refused();
  const { status, openId, scopes, signInScopes, audience } = rights;
  const issued = await accessTokenOf(code, client, rights, bound, context);
  const about = openId && (await subjectClaims(tenant, user, openId, status, context));
  const text = newOpaque("rt_");
  const startedSeconds = issued.token.issuedAtSeconds;
  const lifeSeconds = refreshSeconds(client.settings, context.tools.limits);
  const family: Family = {
    id: code.grantId,
    tenant,
    clientId: client.clientId,
    applicationId: client.applicationId,
    user,
    scopes,
    signInScopes,
    ...(about && { signedIn: { authSeconds, sid, ...(methods && { methods }), subject: about.subject } }),
    ...(code.claims && { claims: code.claims }),
    startedMs: issued.token.issuedMs,
    startedSeconds,
    endsAtSeconds: startedSeconds + familySeconds(lifeSeconds),
    current: digestOf(text),
    currentUntilSeconds: startedSeconds + lifeSeconds,
    rotatedMs: 0,
    access: issued.latest,
    ...endingWith(code),
    ...audience,
    ...bound,
  };
  const idToken =
    code.idToken &&
    openId &&
    about &&
    (await issueIdToken({ ...code, ...code.idToken }, openId, about, together(issued), context));
  let isReused = false;
  const reused = () => {
    isReused = true;
    return refused();
  };
  try {
    await context.table.write(usingCode(found, reused), ...issued.steps, ...startingFamily(family), ...steps);
  } catch (error) {
    // Two uses at once: one of the two has stolen the code.
    if (isReused) await endTokens(found, client, context);
    throw error;
  }
  const mayRefresh = client.settings.grantTypes.includes("refresh_token");
  return tokenResponse(issued, mayRefresh ? text : undefined, idToken);
}

/** The code of a request, which this client may use now. Its second use ends the tokens of its first. */
async function usableCode(
  { client, form, code: found, possession }: GrantRequest,
  context: OAuthContext,
): Promise<FoundCode> {
  if (!found || found.code.clientId !== client.clientId || found.code.tenant !== client.tenant) throw refused();
  const { code } = found;
  if (found.isUsed) {
    await endTokens(found, client, context);
    throw refused();
  }
  const address = requestedAddress(form.redirect_uri ?? "");
  const isSameAddress = code.isRedirectSent || form.redirect_uri ? address === code.redirectUri : true;
  const isProven = verifies(code.challenge, form.code_verifier || undefined);
  const isRevoked = isEndedBy(Math.max(client.tokensFromMs, client.assignedFromMs), code, context.now);
  const { cnf } = possession.bound;
  const isOfKey = code.dpopKey === undefined || (cnf !== undefined && "jkt" in cnf && cnf.jkt === code.dpopKey);
  if (!isSameAddress || !isProven || !isOfKey || isRevoked || !isCodeAlive(code, context.now)) throw refused();
  return found;
}

/** Ends what the first use of a code has started: one of the two who used it stole it (RFC 9700 section 2.1.1). */
async function endTokens({ code }: FoundCode, client: GrantRequest["client"], context: OAuthContext): Promise<void> {
  const { tenant, grantId: familyId, user } = code;
  const started = await context.families.withFamily({ tenant, familyId, digest: "", expiresAtSeconds: 0 });
  if (!started) return;
  await context.table.write(...endingFamily(started.family, client));
  const { traceId, sourceIp } = context;
  const log = context.tools.refusals({ traceId, sourceIp, operation: "requestToken" });
  log(
    { tenant: homeOf(user, tenant), userStore: user.userStore, name: user.userName },
    "authorization code used twice",
  );
}

/**
 * Whether a verifier is the one of the challenge. A verifier without a challenge is refused (RFC 9700 section 2.1.1).
 */
function verifies(challenge: Challenge | undefined, verifier: string | undefined): boolean {
  if (!challenge || verifier === undefined) return challenge === undefined && verifier === undefined;
  if (!VERIFIER.test(verifier)) return false;
  const given = challenge.method === "plain" ? verifier : sha256(verifier).toString("base64url");
  return timingSafeEqual(sha256(given), sha256(challenge.value));
}

/** The resources of a token request, which must be among those of the code. Throws `target.invalid`. */
function targetsOf({ asked }: GrantRequest, { resources }: AuthorizationCode, { origin }: OAuthContext): AskedTargets {
  if (asked.addresses.length === 0) return askedResources(resources, origin);
  if (resources.length > 0 && !asked.addresses.every((address) => resources.includes(address))) {
    throw new Fault("target.invalid", "You can only request resources that the authorization request named.");
  }
  return asked;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

/** One sentence for every refused code, so that it shows nothing of the reason. */
function refused(): Fault {
  return new Fault(
    "grant.invalid",
    "The code is not valid: it is unknown, has expired, was used, or belongs to another client, redirect_uri or " +
      "code_verifier.",
  );
}
