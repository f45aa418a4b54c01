/** The parameters in a request object of a client (RFC 9101): they replace those outside of it. */

import { joseAlgorithm } from "../../applications/protocols/client-authentication.ts";
import { isFapi2 } from "../../applications/protocols/sign-in.ts";
import { registeredKeys } from "../../applications/registry/client-keys.ts";
import type { Application } from "../../applications/registry/model.ts";
import { requestObjectAlgorithms } from "../../tokens/assertion-algorithms.ts";
import type { RemoteKeySets } from "../../tokens/remote-documents.ts";
import { readRequestObject } from "../../tokens/request-object.ts";
import { keySetOf } from "../oauth/registered-keys.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { one, type Parameters } from "./parameters.ts";

/** Who sends a request object. */
export interface ObjectSender {
  readonly clientId: string;
  readonly application: Application;
  /** The issuer of its tenant. */
  readonly issuer: string;
  readonly nowMs: number;
}

/** The parameters that a request object can have; others are ignored. */
const NAMES = [
  ...["client_id", "response_type", "redirect_uri", "scope", "state", "response_mode", "nonce", "code_challenge"],
  ...[
    "code_challenge_method",
    "prompt",
    "max_age",
    "login_hint",
    "ui_locales",
    "acr_values",
    "claims",
    "id_token_hint",
  ],
  ...["display", "registration", "dpop_jkt"],
];
/** Parameters that name another request. */
const NESTED = ["request", "request_uri"];
const RESOURCES_MAX = 4;

/**
 * The parameters of a request, given that it has a request object: those in the object alone (RFC 9101 section 6.3).
 * Throws `AuthorizationError` where the object does not count.
 */
export async function parametersInObject(
  outside: Parameters,
  { clientId, application, issuer, nowMs }: ObjectSender,
  keySets: RemoteKeySets,
): Promise<Parameters> {
  const { inbound, advancedConfigurations } = application;
  const keys = registeredKeys(advancedConfigurations.certificate);
  const read = await readRequestObject(one(outside, "request") ?? "", {
    clientId,
    issuer,
    algorithms: algorithmsOf(inbound.oidc),
    needsBegin: isFapi2(inbound.oidc ?? {}),
    keys: async (isNewer) => (await keySetOf(keys, keySets, nowMs, isNewer))?.keys,
    nowMs,
  });
  if ("problem" in read) throw refuse(read.problem, read.isUnsupported && "request_not_supported");
  const { claims } = read;
  const nested = NESTED.find((name) => Object.hasOwn(claims, name));
  if (nested !== undefined) throw refuse(`it contains ${nested}`);
  const inside: Parameters = {
    ...Object.fromEntries(
      NAMES.flatMap((name) => (Object.hasOwn(claims, name) ? [[name, textOf(name, claims[name])]] : [])),
    ),
    ...(Object.hasOwn(claims, "resource") && { resource: resourcesOf(claims.resource) }),
  };
  const outer = one(outside, "response_type");
  if (outer !== undefined && outer !== one(inside, "response_type")) {
    throw refuse("its response_type is not the one of the request");
  }
  return inside;
}

function algorithmsOf(oidc: Application["inbound"]["oidc"]): readonly string[] {
  const chosen = oidc?.requestObject?.requestObjectSigningAlg;
  if (chosen) return [joseAlgorithm(chosen)];
  const isFapi = oidc !== undefined && isFapi2(oidc);
  return requestObjectAlgorithms.filter((name) => !(isFapi && name === "RS256"));
}

/** A value as a parameter would have it. */
function textOf(name: string, value: unknown): string {
  if (typeof value === "string") return value.toWellFormed();
  if (name === "max_age" && Number.isSafeInteger(value)) return String(value);
  if ((name === "claims" || name === "registration") && typeof value === "object" && value !== null) {
    return JSON.stringify(value);
  }
  throw refuse(`its ${name} has another type than the parameter`);
}

function resourcesOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = values.filter((each) => typeof each === "string");
  if (texts.length === values.length && texts.length <= RESOURCES_MAX) return texts.map((text) => text.toWellFormed());
  throw refuse(`its resource is no text or list of at most ${RESOURCES_MAX} texts`);
}

function refuse(problem: string, code = "invalid_request_object"): AuthorizationError {
  return new AuthorizationError(code, `The request object does not count: ${problem}.`);
}
