/** Mails that come back, and complaints: what events of Amazon SES change, and what not; on the embedded engine. */
import { beforeEach, describe, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { toldBy } from "#core/events/mail/bounces.ts";
import type { MailDeps, Mailed, Marked } from "#core/events/mail/deps.ts";
import { MailRefused, type Message } from "#core/events/mail/model.ts";
import { newMailWorker } from "#core/events/mail/worker.ts";
import type { MailKind } from "#core/tokens/mail-model.ts";
import { addingMail } from "#core/tokens/mail-store.ts";
import { testTable } from "#tests/support/engine.ts";

const tenant = "acme.com";
const SET = "identity-admin-api-production";
const ADDRESS = "kim@example.com";
const START = Date.parse("2026-01-01T00:00:00Z");
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** What differs from the event of a mail to Kim that came back. */
interface Differing {
  readonly mail?: object;
  readonly bounce?: object;
  readonly complaint?: object;
  readonly event?: object;
}

/** The mail in an event, in the form that AWS documents for events of EventBridge. */
const mailOf = (more: object = {}) => ({
  timestamp: new Date(nowMs).toISOString(),
  source: "no-reply@acme.example",
  sourceArn: "arn:aws:ses:eu-west-1:123456789012:identity/acme.example",
  sendingAccountId: "123456789012",
  messageId: "0102018d00000000-00000000-1111-2222-3333-444444444444-000000",
  destination: [ADDRESS],
  headersTruncated: false,
  headers: [{ name: "To", value: ADDRESS }],
  commonHeaders: { from: ["no-reply@acme.example"], to: [ADDRESS], subject: "Your account" },
  tags: { "ses:configuration-set": [SET], "ses:caller-identity": ["MailRole"], tenant: [tenant] },
  ...more,
});
const envelope = (type: string, detail: object, more: object = {}) => ({
  version: "0",
  id: "12345678-1234-1234-1234-123456789012",
  "detail-type": type,
  source: "aws.ses",
  account: "123456789012",
  time: "2026-01-01T00:00:01Z",
  region: "eu-west-1",
  resources: [`arn:aws:ses:eu-west-1:123456789012:configuration-set/${SET}`],
  detail,
  ...more,
});
const bounced = ({ mail, bounce, event }: Differing = {}) =>
  envelope(
    "Email Bounced",
    {
      eventType: "Bounce",
      bounce: {
        feedbackId: "0102018d11111111-000000",
        bounceType: "Permanent",
        bounceSubType: "General",
        bouncedRecipients: [
          { emailAddress: ADDRESS, action: "failed", status: "5.1.1", diagnosticCode: "smtp; 550 5.1.1 unknown" },
        ],
        timestamp: new Date(nowMs + 1_000).toISOString(),
        reportingMTA: "dns; b224-1.smtp-out.eu-west-1.amazonses.com",
        ...bounce,
      },
      mail: mailOf(mail),
    },
    event,
  );
const complained = ({ mail, complaint }: Differing = {}) =>
  envelope("Email Complaint Received", {
    eventType: "Complaint",
    complaint: {
      feedbackId: "0102018d22222222-000000",
      complaintSubType: null,
      complainedRecipients: [{ emailAddress: ADDRESS }],
      timestamp: new Date(nowMs + 1_000).toISOString(),
      userAgent: "feedback loop/1.0",
      complaintFeedbackType: "abuse",
      arrivalDate: new Date(nowMs).toISOString(),
      ...complaint,
    },
    mail: mailOf(mail),
  });

let table: Table;
let nowMs: number;
let sent: Message[];
let reports: Mailed[];
let marks: Marked[];
let defects: unknown[];
let send: (message: Message) => Promise<void>;

/** The address of Kim becomes the one for mail at a time. */
const readdress = (linksEndedMs: number) =>
  userStore(table).update(tenant, "kim", (before) => ({ after: { ...before, linksEndedMs } }));
const addKim = (more: object = {}) => {
  const profile = { emails: [{ value: ADDRESS, primary: true }] };
  return userStore(table).add(tenant, freshUser("kim", "kim", nowMs, { hasPassword: true, profile, ...more }));
};

beforeEach(async () => {
  table = (await testTable()).open(newMeter());
  nowMs = START;
  [sent, reports, marks, defects] = [[], [], [], []];
  send = async () => undefined;
  await addKim();
  nowMs += DAY;
});

const worker = (configurationSet: string | undefined = SET) =>
  newMailWorker({
    open: () => table,
    depsOf: (): MailDeps => ({
      table,
      users: userStore(table),
      tenants: { find: async (domain) => (domain === tenant ? ({ active: true } as never) : undefined) },
      brandOf: () => ({ name: "Acme" }),
      sender: { name: "Acme", address: "no-reply@acme.example" },
      limits: { ofNameMax: 50, ofAddressMax: 50, ofSourceMax: 60 },
      origin: "https://id.example.com",
      send: async (message) => {
        await send(message);
        sent.push(message);
      },
      clock: { now: () => nowMs },
      report: (mailed) => reports.push(mailed),
      reportMark: (marked) => marks.push(marked),
      random: () => 1,
      untilMs: Number.POSITIVE_INFINITY,
    }),
    configurationSet,
    tenantsOf: async () => [tenant],
    defect: (cause) => defects.push(cause),
    clock: { now: () => nowMs },
  });
const tell = (event: object, configurationSet?: string) => worker(configurationSet)(event as never);
/** Which of the kinds of mails reach Kim, a minute later. */
const reached = async (...kinds: readonly MailKind[]): Promise<readonly MailKind[]> => {
  const got: MailKind[] = [];
  for (const kind of kinds) {
    nowMs += MINUTE;
    const before = sent.length;
    const about = { "password-link": "kim", "user-names": ADDRESS, registration: ADDRESS }[kind as string] ?? "kim";
    const more = { address: ADDRESS, userName: "kim", flow: "f", language: "en" };
    await table.write(addingMail({ kind, tenant, about, ...more, askedMs: nowMs }));
    await worker()({ all: true });
    if (sent.length > before) got.push(kind);
  }
  return got;
};
const back = ["password-link", "user-names", "sign-in-code"] as const;
const all = [...back, "registration", "address-check", "password-changed"] as const;

test("without an event, every mail of these tests arrives", async () => {
  expect([await reached(...all), defects]).toEqual([all, []]);
});

describe("a mail that came back for good", () => {
  test("is the last one to its address, and the log of later ones says nothing", async () => {
    await tell(bounced());
    expect(marks).toEqual([{ tenant, mark: "bounced" }]);
    expect([await reached(...all), reports, defects]).toEqual([[], [], []]);
  });
  test("marks the address in any case, and no address of others", async () => {
    const KIM = "Kim@Example.com";
    await tell(bounced({ mail: { destination: [KIM] }, bounce: { bouncedRecipients: [{ emailAddress: KIM }] } }));
    expect(await reached("password-link")).toEqual([]);
    const profile = { emails: [{ value: "lee@example.com", primary: true }] };
    await userStore(table).add(tenant, freshUser("lee", "lee", nowMs, { hasPassword: true, profile }));
    await table.write(addingMail({ kind: "password-link", tenant, about: "lee", language: "en", askedMs: nowMs }));
    await worker()({ all: true });
    expect(sent.map(({ to }) => to)).toEqual(["lee@example.com"]);
  });
  test("counts by the time of the mail, however often and in which order its events come", async () => {
    const early = bounced();
    await readdress(nowMs + 1);
    nowMs += MINUTE;
    const later = bounced();
    await tell(early);
    expect(await reached("password-link")).toEqual(["password-link"]);
    await tell(later);
    await tell(early);
    await tell(early);
    expect(await reached("password-link")).toEqual([]);
    // An event that comes again after the address was changed, or verified anew, does not mark it again.
    await readdress(nowMs);
    await tell(later);
    expect(await reached("password-link")).toEqual(["password-link"]);
  });
});

describe("an event changes nothing", () => {
  const cases: readonly (readonly [string, () => object])[] = [
    ["that a mailbox is full for now", () => bounced({ bounce: { bounceType: "Transient" } })],
    ["that a mail came back for no known reason", () => bounced({ bounce: { bounceType: "Undetermined" } })],
    ["about an address that the mail did not go to", () => bounced({ mail: { destination: ["lee@example.com"] } })],
    [
      "about an address to which the mail was passed on",
      () => bounced({ bounce: { bouncedRecipients: [{ emailAddress: "home@example.net" }] } }),
    ],
    ["about a mail to several", () => bounced({ mail: { destination: [ADDRESS, "lee@example.com"] } })],
    [
      "of another configuration set",
      () => bounced({ mail: { tags: { "ses:configuration-set": ["x"], tenant: [tenant] } } }),
    ],
    ["of mails without a configuration set", () => bounced({ mail: { tags: { tenant: [tenant] } } })],
    ["without a tenant", () => bounced({ mail: { tags: { "ses:configuration-set": [SET] } } })],
    ["of an unknown tenant", () => bounced({ mail: { tags: { "ses:configuration-set": [SET], tenant: ["x.com"] } } })],
    ["of another source", () => bounced({ event: { source: "app.example" } })],
    ["with a time that is none", () => bounced({ mail: { timestamp: "yesterday" } })],
    ["without a mail", () => envelope("Email Bounced", { bounce: { bounceType: "Permanent" } })],
    ["of a delivery", () => envelope("Email Delivered", { eventType: "Delivery", mail: mailOf(), delivery: {} })],
    ["that a mail is no spam", () => complained({ complaint: { complaintFeedbackType: "not-spam" } })],
    ["that a signature does not fit", () => complained({ complaint: { complaintFeedbackType: "auth-failure" } })],
  ];
  test.each(cases)("%s", async (_, event) => {
    await tell(event());
    expect([await reached(...all), marks, defects]).toEqual([all, [], []]);
  });
  test("where the deployment sends by something else", async () => {
    expect(toldBy(bounced(), undefined)).toBeUndefined();
    expect(toldBy(bounced(), SET)).toEqual({ tenant, address: ADDRESS, sentMs: nowMs, kind: "bounced" });
  });
  test("once the address was changed or verified anew, where the clock of Amazon SES runs ahead", async () => {
    await tell(bounced({ mail: { timestamp: new Date(nowMs + 10 * DAY).toISOString() } }));
    nowMs += MINUTE;
    await readdress(nowMs);
    expect(await reached("password-link")).toEqual(["password-link"]);
  });
});

describe("a complaint", () => {
  test("ends all mails but those that lead the person into the account", async () => {
    await tell(complained());
    expect(marks).toEqual([{ tenant, mark: "complained" }]);
    expect([await reached(...all), defects]).toEqual([back, []]);
  });
  test("without a kind counts, and a mail that comes back counts for more", async () => {
    await tell(complained({ complaint: { complaintFeedbackType: undefined } }));
    expect(await reached("password-changed")).toEqual([]);
    await tell(bounced());
    expect(await reached(...all)).toEqual([]);
  });
});

test("an address of no user may register again after a month", async () => {
  const address = "new@example.com";
  const recipients = { mail: { destination: [address] }, bounce: { bouncedRecipients: [{ emailAddress: address }] } };
  const registers = async () => {
    await table.write(addingMail({ kind: "registration", tenant, about: address, language: "en", askedMs: nowMs }));
    await worker()({ all: true });
    return sent.map(({ to }) => to);
  };
  await tell(bounced(recipients));
  nowMs += MINUTE;
  expect(await registers()).toEqual([]);
  nowMs += 31 * DAY;
  expect(await registers()).toEqual([address]);
});

describe("a mail server", () => {
  test("that knows no such mailbox marks the address; one that refuses for another reason does not", async () => {
    send = async () => {
      throw new MailRefused("no");
    };
    expect([await reached("password-link"), marks]).toEqual([[], []]);
    send = async () => undefined;
    expect(await reached("password-link")).toEqual(["password-link"]);
    send = async () => {
      throw new MailRefused("no", { isNoMailbox: true });
    };
    expect([await reached("password-link"), marks]).toEqual([[], [{ tenant, mark: "bounced" }]]);
    send = async () => undefined;
    expect(await reached("password-link")).toEqual([]);
  });
});
