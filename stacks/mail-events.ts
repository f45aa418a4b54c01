/**
 * What Amazon SES tells of the mails of a stage: those that came back, and complaints (decision 0188). It goes by the
 * event bus that every account has, for Amazon SES publishes to no other one.
 */

/** The detail types by which a rule selects them. */
const DETAIL_TYPES = ["Email Bounced", "Email Complaint Received"];

/** Creates the configuration set of a stage, by which its mails leave. */
export function mailSet(name: string): aws.sesv2.ConfigurationSet {
  const set = new aws.sesv2.ConfigurationSet("Mails", {
    configurationSetName: name,
    // After a complaint, people still get the way back to their accounts: the service itself holds the others off.
    suppressionOptions: { suppressedReasons: ["BOUNCE"] },
  });
  new aws.sesv2.ConfigurationSetEventDestination("MailEvents", {
    configurationSetName: set.configurationSetName,
    eventDestinationName: "mail-events",
    eventDestination: {
      enabled: true,
      matchingEventTypes: ["BOUNCE", "COMPLAINT"],
      eventBridgeDestination: { eventBusArn: aws.cloudwatch.getEventBusOutput({ name: "default" }).arn },
    },
  });
  return set;
}

/** Calls the function that sends with what Amazon SES tells of mails of the set. */
export function followMails(name: string, lambda: sst.aws.Function): void {
  const rule = new aws.cloudwatch.EventRule("MailEventsRule", {
    name: `${name}-mail-events`,
    description: "Mails that came back, and complaints",
    eventPattern: JSON.stringify({
      source: ["aws.ses"],
      "detail-type": DETAIL_TYPES,
      detail: { mail: { tags: { "ses:configuration-set": [name] } } },
    }),
  });
  new aws.lambda.Permission("MailEventsPermission", {
    action: "lambda:InvokeFunction",
    function: lambda.name,
    principal: "events.amazonaws.com",
    sourceArn: rule.arn,
  });
  new aws.cloudwatch.EventTarget("MailEventsTarget", { rule: rule.name, arn: lambda.arn });
}
