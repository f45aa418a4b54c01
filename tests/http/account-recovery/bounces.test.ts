/** Addresses whose mails come back (decision 0188): who asks sees no difference, and an administrator sees and ends it. */
import { createServer } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { type Ask, world } from "#tests/support/world.ts";

const SYSTEM = "urn:scim:wso2:schema";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const PASSWORD = "a-good-Password-of-mine";
const RESEND = "/api/identity/user/v1.0/resend-code";

/** A mail server that knows no mailbox of `unknown`, and to whom each mail went that it took. */
const unknown = new Set<string>();
const taken: string[] = [];
const server = createServer((socket) => {
  let isData = false;
  let to = "";
  socket.write("220 mail.example\r\n");
  socket.on("error", () => undefined).setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    for (const line of chunk.split("\r\n")) {
      if (isData && line !== ".") continue;
      if (isData) taken.push(to);
      else to = /^RCPT TO:<(.*)>/.exec(line)?.[1] ?? to;
      if (line === "") continue;
      isData = line === "DATA";
      const isUnknown = line.startsWith("RCPT") && unknown.has(to);
      socket.write(isUnknown ? "550 5.1.1 no such mailbox\r\n" : isData ? "354 go on\r\n" : "250 ok\r\n");
    }
  });
});
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
const address = server.address();
const port = typeof address === "object" && address ? address.port : 0;
afterAll(() => void server.close());

const api = world({
  deployment: `[email]\nsender = "no-reply@example.com"\nprovider = "smtp"\nsmtp_host = "127.0.0.1"\nsmtp_port = ${port}\n`,
});
let count = 0;

const newUser = async (attributes: object) => {
  count += 1;
  const [userName, to] = [`reader-${count}`, `reader-${count}@example.com`];
  const body = { userName, emails: [{ value: to, primary: true }], ...attributes };
  const { status, body: user, text } = await api.ask("POST", "/scim2/Users", { body });
  if (status !== 201) throw new Error(text);
  return { userName, to, path: `/scim2/Users/${user.id}` };
};
const patch = (path: string, value: object) =>
  api.ask("PATCH", path, { body: { schemas: [PATCH_OP], Operations: [{ op: "replace", value }] } });
/** To whom the mails went that were due. */
const sent = async (): Promise<readonly string[]> => {
  await api.service.sendMails();
  return taken.splice(0);
};
const forgot = (username: string) =>
  api.ask("POST", "/oauth2/forgot-password", {
    raw: new URLSearchParams({ username }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
    as: null,
  });
const resend = (username: string, scenario: string, resumes?: string, more: Ask = {}) => {
  const resume = resumes === undefined ? [] : [{ key: "ResumeMails", value: resumes }];
  const properties = [{ key: "RecoveryScenario", value: scenario }, ...resume];
  return api.ask("POST", RESEND, { body: { user: { username }, properties }, ...more });
};
/** A user to whose address a mail came back. */
const newMarked = async () => {
  const user = await newUser({ password: PASSWORD });
  unknown.add(user.to);
  await forgot(user.userName);
  expect(await sent()).toEqual([]);
  unknown.delete(user.to);
  return user;
};

describe("forgotPassword", () => {
  test("answers the same for an address whose mails came back, and sends nothing there", async () => {
    const [marked, other] = [await newMarked(), await newUser({ password: PASSWORD })];
    const answers = [await forgot(marked.userName), await forgot(other.userName), await forgot("no-such-reader")];
    const [first, ...others] = answers.map(({ status, text }) => ({ status, text }));
    expect(others).toEqual([first, first]);
    expect(await sent()).toEqual([other.to]);
  });
  test("sends to the new address of the user, and to the old one again once it is that of the user again", async () => {
    const { userName, to, path } = await newMarked();
    const next = `new-${to}`;
    for (const value of [next, to]) {
      expect((await patch(path, { emails: [{ value, primary: true }] })).status).toBe(200);
      await sent();
      await forgot(userName);
      expect(await sent()).toEqual([value]);
    }
  });
  test("sends again once an administrator has said anew that the address is verified", async () => {
    const { userName, to, path } = await newMarked();
    for (const emailVerified of [false, true]) await patch(path, { [SYSTEM]: { emailVerified } });
    await forgot(userName);
    expect((await sent()).filter((each) => each === to)).not.toEqual([]);
  });
});

describe("resendCode", () => {
  test("tells an administrator that mails came back, and sends there again where it is told to", async () => {
    const user = await newUser({ [SYSTEM]: { askPassword: true } });
    unknown.add(user.to);
    expect(await sent()).toEqual([]);
    for (const resumes of [undefined, "false", "TRUE"]) {
      const { status, body } = await resend(user.userName, "ASK_PASSWORD", resumes);
      expect([status, body.description]).toEqual([
        400,
        expect.stringMatching(new RegExp(`^A mail to ${user.to} came back on \\d{4}-.*ResumeMails.*\\.$`)),
      ]);
    }
    // It is still unknown: the mail comes back once more.
    expect((await resend(user.userName, "ASK_PASSWORD", "true")).status).toBe(201);
    expect(await sent()).toEqual([]);
    expect((await resend(user.userName, "ASK_PASSWORD")).status).toBe(400);
    unknown.delete(user.to);
    expect((await resend(user.userName, "ASK_PASSWORD", "true")).status).toBe(201);
    expect(await sent()).toEqual([user.to]);
    expect((await resend(user.userName, "ASK_PASSWORD")).status).toBe(201);
    expect(await sent()).toEqual([user.to]);
  });
  test("finds out by the check of the address whether mails arrive there, where the user waits for none", async () => {
    const { userName, to } = await newMarked();
    expect((await resend(userName, "EMAIL_VERIFICATION")).body.description).toContain("came back");
    expect((await resend(userName, "ASK_PASSWORD", "true")).status).toBe(400);
    expect((await resend(userName, "EMAIL_VERIFICATION")).body.description).toContain("came back");
    expect((await resend(userName, "EMAIL_VERIFICATION", "true")).status).toBe(201);
    expect(await sent()).toEqual([to]);
    const { status, body } = await resend(userName, "EMAIL_VERIFICATION", "true");
    expect([status, body.description]).toEqual([400, expect.stringContaining("waits for no mail")]);
  });
  test("sends an invitation although another address of the user is marked", async () => {
    const user = await newUser({ [SYSTEM]: { askPassword: true } });
    unknown.add(user.to);
    await sent();
    const next = `next-${user.to}`;
    const both = [{ value: next, primary: true }, { value: user.to }];
    expect((await patch(user.path, { emails: both })).status).toBe(200);
    await sent();
    expect((await resend(user.userName, "ASK_PASSWORD")).status).toBe(201);
    expect(await sent()).toEqual([next]);
  });
  test("tells no other user of it", async () => {
    const { userName } = await newMarked();
    const plain = await newUser({ password: PASSWORD });
    const as = { username: plain.userName, password: PASSWORD };
    const { status, text } = await resend(userName, "EMAIL_VERIFICATION", "true", { as });
    expect([status, text.includes("came back")]).toEqual([403, false]);
  });
});
