/** How a stage sends mails by Amazon SES, and what it is told of them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "#tools/deploy/bundle.ts";
import { evaluate, secrets } from "./support/evaluate.ts";
import type { Evaluation, Inputs } from "./support/evaluation.ts";
import { deploymentOf, part } from "./support/stages.ts";

const NAME = "identity-admin-api-dana";
const project = readFileSync(join(root, "deployment.toml"), "utf8");
const sending = (lines: string) => `${project}\n[email]\nsender = "Acme <no-reply@acme.example>"\n${lines}\n`;
const [ses, smtp] = await Promise.all([
  evaluate({ stage: "dana", deployment: sending('provider = "ses"') }),
  evaluate({
    stage: "dana",
    deployment: sending('provider = "smtp"\nsmtp_host = "mail.acme.example"\nsmtp_user = "api"'),
    environment: { ...secrets, SST_SECRET_SmtpPassword: "the password of the mail server" },
  }),
]);

const one = ({ resources }: Evaluation, type: string, name: string): Inputs => {
  const found = resources.find((each) => each.type === type && each.name === name);
  if (!found) throw new Error(`there is no ${type} ${name}`);
  return found.inputs;
};
const variablesOf = (evaluation: Evaluation) =>
  part(part(one(evaluation, "aws:lambda/function:Function", "MailFunction"), "environment"), "variables");
const kinds = ({ resources }: Evaluation) => resources.map(({ type, name }) => `${type} ${name}`);

describe("a stage that sends by Amazon SES", () => {
  test("is told of mails that came back and of complaints, and of no other events of the account", () => {
    expect(
      one(ses, "aws:sesv2/configurationSetEventDestination:ConfigurationSetEventDestination", "MailEvents"),
    ).toEqual(
      expect.objectContaining({
        configurationSetName: NAME,
        eventDestination: {
          enabled: true,
          matchingEventTypes: ["BOUNCE", "COMPLAINT"],
          eventBridgeDestination: { eventBusArn: "arn:aws:events:eu-west-1:123456789012:event-bus/default" },
        },
      }),
    );
    const rule = one(ses, "aws:cloudwatch/eventRule:EventRule", "MailEventsRule");
    expect(rule.eventBusName).toBeUndefined();
    expect(JSON.parse(String(rule.eventPattern))).toEqual({
      source: ["aws.ses"],
      "detail-type": ["Email Bounced", "Email Complaint Received"],
      detail: { mail: { tags: { "ses:configuration-set": [NAME] } } },
    });
  });
  test("calls the function that sends, which takes it from that rule and its schedule alone", () => {
    const { name, arn = `arn:aws:lambda:eu-west-1:123456789012:function:${name}` } = one(
      ses,
      "aws:lambda/function:Function",
      "MailFunction",
    );
    expect(one(ses, "aws:cloudwatch/eventTarget:EventTarget", "MailEventsTarget")).toMatchObject({
      rule: `${NAME}-mail-events`,
      arn,
    });
    const permissions = ses.resources.filter(
      ({ type, inputs }) => type === "aws:lambda/permission:Permission" && inputs.function === name,
    );
    expect(permissions.map(({ inputs }) => inputs.sourceArn).sort()).toEqual([
      `arn:aws:events:eu-west-1:123456789012:rule/${NAME}-mail`,
      `arn:aws:events:eu-west-1:123456789012:rule/${NAME}-mail-events`,
    ]);
  });
  test("sends by its configuration set, as its one sender", () => {
    expect(variablesOf(ses).SES_CONFIGURATION_SET).toBe(NAME);
    expect(one(ses, "aws:sesv2/configurationSet:ConfigurationSet", "Mails")).toMatchObject({
      configurationSetName: NAME,
      suppressionOptions: { suppressedReasons: ["BOUNCE"] },
    });
    const [inline] = part(one(ses, "aws:iam/role:Role", "MailRole"), "inlinePolicies") as unknown as readonly Inputs[];
    const statements = JSON.parse(String(inline?.policy)) as readonly { readonly actions: readonly string[] }[];
    expect(statements.filter(({ actions }) => actions.some((each) => each.startsWith("ses:")))).toEqual([
      expect.objectContaining({
        actions: ["ses:SendEmail", "ses:SendRawEmail"],
        resources: [
          "arn:aws:ses:*:*:identity/no-reply@acme.example",
          "arn:aws:ses:*:*:identity/acme.example",
          `arn:aws:ses:eu-west-1:123456789012:configuration-set/${NAME}`,
        ],
        conditions: [{ test: "StringEquals", variable: "ses:FromAddress", values: ["no-reply@acme.example"] }],
      }),
    ]);
  });
});

test("a stage that sends by a mail server, or sends nothing, has none of it", () => {
  for (const evaluation of [smtp, deploymentOf("dana").evaluation]) {
    expect(kinds(evaluation).filter((kind) => /sesv2|MailEvents/.test(kind))).toEqual([]);
    expect(variablesOf(evaluation)).not.toHaveProperty("SES_CONFIGURATION_SET");
  }
  expect(variablesOf(smtp).SMTP_PASSWORD).toBe("the password of the mail server");
});
