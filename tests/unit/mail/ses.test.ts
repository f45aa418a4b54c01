/** Messages to Amazon SES, as its API gets them. */
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { MailRefused } from "#core/events/mail/model.ts";
import { openSes } from "#core/events/mail/ses.ts";

const message = {
  tenant: "acme.com",
  from: "no-reply@acme.example",
  to: "kim@example.com",
  bytes: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
};
const got: { readonly path: string; readonly body: unknown }[] = [];
let answer: { readonly status: number; readonly body: object; readonly type?: string };
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  got.push({ path: `${request.method} ${request.url}`, body: JSON.parse(Buffer.concat(chunks).toString()) });
  const headers = { "content-type": "application/json", ...(answer.type && { "x-amzn-errortype": answer.type }) };
  response.writeHead(answer.status, headers).end(JSON.stringify(answer.body));
});

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  vi.stubEnv("AWS_ENDPOINT_URL", `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`);
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "example");
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

test("leave by the configuration set, with the tenant, to the one recipient", async () => {
  answer = { status: 200, body: { MessageId: "1" } };
  await openSes("identity-admin-api-production")(message);
  expect(got.splice(0)).toEqual([
    {
      path: "POST /v2/email/outbound-emails",
      body: {
        FromEmailAddress: message.from,
        Destination: { ToAddresses: [message.to] },
        Content: { Raw: { Data: message.bytes.toString("base64") } },
        ConfigurationSetName: "identity-admin-api-production",
        EmailTags: [{ Name: "tenant", Value: "acme.com" }],
      },
    },
  ]);
});

test("that are rejected are given up, and mark no address", async () => {
  answer = { status: 400, body: { message: "Email address is not verified." }, type: "MessageRejected" };
  const failure = await openSes(undefined)(message).catch((error: unknown) => error);
  expect(failure instanceof MailRefused ? failure.isNoMailbox : failure).toBe(false);
  expect(got.splice(0)[0]?.body).not.toHaveProperty("ConfigurationSetName");
});
