/** The reference implementation of XML signatures accepts every token. It is a program: without it this is skipped. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import { passiveStsOf, SAML_11, SAML_20, signInPath, typed } from "#tests/support/passive-sts.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const run = promisify(execFile);
const isInstalled = spawnSync("xmlsec1", ["--version"]).status === 0;
if (!isInstalled) process.stderr.write("xmlsec1 is not installed: no token is compared with it.\n");

const api = world();
const { newParty, certificateOf, sentBy, enter, browser } = passiveStsOf(api);
let folder = "";
let page: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "passive-sts-"));
  const name = { familyName: 'Jänsen <&> "Co"\t\r\nof\n' };
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password, name } });
  page = browser();
  await page.open(signInPath(await newParty()));
  sentBy(page, await enter(page));
  await writeFile(join(folder, "own.pem"), await certificateOf());
});
afterAll(() => rm(folder, { recursive: true }));

const verifies = async (xml: string) => {
  const file = join(folder, "token.xml");
  await writeFile(file, xml);
  const { stderr, stdout } = await run("xmlsec1", [
    "--verify",
    ...["--pubkey-cert-pem", join(folder, "own.pem"), "--trusted-pem", join(folder, "own.pem")],
    ...["--id-attr:AssertionID", "urn:oasis:names:tc:SAML:1.0:assertion:Assertion"],
    ...["--id-attr:ID", "urn:oasis:names:tc:SAML:2.0:assertion:Assertion"],
    file,
  ]);
  return `${stdout}${stderr}`.includes("OK");
};

describe.skipIf(!isInstalled)("xmlsec1 --verify", () => {
  test.each([SAML_11, SAML_20])("accepts tokens of the type %s", async (type) => {
    const requestedClaims = [{ claim: { uri: "http://wso2.org/claims/lastname" } }];
    const party = await newParty({}, { claimConfiguration: { dialect: "LOCAL", requestedClaims } });
    const { wresult } = sentBy(page, await page.open(signInPath(party, { wreq: typed(type) })));
    expect(await verifies(wresult)).toBe(true);
    for (const [from, to] of [
      ["Jänsen", "Other"],
      [party.realm, "urn:other"],
    ] as const) {
      // What is around the assertion is not signed: the first place is the address there.
      const at = wresult.lastIndexOf(from);
      await expect(verifies(wresult.slice(0, at) + to + wresult.slice(at + from.length))).rejects.toThrow();
    }
  });
});
