/** Messages as bytes, and as two readers of e-mail understand them. */
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compose } from "#core/events/mail/compose.ts";
import { htmlOf, textOf } from "#core/events/mail/letter.ts";
import { type Letter, MailRefused } from "#core/events/mail/model.ts";
import { openMail, sendsMail } from "#core/events/mail/open.ts";
import { openOutbox } from "#core/events/mail/outbox.ts";
import { openSmtp } from "#core/events/mail/smtp.ts";
import { letters } from "#core/events/mail/texts.ts";
import { readAddress } from "#core/kernel/mail-address.ts";
import { readDeployment } from "#core/service/settings/deployment.ts";
import { noticeKinds } from "#core/tokens/mail-model.ts";
import { readMail } from "#tests/support/mails.ts";

const LINK = `https://id.example.com/t/acme.com/oauth2/reset-password?code=ml_${"a".repeat(43)}`;
const SENDER = { name: 'Müller, "Inc" <x@evil.example>\r\nBcc: y@evil.example', address: "no-reply@example.com" };
const HOSTILE = 'kim\r\nBcc: thief@evil.example\r\n\r\n<script>alert("1")</script>\u202E\u2028.';
const look = {
  language: "de",
  brand: { name: "Ümlaut & <Söhne>", logo: "https://x.example/a.png" },
  tenant: "acme.com",
} as const;
const all = (userName: string): readonly Letter[] =>
  Object.values(letters).flatMap((say) => [
    say.passwordLink({ service: "Acme", userName, link: LINK, minutes: 30 }),
    say.userNames({ service: "Acme", userNames: [userName, "lee"] }),
    say.invitation({ service: "Acme", userName, link: LINK, hours: 24 }),
    say.addressCheck({ service: "Acme", userName, link: LINK, hours: 24 }),
    ...noticeKinds.map((kind) =>
      say.notice({
        ...{ kind, service: "Acme", userName, time: "2026-11-28 10:00 UTC", sourceIp: "192.0.2.7", link: LINK },
        device: say.device.named("Firefox", "Linux"),
      }),
    ),
  ]);
const composed = (letter: Letter, to = "kim@example.com") => compose({ letter, look, sender: SENDER, to, nowMs: 0 });

/** What Python's reader understands, where there is a Python. */
const pythonReads = (
  bytes: Uint8Array,
): { headers: string[]; text: string; html: string; defects: number } | undefined => {
  const program = `
import sys, json, email, email.policy
m = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.SMTP)
parts = list(m.walk())
print(json.dumps({"headers": [f"{k}: {v}" for k, v in m.items()],
  "text": m.get_body(("plain",)).get_content(), "html": m.get_body(("html",)).get_content(),
  "defects": sum(len(p.defects) for p in parts)}))`;
  try {
    return JSON.parse(execFileSync("python3", ["-c", program], { input: bytes, encoding: "utf8" }));
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
};

/** The words of HTML, without its tags. */
const wordsOf = (html: string): string =>
  html
    .replace(/<(title|style)>[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");

describe("a message", () => {
  test.each(all(HOSTILE).map((letter) => [letter.subject, letter] as const))(
    "%s: has lines as RFC 5322 wants them, and nothing that a name brought",
    async (_, letter) => {
      const { bytes, from, to } = await composed(letter);
      expect([from, to]).toEqual(["no-reply@example.com", "kim@example.com"]);
      const raw = Buffer.from(bytes).toString("latin1");
      expect(/[\u0080-\u{10FFFF}]/u.test(raw)).toBe(false);
      expect(/(?<!\r)\n|\r(?!\n)/.test(raw)).toBe(false);
      expect(Math.max(...raw.split("\r\n").map(({ length }) => length))).toBeLessThanOrEqual(998);
      const head = raw.slice(0, raw.indexOf("\r\n\r\n"));
      expect(
        head
          .match(/^[A-Za-z-]+(?=:)/gm)
          ?.map((name) => name.toLowerCase())
          .sort(),
      ).toEqual([
        ...["auto-submitted", "content-language", "content-type", "date", "from", "message-id", "mime-version"],
        ...["subject", "to", "x-auto-response-suppress"],
      ]);
      const read = await readMail(Buffer.from(bytes));
      expect([read.to, read.html.includes("<script")]).toEqual(["kim@example.com", false]);
      expect(read.text).not.toContain("\u202E");
      const python = pythonReads(bytes);
      if (!python) return;
      expect([python.defects, python.headers.filter((each) => /^(to|bcc|cc):/i.test(each))]).toEqual([
        0,
        ["To: kim@example.com"],
      ]);
      expect([python.text, python.html].map((each) => each.replaceAll("\r\n", "\n").trim())).toEqual([
        textOf(letter, look).trim(),
        htmlOf(letter, look).trim(),
      ]);
    },
  );

  test.each(all("kim").map((letter) => [letter.subject, letter] as const))(
    "%s: HTML and text say the same",
    (_, letter) => {
      const words = wordsOf(htmlOf(letter, look));
      for (const line of textOf(letter, look).split("\n")) {
        const said = line
          .replace(/^(- |-- $)/, "")
          .replace(/:$/, "")
          .trim();
        expect(words).toContain(said);
      }
      const addresses = (text: string) => [...text.matchAll(/https?:[^\s"<]+/g)].map(([each]) => each);
      const shown = addresses(htmlOf(letter, look)).filter((each) => each !== look.brand.logo);
      expect(new Set(shown)).toEqual(new Set(addresses(textOf(letter, look))));
    },
  );

  test("both languages have the same letters and parts", () => {
    const [english, german] = [letters.en, letters.de].map((say) => {
      const letter = say.passwordLink({ service: "a", userName: "b", link: LINK, minutes: 1 });
      return [Object.keys(say), letter.parts.map((part) => typeof part)];
    });
    expect(german).toEqual(english);
  });

  test.each([
    "a@b@c",
    "kim",
    "a,b@example.com",
    '"a<b"@example.com',
    "a@example.com\r\nBcc: b@example.com",
    "",
    "kim@",
  ])("%j gets none", async (to) => {
    await expect(composed({ subject: "x", parts: [] }, to)).rejects.toThrow(MailRefused);
  });
});

describe("an address", () => {
  test.each([
    ["kim@example.com", "kim@example.com"],
    ["Kim.O'Neil+x@EXAMPLE.com", "Kim.O'Neil+x@example.com"],
    ["kim@bücher.example", "kim@xn--bcher-kva.example"],
    ["kim@mail", "kim@mail"],
  ])("%s is %s", (text, address) => expect(readAddress(text)).toEqual({ address }));
  test.each([
    ["jürgen@example.com", "ASCII"],
    ['"kim lee"@example.com', "quotes"],
    ["kim..lee@example.com", "not valid"],
    [".kim@example.com", "not valid"],
    [`${"a".repeat(65)}@example.com`, "not valid"],
    ["kim@[192.0.2.1]", "domain"],
    ["kim@192.0.2.1", "domain"],
    ["kim@exa mple.com", "domain"],
    ["kim@-example.com", "domain"],
    ["kim@example.com:25", "domain"],
    ["kim@example.com/x", "domain"],
    ["kim@%65xample.com", "domain"],
    ["kim@example.com\n", "domain"],
    ["@example.com", "needs a name"],
    [`kim@${"a.".repeat(130)}com`, "254"],
  ])("%j is refused, and says why", (text, why) => {
    const read = readAddress(text);
    expect("problem" in read ? read.problem : "").toContain(why);
  });
});

describe("an outbox", () => {
  const directories: string[] = [];
  afterAll(() => Promise.all(directories.map((each) => rm(each, { recursive: true }))));

  test("has each message as a file that its owner alone reads", async () => {
    const directory = join(await mkdtemp(join(tmpdir(), "outbox-")), "outbox");
    directories.push(join(directory, ".."));
    const message = await composed(letters.en.userNames({ service: "Acme", userNames: ["kim"] }));
    await Promise.all([1, 2, 3].map(() => openOutbox(directory)(message)));
    const names = await readdir(directory);
    expect(names.filter((name) => /^\d{13}-[0-9a-f]{16}\.eml$/.test(name))).toHaveLength(3);
    const file = join(directory, names[0] ?? "");
    expect([await readFile(file), (await stat(file)).mode & 0o777]).toEqual([Buffer.from(message.bytes), 0o600]);
  });
});

describe("a server by SMTP", () => {
  /** A server that answers each command, and keeps what it got. */
  const serverOf = async (answers: Readonly<Record<string, string>> = {}) => {
    const got: string[] = [];
    const server = createServer((socket) => {
      let isData = false;
      socket.write("220 mail.example\r\n");
      socket.setEncoding("latin1").on("data", (chunk: string) => {
        for (const line of chunk.split("\r\n")) {
          if (line === "" && !isData) continue;
          got.push(line);
          if (isData && line !== ".") continue;
          const verb = isData ? "." : (line.split(" ")[0]?.toUpperCase() ?? "");
          isData = verb === "DATA";
          socket.write(answers[verb] ?? (verb === "DATA" ? "354 go on\r\n" : "250 ok\r\n"));
        }
      });
      socket.on("error", () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return { got, server, port: typeof address === "object" && address ? address.port : 0 };
  };

  test("gets the envelope and the bytes", async () => {
    const { got, server, port } = await serverOf();
    const message = await composed(letters.en.passwordLink({ service: "A", userName: "kim", link: LINK, minutes: 30 }));
    await openSmtp({ host: "127.0.0.1", port, user: undefined }, "")(message);
    server.close();
    expect(got.filter((line) => /^(MAIL|RCPT)/.test(line))).toEqual([
      "MAIL FROM:<no-reply@example.com>",
      "RCPT TO:<kim@example.com>",
    ]);
    const data = got
      .slice(got.indexOf("DATA") + 1, got.indexOf("."))
      .map((line) => line.replace(/^\.\./, "."))
      .join("\r\n");
    expect(data.trim()).toBe(Buffer.from(message.bytes).toString("latin1").trim());
  });

  test("that refuses the recipient for good gets it once; another failure is tried again", async () => {
    const message = await composed({ subject: "x", parts: ["y"] });
    for (const [answers, isFinal, isNoMailbox] of [
      [{ RCPT: "550 no such user\r\n" }, true, true],
      [{ RCPT: "550 5.1.1 no such user\r\n" }, true, true],
      [{ RCPT: "550 5.2.1 closed\r\n" }, true, true],
      // The reason is a rule of the server, or the sender: other mails for the recipient may be taken.
      [{ RCPT: "550 5.7.1 relaying denied\r\n" }, true, false],
      [{ RCPT: "554 5.1.8 bad sender\r\n" }, true, false],
      [{ RCPT: "550 relay not permitted\r\n" }, true, false],
      [{ RCPT: "553 sorry, not in my list of allowed hosts (#5.7.1)\r\n" }, true, false],
      [{ RCPT: "550 5.1.1.1 knows no such user\r\n" }, true, true],
      [{ RCPT: "552 too much\r\n" }, true, false],
      [{ MAIL: "550 5.1.1 no such user\r\n" }, true, false],
      [{ RCPT: "450 later\r\n" }, false, undefined],
      [{ MAIL: "421 busy\r\n" }, false, undefined],
    ] as const) {
      const { server, port } = await serverOf(answers);
      const failure = await openSmtp(
        { host: "127.0.0.1", port, user: undefined },
        "",
      )(message).catch((e: unknown) => e);
      server.close();
      expect([failure instanceof Error, failure instanceof MailRefused]).toEqual([true, isFinal]);
      expect(failure instanceof MailRefused ? failure.isNoMailbox : undefined).toBe(isNoMailbox);
    }
  });
});

describe("[email]", () => {
  const read = (text: string) => readDeployment(`[email]\n${text}`).mail;
  test("says who sends, and how", () => {
    expect(read('sender = "Acme <no-reply@Bücher.example>"\nprovider = "ses"')).toEqual({
      settings: { sender: { name: "Acme", address: "no-reply@xn--bcher-kva.example" }, provider: "ses" },
      limits: { ofNameMax: 5, ofAddressMax: 10, ofSourceMax: 60 },
    });
    const smtp = 'sender = "a@example.com"\nprovider = "smtp"\nsmtp_host = "mail.example.com"';
    expect(read(smtp).settings?.smtp).toEqual({ host: "mail.example.com", port: 587, user: undefined });
    expect(readDeployment("").mail.settings).toBeUndefined();
  });
  test.each([
    ["sender", 'provider = "ses"', "email.sender: is required"],
    ["provider", 'sender = "a@example.com"', "email.provider"],
    ["a name alone", 'sender = "Acme"\nprovider = "ses"', "the address needs a name, an @"],
    ["two addresses", 'sender = "a@example.com, b@example.com"\nprovider = "ses"', "the address is not valid"],
    ["a line end", 'sender = "A\\r\\nBcc: x <a@example.com>"\nprovider = "ses"', "email.sender"],
    ["umlauts", 'sender = "jürgen@example.com"\nprovider = "ses"', "ASCII"],
    ["no host", 'sender = "a@example.com"\nprovider = "smtp"', "email.smtp_host: is required"],
    [
      "a host for nothing",
      'sender = "a@example.com"\nprovider = "ses"\nsmtp_host = "x"',
      'is for provider = "smtp" alone',
    ],
    ["another word", 'sender = "a@example.com"\nprovider = "gmail"', "email.provider"],
    ["another key", 'sender = "a@example.com"\nprovider = "ses"\nport = 25', 'unknown key "port"'],
    ["no mails", 'sender = "a@example.com"\nprovider = "ses"\nmails_per_name = 0', "email.mails_per_name"],
  ])("%s that is wrong is named", (_, text, message) => expect(() => read(text)).toThrow(message));

  test("without it, an outbox has the mails, and nothing is sent where there is none", () => {
    const password = () => "x";
    expect([sendsMail(undefined, "/box"), sendsMail(undefined, undefined)]).toEqual([true, false]);
    expect(openMail(undefined, { outbox: undefined, smtpPassword: password })).toBeUndefined();
    const { settings } = read('sender = "a@example.com"\nprovider = "outbox"');
    expect([sendsMail(settings, undefined), openMail(settings, { outbox: undefined, smtpPassword: password })]).toEqual(
      [false, undefined],
    );
    const smtp = 'sender = "a@example.com"\nprovider = "smtp"\nsmtp_host = "mail.example.com"\nsmtp_user = "a"';
    const missing = () => {
      throw new Error("SMTP_PASSWORD");
    };
    expect(() => openMail(read(smtp).settings, { outbox: undefined, smtpPassword: missing })).toThrow("SMTP_PASSWORD");
  });
});
