/**
 * Decides whether a subject can do something, by the functions that the authorizer and the token endpoint decide with:
 * what is added here is only which ways there are (decision 0194). Pure.
 */
import { unusableBy } from "../../applications/registry/client-model.ts";
import { isPasswordEnough } from "../../applications/registry/sequence-model.ts";
import { directScopesOf } from "../../directory/roles/model.ts";
import { maySignIn, mustChangePassword } from "../../directory/users/model.ts";
import { isForPath } from "../../kernel/domain/protected-resources.ts";
import { systemScopes } from "../../kernel/domain/system-apis.ts";
import { SIGNED_IN } from "../../kernel/operation/operation.ts";
import { isBelow } from "../authentication/access-control/certificate.ts";
import type { AuthenticationHandler, CertificateSettings } from "../authentication/access-control/model.ts";
import { neededScopes } from "../authentication/access-control/needed.ts";
import { isPublic, neededOf } from "../authentication/target.ts";
import { clientScopes, type Grantable, userScopes } from "../oauth/scopes.ts";
import { TOKEN_EXCHANGE } from "../oauth/shapes.ts";
import type { Reason } from "./gaps.ts";
import type { Known, Through } from "./known.ts";
import { gapsOfScope, pathsToApplication, pathsToScope } from "./paths-rules.ts";
import type { Question } from "./question-model.ts";
import type { Gap, Requirement, Verdict } from "./verdict-model.ts";

/** What does not change between questions. */
export interface Surroundings {
  readonly certificates: CertificateSettings;
  readonly origin: string;
  readonly tenant: string;
}

/** The grants that name a user, besides the grant password. */
const USER_GRANTS = ["authorization_code", "implicit", TOKEN_EXCHANGE];

/** The decision about a question. */
export function decide(question: Question, known: Known, surroundings: Surroundings): Verdict {
  const { wanted } = question;
  if (wanted.kind === "operation" && isPublic(wanted.target, wanted.rule)) {
    return { isAllowed: true, isPublic: true, isPart: false, credentials: [], requirements: [] };
  }
  const credential = credentialOf(question, known, surroundings);
  const scopes = scopesOf(question, known);
  const requirements = [
    ...subjectOf(known),
    credential.requirement,
    ...resourceOf(question, known, surroundings),
    ...scopes.requirements,
  ];
  return {
    isAllowed: requirements.every(({ isMet }) => isMet),
    isPublic: false,
    isPart: scopes.isPart,
    credentials: credential.kinds,
    requirements,
  };
}

/** Whether the subject, and the application that it calls by, can be used at all. */
function subjectOf(known: Known): readonly Requirement[] {
  if (known.kind === "client") return [requirement("application", clientGap(known.through, false))];
  const { user, through, hasAccess } = known;
  const account = requirement("account", maySignIn(user) ? undefined : "account_inactive");
  if (!through) return [account];
  const { client } = through;
  const assignment = client?.settings.needsAssignment
    ? [
        {
          ...requirement("assignment", hasAccess ? undefined : "not_assigned"),
          paths: hasAccess ? pathsToApplication(known, through) : [],
        },
      ]
    : [];
  return [account, requirement("application", clientGap(through, true)), ...assignment];
}

/** Why an application gets no token. */
function clientGap(through: Through, isForUser: boolean): Reason | undefined {
  const { client } = through;
  if (!client) return "no_client";
  const { settings } = client;
  const unusable = unusableBy(settings);
  if (unusable) return unusable === "disabled" ? "application_disabled" : "client_revoked";
  const gets = isForUser
    ? takesPasswords(through) || USER_GRANTS.some((grant) => settings.grantTypes.includes(grant))
    : settings.grantTypes.includes("client_credentials") && !settings.isPublic;
  return gets ? undefined : "no_grant";
}

/** Whether the token endpoint takes passwords of users for the application. */
function takesPasswords({ client, application }: Through): boolean {
  if (!client?.settings.grantTypes.includes("password") || client.settings.isFapi2) return false;
  return isPasswordEnough(application.authenticationSequence);
}

/** The kinds of credentials that the subject can have, and those of them that are accepted. */
function credentialOf({ wanted }: Question, known: Known, { certificates }: Surroundings) {
  const ofPath = wanted.kind === "operation" ? wanted : undefined;
  const isByToken = known.kind === "client" || known.through !== undefined;
  const password = isByToken ? undefined : passwordGap(known);
  const takesCertificates = certificates.enabled && !(ofPath && isBelow(ofPath.path, certificates.exemptContexts));
  const possible: readonly AuthenticationHandler[] = isByToken
    ? ["OAuthAuthentication"]
    : [
        ...(password ? [] : ["BasicAuthentication" as const]),
        ...(takesCertificates ? ["ClientCertificate" as const] : []),
      ];
  const kinds = possible.filter((kind) => ofPath?.rule?.handlers?.has(kind) ?? true);
  const gap = possible.length === 0 ? password : kinds.length === 0 ? "credential_kind" : undefined;
  return { kinds, requirement: requirement("credential", gap) };
}

function passwordGap({ user }: Extract<Known, { kind: "user" }>): Reason | undefined {
  if (!user.hasPassword) return "password_missing";
  return mustChangePassword(user) ? "password_must_change" : undefined;
}

/** Whether a token for some resources is for the operation. */
function resourceOf({ wanted }: Question, { through }: { readonly through?: Through }, surroundings: Surroundings) {
  if (!through?.targets || wanted.kind !== "operation") return [];
  const audience = through.targets.map(({ address }) => address);
  return [requirement("resource", isForPath(audience, wanted.path, surroundings) ? undefined : "other_resource")];
}

/** The scopes that are needed, with the ways to each and what is missing. */
function scopesOf(question: Question, known: Known) {
  const { wanted } = question;
  const has = heldScopes(question, known);
  const {
    held,
    missing,
    isPart = false,
  } = wanted.kind === "operation"
    ? // What a tenant calls scopes of its own is never compared with what this service requires (decision 0143).
      neededOf(wanted.target, wanted.rule, has.intersection(systemScopes))
    : { held: [wanted.name].filter((name) => has.has(name)), missing: [wanted.name].filter((name) => !has.has(name)) };
  const requirements = [
    ...held.map((scope) => ({
      name: "scope" as const,
      scope,
      isMet: true,
      paths: pathsToScope(scope, known),
      gaps: [],
    })),
    ...missing.map((scope) => ({
      name: "scope" as const,
      scope,
      isMet: false,
      paths: [],
      gaps: gapsOfScope(scope, question, known),
    })),
  ];
  return { isPart, requirements };
}

/** The scopes of the credential: of the user's roles, or of a token that was requested with all that counts here. */
function heldScopes(question: Question, known: Known): ReadonlySet<string> {
  if (known.kind === "user" && !known.through) {
    const scopes = known.held.flatMap(({ role }) => directScopesOf(role, systemScopes));
    return new Set([SIGNED_IN, ...scopes]).intersection(systemScopes);
  }
  const { through } = known;
  if (!through?.client) return new Set();
  const { client, targets } = through;
  const names = question.scopes ?? namesOf(question);
  const requested: Grantable = { ...client, names, targets, places: known.places };
  if (known.kind === "client") return new Set([SIGNED_IN, ...clientScopes(requested)]);
  const { scopes } = userScopes(
    requested,
    known.held.map(({ role }) => role),
  );
  // The grant password implies it, and a sign-in gives it where it is asked for.
  const isImplied = !question.scopes || takesPasswords(through);
  return new Set([...(isImplied ? [SIGNED_IN] : []), ...scopes]);
}

/** All scopes that can count for a question. */
export function namesOf({ wanted }: Pick<Question, "wanted">): readonly string[] {
  if (wanted.kind === "scope") return [wanted.name];
  const { target, rule } = wanted;
  const { partialScopes = [], includedIn = [] } = target.declared ?? {};
  return [...neededScopes(target.declared, rule), ...partialScopes, ...includedIn];
}

function requirement(name: Requirement["name"], reason: Reason | undefined): Requirement {
  const gaps: readonly Gap[] = reason === undefined ? [] : [{ reason }];
  return { name, isMet: reason === undefined, paths: [], gaps };
}
