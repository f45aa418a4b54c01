/** Messages to Amazon SES. The only module that calls it. */
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { MailRefused, type SendMail, TENANT_TAG } from "./model.ts";

const CONNECT_MS = 1_000;
const REQUEST_MS = 10_000;

/**
 * Opens the service for one container. The configuration set decides that the service is told of mails that come back;
 * the tag says to whom they belong.
 */
export function openSes(configurationSet: string | undefined): SendMail {
  const client = new SESv2Client({
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: REQUEST_MS, throwOnRequestTimeout: true },
  });
  return async ({ tenant, from, to, bytes }) => {
    try {
      await client.send(
        new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [to] },
          Content: { Raw: { Data: bytes } },
          ConfigurationSetName: configurationSet,
          EmailTags: [{ Name: TENANT_TAG, Value: tenant }],
        }),
      );
    } catch (error) {
      const isRefused = error instanceof Error && error.name === "MessageRejected";
      throw isRefused ? new MailRefused("Amazon SES rejects the message.") : error;
    }
  };
}
