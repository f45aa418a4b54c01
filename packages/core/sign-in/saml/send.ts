/** Composes answers with the settings of an application, and sends them through the browser. */
import { randomBytes } from "node:crypto";
import { digests, isKnown, SAFE, signatures } from "../../applications/protocols/saml-algorithms.ts";
import type { Application } from "../../applications/registry/model.ts";
import type { Step } from "../../database/table/table.ts";
import type { Canonical } from "../../kernel/canonical-xml.ts";
import { later } from "../../kernel/later.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { formTargetOf } from "../flow/answers.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import { localesIn } from "../flow/cookies.ts";
import { samlOf } from "../flow/saml/claims.ts";
import { encryptionCertificateOf } from "../flow/saml/keys.ts";
import { samlClientId } from "../flow/saml/provider.ts";
import { languageOf } from "../pages/language.ts";
import { pageHeaders } from "../pages/layout.ts";
import { formPostPage } from "../pages/pages.ts";
import { ARTIFACT_LIFE_MS, newArtifact } from "./artifact.ts";
import { entityIdOf, type SamlContext, tenantOf } from "./context.ts";
import { keeping } from "./kept-store.ts";
import {
  type Answering,
  type Asserted,
  assertionOf,
  encryptedAssertion,
  LIFE_MS,
  responseWith,
  responseWithout,
} from "./response.ts";
import type { Signer } from "./sign.ts";
import { SamlRefusal, status } from "./status.ts";

// A setting asks for it, and it brings a parser.
const { encryptAssertion } = later(() => import("./encrypt.ts"), "encryptAssertion");

/** What an answer is to. */
export interface AnsweredRequest {
  readonly application: Application;
  readonly to: AuthorizationRequest["to"];
  /** The ID of the request. */
  readonly id?: string | undefined;
  readonly isByArtifact?: boolean | undefined;
}

/** What the browser gets, and the steps that keep what its service provider fetches. */
export interface SentAnswer {
  readonly page: PageResult;
  readonly steps: readonly Step[];
}

interface Headers {
  readonly "accept-language"?: string | undefined;
}

/** Composes the answer with an assertion. No round trip while the keys of the tenant are known. */
export async function sendAssertion(
  asserted: Asserted,
  answered: AnsweredRequest,
  headers: Headers,
  context: SamlContext,
): Promise<SentAnswer> {
  const { application } = answered;
  const { responseSigning, enableAssertionQueryProfile } = samlOf(application.inbound);
  const signer = await signerFor(application, tenantOf(context), context);
  const answering = answeringTo(answered, context);
  const id = newId();
  const assertion = await protectedAssertion(assertionOf({ ...asserted, id }, answering, signer), application);
  const response = responseWith(assertion, answering, responseSigning.enabled ? signer : undefined);
  const { page, steps } = deliver(response, answered, headers, context);
  const place = { kind: "assertion", clientId: samlClientId(application.id), name: id } as const;
  const kept = enableAssertionQueryProfile ? keeping(place, assertion, LIFE_MS, context) : undefined;
  return { page, steps: kept ? [...steps, kept] : steps };
}

/** Tells a service provider why there is no assertion. One round trip by artifact. */
export async function sendRefusal(
  refusal: SamlRefusal,
  answered: AnsweredRequest,
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const { application } = answered;
  const { responseSigning } = samlOf(application.inbound);
  const signer = responseSigning.enabled ? await signerFor(application, tenantOf(context), context) : undefined;
  const response = responseWithout(refusal, answeringTo(answered, context), signer);
  const { page, steps } = deliver(response, answered, headers, context);
  if (steps.length > 0) await context.table.write(...steps);
  return page;
}

/** A signed assertion as the settings of an application want it: encrypted, or as it is. */
export async function protectedAssertion(assertion: Canonical, application: Application): Promise<Canonical> {
  const { encryption } = samlOf(application.inbound).singleSignOnProfile.assertion;
  if (!encryption.enabled) return assertion;
  const certificate = encryptionCertificateOf(application)?.toString();
  if (certificate === undefined) throw new Error("a provider without a certificate was not refused");
  const { assertionEncryptionAlgorithm: algorithm, keyEncryptionAlgorithm: keyAlgorithm } = encryption;
  return encryptedAssertion(await encryptAssertion(assertion, { certificate, algorithm, keyAlgorithm }));
}

/** What signs for an application of a tenant. No round trip while the keys of the tenant are known. */
export async function signerFor(
  { inbound }: Application,
  tenant: string,
  { tools, table, now }: SamlContext,
): Promise<Signer> {
  const { responseSigning, singleSignOnProfile } = samlOf(inbound);
  const { signingAlgorithm } = responseSigning;
  // A refusal or a logout is sent whatever the settings are.
  const isSecure = isKnown(signatures, signingAlgorithm);
  return {
    ...(await tools.keys.signer(table, tenant, now)),
    algorithm: isSecure ? signingAlgorithm : SAFE.signature,
    digest: isKnown(digests, singleSignOnProfile.assertion.digestAlgorithm)
      ? singleSignOnProfile.assertion.digestAlgorithm
      : SAFE.digest,
  };
}

/** The entity id of the identity provider of a tenant, as an application knows it. */
export function issuerFor({ inbound }: Application, tenant: string, context: SamlContext): string {
  return samlOf(inbound).idpEntityIdAlias || entityIdOf(tenant, context);
}

/** What answers to a request have in common. */
function answeringTo({ application, to, id }: AnsweredRequest, context: SamlContext): Answering {
  const issuer = issuerFor(application, tenantOf(context), context);
  return { issuer, inResponseTo: id, address: to.redirectUri, nowMs: context.now, newId };
}

/** An ID: it begins with a letter or "_" (SAML Core 2.0 section 1.3.4), and has 160 bits. */
export function newId(): string {
  return `_${randomBytes(20).toString("hex")}`;
}

/** The way of a response through the browser: in a form, or by an artifact that its service provider resolves. */
function deliver(response: Canonical, answered: AnsweredRequest, headers: Headers, context: SamlContext): SentAnswer {
  if (!answered.isByArtifact) return { page: post(response, answered, headers, context), steps: [] };
  const { application, to } = answered;
  const { artifact, handle } = newArtifact(issuerFor(application, tenantOf(context), context));
  const place = { kind: "response", clientId: samlClientId(application.id), name: handle } as const;
  const step = keeping(place, response, ARTIFACT_LIFE_MS, context);
  if (!step) throw new SamlRefusal(status.responder, status.denied, "The response is too long for an artifact.");
  const parameters = { SAMLart: artifact, ...(to.state !== undefined && { RelayState: to.state }) };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const location = `${to.redirectUri}${to.redirectUri.includes("?") ? "&" : "?"}${query.join("&")}`;
  return { page: { status: 303, headers: { ...pageHeaders(), location } }, steps: [step] };
}

function post(
  response: Canonical,
  { to }: AnsweredRequest,
  headers: Headers,
  { cookies, tools, ...of }: SamlContext,
): PageResult {
  const { redirectUri, state } = to;
  const fields = {
    SAMLResponse: Buffer.from(response, "utf8").toString("base64"),
    ...(state !== undefined && { RelayState: state }),
  };
  const language = languageOf(localesIn(cookies), headers["accept-language"]);
  const shown = { language, brand: tools.settings.brandOf(tenantOf(of)) };
  return formPostPage(redirectUri, fields, shown, { cookies: [], formTarget: formTargetOf(redirectUri) });
}
