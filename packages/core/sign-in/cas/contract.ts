/** The operations of CAS, at the paths of its protocol (CAS protocol 3.0 section 2; decision 0201). */
import { operation, PUBLIC } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { PageHeaders } from "../flow/contract.ts";

const parameter = z.string().optional();
const service = parameter.meta({ description: "The address of the application, which has claimed it" });
const renew = parameter.meta({ description: "`true`: the user must have entered the password just now" });
const format = parameter.meta({ description: "`XML`, the default, or `JSON`" });

const page = {
  service: "sso",
  method: "GET",
  scope: PUBLIC,
  success: { status: 200, page: true, redirects: true },
  failures: [400],
} as const;

/** What services call: they are told of failures in the form of the protocol, with 200. */
const called = {
  service: "sso",
  method: "GET",
  scope: PUBLIC,
  success: { status: 200, page: true, pageMedia: "application/xml" },
  failures: [400],
} as const;

const ValidationQuery = z
  .object({
    service,
    ticket: parameter.meta({ description: "The ticket that the browser brought" }),
    pgtUrl: parameter.meta({ description: "Where a ticket that grants proxy tickets is sent" }),
    renew,
    format,
  })
  .meta({ id: "CasValidation" });

const validation = { ...called, query: ValidationQuery };

export const casOperations = {
  signOnByCas: operation({
    ...page,
    path: "/cas/login",
    summary: "Sign a user in for a client of CAS: the browser goes to the service with a ticket",
    source: "CAS protocol 3.0 section 2.1; decision 0201",
    query: z.object({
      service,
      renew,
      gateway: parameter.meta({
        description: "`true`: without a session the service gets no ticket, and no page asks",
      }),
      method: parameter.meta({ description: "How the ticket is sent: `GET`, the default, or `POST`" }),
    }),
  }),
  signOutByCas: operation({
    ...page,
    path: "/cas/logout",
    summary: "Sign a user out: asks, and goes to the service if an application has claimed it",
    source: "CAS protocol 3.0 section 2.3; decision 0201",
    query: z.object({ service, url: parameter.meta({ description: "The same for clients of CAS 2.0" }) }),
  }),
  sendCasTicket: operation({
    ...page,
    path: "/cas/answer",
    summary: "Send the browser to the service with a ticket after the sign-in",
    source: "CAS protocol 3.0 section 2.2.4; decision 0201",
    headers: PageHeaders,
    query: z.object({ answer: parameter.meta({ description: "What the sign-in sent the browser here with" }) }),
  }),
  validateCasTicket: operation({
    ...called,
    path: "/cas/validate",
    summary: "Validate a service ticket as CAS 1.0 does: `yes` with the user name, or `no`",
    source: "CAS protocol 3.0 section 2.4; decision 0201",
    success: { status: 200, page: true, pageMedia: "text/plain" },
    query: ValidationQuery.pick({ service: true, ticket: true, renew: true }).meta({ id: "CasPlainValidation" }),
  }),
  validateServiceTicket: operation({
    ...validation,
    path: "/cas/serviceValidate",
    summary: "Validate a service ticket as CAS 2.0 does: the name of the user",
    source: "CAS protocol 3.0 section 2.5; decision 0201",
  }),
  validateServiceTicketWithAttributes: operation({
    ...validation,
    path: "/cas/p3/serviceValidate",
    summary: "Validate a service ticket: the name of the user with attributes",
    source: "CAS protocol 3.0 section 2.8; decision 0201",
  }),
  validateProxyTicket: operation({
    ...validation,
    path: "/cas/proxyValidate",
    summary: "Validate a service or proxy ticket as CAS 2.0 does: the name of the user, and the proxies",
    source: "CAS protocol 3.0 section 2.6; decision 0201",
  }),
  validateProxyTicketWithAttributes: operation({
    ...validation,
    path: "/cas/p3/proxyValidate",
    summary: "Validate a service or proxy ticket: the name of the user with attributes, and the proxies",
    source: "CAS protocol 3.0 section 2.9; decision 0201",
  }),
  getProxyTicket: operation({
    ...called,
    path: "/cas/proxy",
    summary: "Issue a proxy ticket for a service that another one calls",
    source: "CAS protocol 3.0 section 2.7; decision 0201",
    query: z.object({
      pgt: parameter.meta({ description: "The ticket that was sent to `pgtUrl`" }),
      targetService: parameter.meta({ description: "The address of the service that is called" }),
      format,
    }),
  }),
} as const;
