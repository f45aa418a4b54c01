/**
 * Answers queries of service providers whose settings allow them (SAML Profiles 2.0 section 6; decision 0204): for the
 * attributes of a user who is signed in there, and for an assertion by its ID.
 */
import type { Application } from "../../applications/registry/model.ts";
import { type Canonical, together } from "../../kernel/canonical-xml.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { samlOf } from "../flow/saml/claims.ts";
import { samlClientId, samlProblemOf } from "../flow/saml/provider.ts";
import { attributesAsked } from "./attribute-query.ts";
import { readCommon } from "./authn-request.ts";
import { endpointOf, paths, type SamlContext, tenantOf } from "./context.ts";
import { findKept } from "./kept-store.ts";
import type { SamlParameters } from "./provider.ts";
import { type Answering, assertionOf, responseWith, responseWithout } from "./response.ts";
import { issuerFor, newId, protectedAssertion, signerFor } from "./send.ts";
import type { Signer } from "./sign.ts";
import { soapAnswer } from "./soap.ts";
import { soapRequest } from "./soap-request.ts";
import { SamlRefusal, status } from "./status.ts";
import { childrenOf, refuse, textOf, type XmlNode } from "./tree.ts";
import { usingRequest } from "./used-requests-store.ts";

const REFERENCES_MAX = 20;

/**
 * Answers an AttributeQuery or an AssertionIDRequest, with a status where there is nothing to tell. Throws
 * `request.invalid` for one that does not count, is not signed, or was answered before.
 */
export async function answerQuery(
  envelope: string,
  parameters: Pick<SamlParameters, "spQualifier">,
  context: SamlContext,
): Promise<PageResult> {
  const asked = await soapRequest(envelope, ["AttributeQuery", "AssertionIDRequest"], parameters, context);
  const { application, root, isSigned } = asked;
  const { enableAssertionQueryProfile, responseSigning } = samlOf(application.inbound);
  if (!enableAssertionQueryProfile) throw new Fault("request.invalid", OFF);
  if (!isSigned) throw new Fault("request.invalid", KEYLESS);
  const [tenant, { now: nowMs }] = [tenantOf(context), context];
  // Else a request to another identity provider, which that could send on, would count here.
  const inResponseTo = readCommon(root, {
    destination: endpointOf(tenant, context, paths.queries),
    isSigned,
    nowMs,
  });
  const answering = { issuer: issuerFor(application, tenant, context), inResponseTo, nowMs, newId };
  const signer = await signerFor(application, tenant, context);
  const ofResponse = responseSigning.enabled ? signer : undefined;
  const compose = root.name === "AttributeQuery" ? aboutUser : keptAssertions;
  try {
    const problem = samlProblemOf(application, context.sendsMail);
    if (problem !== undefined) throw new SamlRefusal(status.responder, status.denied, problem);
    const assertions = await compose({ application, root, answering, signer }, context);
    // A request that is repeated gets no second answer.
    await context.table.write(usingRequest({ clientId: samlClientId(application.id), id: inResponseTo }, nowMs));
    return soapAnswer(responseWith(assertions, answering, ofResponse));
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error;
    return soapAnswer(responseWithout(error, answering, ofResponse));
  }
}

/** A query that counts. */
interface Query {
  readonly application: Application;
  readonly root: XmlNode;
  readonly answering: Answering;
  readonly signer: Signer;
}

/** An assertion with the attributes of a user. */
async function aboutUser({ application, root, answering, signer }: Query, context: SamlContext): Promise<Canonical> {
  const asserted = await attributesAsked(root, application, context);
  return protectedAssertion(assertionOf(asserted, answering, signer), application);
}

/** Assertions that were sent to the service provider in the last five minutes. */
async function keptAssertions({ application, root }: Query, context: SamlContext): Promise<Canonical> {
  const names = childrenOf(root, "assertion", "AssertionIDRef").map(textOf);
  if (names.length === 0 || names.length > REFERENCES_MAX) {
    throw refuse(`It has 1 to ${REFERENCES_MAX} AssertionIDRef elements.`);
  }
  const clientId = samlClientId(application.id);
  const found = await Promise.all(names.map((name) => findKept({ kind: "assertion", clientId, name }, context)));
  const kept = found.filter((each) => each !== undefined);
  if (kept.length < names.length) throw new SamlRefusal(status.responder, status.denied, UNKNOWN);
  return together(...kept);
}

const OFF = "Queries are off for this application: its enableAssertionQueryProfile is false.";
const KEYLESS = "Queries are signed, and the application has no certificate. Register it, and sign.";
const UNKNOWN = "An assertion with this ID was not sent to this service provider in the last five minutes.";
