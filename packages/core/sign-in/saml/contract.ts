/** The operations of the identity provider of SAML 2.0, at the paths of WSO2 Identity Server (decision 0195). */
import { operation, PUBLIC } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { LOGOUT_REQUEST_PATH } from "../../tokens/logout-model.ts";
import { PageHeaders } from "../flow/contract.ts";
import { paths } from "./context.ts";

/** A message of 64 KiB in Base64, encoded for a form, with its RelayState. */
const FORM_BYTES_MAX = 131_072;

const parameter = z.string().optional();

const SamlRequest = z
  .object({
    SAMLRequest: parameter.meta({
      description: "An AuthnRequest or a LogoutRequest: deflated and in Base64 by GET, in Base64 by POST",
    }),
    SAMLResponse: parameter.meta({ description: "The LogoutResponse of a service provider, in the same way" }),
    SAMLEncoding: parameter.meta({ description: "How SAMLRequest is encoded by GET: DEFLATE" }),
    RelayState: parameter.meta({ description: "Comes back with the answer" }),
    SigAlg: parameter.meta({ description: "The algorithm of the signature by GET" }),
    Signature: parameter.meta({ description: "The signature by GET, over the other parameters as they were sent" }),
    spEntityID: parameter.meta({
      description: "The issuer of an application: a sign-in to it begins here, where its settings allow that",
    }),
    acs: parameter.meta({ description: "With spEntityID: one of the assertionConsumerUrls of the application" }),
    spQualifier: parameter.meta({ description: "The serviceProviderQualifier of the application, if it has one" }),
    slo: parameter.meta({
      description: "true: a logout begins here, where the settings of the application allow that",
    }),
    returnTo: parameter.meta({ description: "With slo: one of the returnToUrls of the application spEntityID" }),
  })
  .meta({ id: "SAMLRequest" });

const FormQuery = SamlRequest.pick({ spQualifier: true }).meta({ id: "SAMLFormQuery" });

const page = {
  service: "sso",
  scope: PUBLIC,
  headers: PageHeaders,
  success: { status: 200, page: true, redirects: true },
  failures: [400],
} as const;

/** A message by SOAP, which a service provider sends without a browser. */
const soap = {
  service: "sso",
  method: "POST",
  scope: PUBLIC,
  media: "form",
  takesSoap: true,
  limits: { bytes: FORM_BYTES_MAX },
  query: FormQuery,
  body: z
    .object({ soap: z.string().meta({ description: "An envelope of SOAP 1.1: the whole body, as text/xml" }) })
    .meta({ id: "SAMLEnvelope" }),
  changesNothing: true,
  success: { status: 200, page: true, pageMedia: "text/xml" },
  failures: [400],
} as const;

export const samlOperations = {
  signOnBySaml: operation({
    ...page,
    method: "GET",
    path: "/samlsso",
    summary: "Sign a user in for a SAML service provider: takes an AuthnRequest by redirect, or begins a sign-in",
    source: "SAML Bindings 2.0 section 3.4; SAML Profiles 2.0 section 4.1; decision 0195",
    query: SamlRequest,
  }),
  signOnBySamlForm: operation({
    ...page,
    method: "POST",
    path: "/samlsso",
    summary: "The same with a message in a form, or a LogoutRequest by SOAP",
    source:
      "SAML Bindings 2.0 section 3.2; SAML Bindings 2.0 section 3.5; SAML Profiles 2.0 section 4.4; decision 0195; decision 0200",
    media: "form",
    takesSoap: true,
    limits: { bytes: FORM_BYTES_MAX },
    query: FormQuery,
    body: SamlRequest.extend({
      soap: parameter.meta({ description: "An envelope: the whole body, where its Content-Type is that of SOAP" }),
    }).meta({ id: "SAMLForm" }),
    changesNothing: true,
  }),
  resolveSamlArtifact: operation({
    ...soap,
    path: paths.artifacts,
    summary: "Give a service provider the SAML response of its artifact, once",
    source: "SAML Profiles 2.0 section 5; decision 0204",
  }),
  querySamlAssertions: operation({
    ...soap,
    path: paths.queries,
    summary: "Answer a service provider that asks for attributes of a user who is signed in there, or for an assertion",
    source: "SAML Profiles 2.0 section 6; decision 0204",
  }),
  continueSamlLogout: operation({
    ...page,
    method: "GET",
    path: "/samlsso/logout",
    summary: "Go on with a sign-out: lead the browser to the next service provider, or to where it ends",
    source: "SAML Profiles 2.0 section 4.4; decision 0200",
    query: z.object({ chain: parameter.meta({ description: "What the sign-out sent the browser here with" }) }),
  }),
  signSamlLogoutRequest: operation({
    service: "sso",
    method: "POST",
    path: LOGOUT_REQUEST_PATH,
    scope: PUBLIC,
    media: "form",
    limits: { bytes: FORM_BYTES_MAX },
    summary: "Sign a logout request, for the part of this service that sends it",
    source: "decision 0200",
    body: z
      .object({ order: z.string().max(8_192).meta({ description: "The order, which only this service can make" }) })
      .meta({ id: "SAMLLogoutOrder" }),
    changesNothing: true,
    success: {
      status: 200,
      body: z
        .object({ message: z.string().meta({ description: "The request, in an envelope of SOAP 1.1" }) })
        .meta({ id: "SAMLLogoutRequest", examples: [{ message: "<an envelope with a signed LogoutRequest>" }] }),
    },
    failures: [400],
  }),
  sendSamlResponse: operation({
    ...page,
    method: "GET",
    path: "/samlsso/answer",
    summary: "Send the browser to the service provider with a response, once, after the sign-in",
    source: "SAML Bindings 2.0 section 3.5; decision 0195",
    query: z.object({ answer: parameter.meta({ description: "What the sign-in sent the browser here with" }) }),
  }),
  getSamlMetadataOfProvider: operation({
    service: "sso",
    method: "GET",
    path: "/identity/metadata/saml2",
    scope: PUBLIC,
    summary: "Read the SAML metadata of this identity provider: its name, addresses and certificates",
    source: "SAML Metadata 2.0 section 2.4.3; decision 0195",
    success: { status: 200, page: true, pageMedia: "application/samlmetadata+xml" },
    failures: [400],
  }),
} as const;
