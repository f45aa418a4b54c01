/** The operations of WS-Federation, at the paths of WSO2 Identity Server (decision 0203). */
import { operation, PUBLIC } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { PageHeaders } from "../flow/contract.ts";

const FORM_BYTES_MAX = 65_536;

const parameter = z.string().optional();

const PassiveStsRequest = z
  .object({
    wa: parameter.meta({ description: "What is asked for: wsignin1.0, wsignout1.0 or wsignoutcleanup1.0" }),
    wtrealm: parameter.meta({ description: "The realm of the application" }),
    wreply: parameter.meta({ description: "The replyTo of the application; after a sign-out also its replyToLogout" }),
    wctx: parameter.meta({ description: "Comes back with the token" }),
    wct: parameter.meta({ description: "When the request was sent, in UTC: at most five minutes from now" }),
    wfresh: parameter.meta({ description: "The most minutes since the person signed in; 0 to sign in again" }),
    wauth: parameter.meta({ description: "The method of authentication that the token must name" }),
    wreq: parameter.meta({ description: "A RequestSecurityToken, whose TokenType chooses the version of SAML" }),
    wreqptr: parameter.meta({ description: "Refused: the service fetches no requests" }),
  })
  .meta({ id: "PassiveStsRequest" });

const page = {
  service: "sso",
  scope: PUBLIC,
  headers: PageHeaders,
  success: { status: 200, page: true, redirects: true },
  failures: [400],
} as const;

export const passiveStsOperations = {
  askPassiveSts: operation({
    ...page,
    method: "GET",
    path: "/passivests",
    summary: "Sign a user in for a relying party of WS-Federation, or out",
    source: "WS-Federation 1.2 section 13; decision 0203",
    query: PassiveStsRequest,
  }),
  askPassiveStsByForm: operation({
    ...page,
    method: "POST",
    path: "/passivests",
    summary: "The same with the parameters in a form",
    source: "WS-Federation 1.2 section 13; decision 0203",
    media: "form",
    limits: { bytes: FORM_BYTES_MAX },
    body: PassiveStsRequest,
    changesNothing: true,
  }),
  sendPassiveStsToken: operation({
    ...page,
    method: "GET",
    path: "/passivests/answer",
    summary: "Send the browser to the relying party with a token, once, after the sign-in",
    source: "WS-Federation 1.2 section 13.2.3; decision 0203",
    query: z.object({ answer: parameter.meta({ description: "What the sign-in sent the browser here with" }) }),
  }),
  getFederationMetadata: operation({
    service: "sso",
    method: "GET",
    path: "/FederationMetadata/2007-06/FederationMetadata.xml",
    scope: PUBLIC,
    summary: "Read the federation metadata: the name, address and certificates for relying parties of WS-Federation",
    source: "WS-Federation 1.2 section 3.1; decision 0203",
    success: { status: 200, page: true, pageMedia: "application/samlmetadata+xml" },
    failures: [400],
  }),
} as const;
