/** The operation by which a browser fetches an answer with tokens. The function of the token endpoint has it. */
import { operation, PUBLIC } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { PageHeaders } from "./contract.ts";

export const answerOperations = {
  sendAnswer: operation({
    service: "oauth2",
    method: "GET",
    path: "/oauth2/answer",
    scope: PUBLIC,
    summary: "Send the browser to the client with tokens, once, after a sign-in for a hybrid or implicit response",
    source: "OpenID Connect Core 1.0 section 3.3.2.5; decision 0120",
    query: z.object({
      ticket: z.string().optional().meta({ description: "What the sign-in sent the browser here with" }),
    }),
    headers: PageHeaders,
    success: { status: 200, page: true },
    failures: [400],
  }),
} as const;
