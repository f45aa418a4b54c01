/** Folders that somebody else wrote, or by mistake: links, bombs, other texts, names that are the same. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { isReference, secretOf } from "#cli/tenant/document.ts";
import { checkTarget, readFolder, writeFolder } from "#cli/tenant/folder.ts";
import { kindsOf } from "#cli/tenant/plan.ts";
import { temporaryFolder } from "#tests/support/tenant-folder.ts";

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  await writeFolder(folder, []);
});
const put = (file: string, content: string | Uint8Array) => writeFile(join(folder, file), content);
const read = () => readFolder(folder, kindsOf(false));
const drivers = { kind: "groups", key: "drivers", document: { displayName: "drivers" } } as const;

describe("an export", () => {
  test("follows no link to a folder, and removes nothing behind it", async () => {
    const other = await temporaryFolder();
    await writeFile(join(other, "mine.yaml"), "mine");
    await rm(join(folder, "groups"), { recursive: true });
    await symlink(other, join(folder, "groups"));
    await expect(writeFolder(folder, [drivers])).rejects.toThrow(/groups: it is a link/);
    expect(await readdir(other)).toEqual(["mine.yaml"]);
  });
  test("replaces a link to a file, and leaves the file", async () => {
    const other = join(await temporaryFolder(), "mine");
    await writeFile(other, "mine");
    await symlink(other, join(folder, "groups/drivers.yaml"));
    await symlink(other, join(folder, "groups/.drivers.yaml.part"));
    await writeFolder(folder, [drivers]);
    expect(await readFile(other, "utf8")).toBe("mine");
    expect(await readFile(join(folder, "groups/drivers.yaml"), "utf8")).toContain("displayName: drivers");
    expect(await readdir(join(folder, "groups"))).toEqual(["drivers.yaml"]);
  });
  test("has a target: not the folder of the shell by an empty name, and no file", async () => {
    await expect(checkTarget("")).rejects.toThrow("--out is empty");
    await expect(checkTarget(join(folder, "tenant.yaml"))).rejects.toThrow("ENOTDIR");
  });
});

describe("what is read", () => {
  test("may have marks and line ends of Windows", async () => {
    await put("groups/a.yaml", "\uFEFFdisplayName: A\r\n");
    expect((await read()).filed.map(({ document }) => document)).toEqual([{ displayName: "A" }]);
  });
  test("is text in UTF-8 of a bounded size, in a plain file", async () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
    for (const [name, of] of ["ba", "cb", "dc", "ed", "fe", "gf", "hg"].map((pair) => [...pair]))
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${of}`).join(", ")}]`);
    await put("groups/bomb.yaml", bomb.join("\n"));
    await put("groups/cycle.yaml", "displayName: &a\n  b: *a\n");
    await put("groups/latin.yaml", Uint8Array.from(Buffer.from("displayName: caf\u00e9", "latin1")));
    await put("groups/large.yaml", `displayName: ${"x".repeat(1_000_000)}`);
    await symlink("/etc/hostname", join(folder, "groups/link.yaml"));
    await mkdir(join(folder, "groups/folder.yaml"));
    execFileSync("mkfifo", [join(folder, "groups/pipe.yaml")]);
    const message = await read().then(
      () => "",
      (error: Error) => error.message,
    );
    expect(message.split("\n")).toEqual([
      "groups/bomb.yaml: with its aliases expanded, it has more than 200000 values",
      "groups/cycle.yaml: it is nested more than 100 levels deep",
      "groups/folder.yaml: it must be a file",
      "groups/large.yaml: it has more than 1000000 bytes",
      "groups/latin.yaml: the text is not UTF-8. Save it as UTF-8",
      "groups/link.yaml: it is a link. Replace it with the file itself",
      "groups/pipe.yaml: it must be a file",
    ]);
  });
  test("is all that there is: a folder that cannot be read is no empty one", async () => {
    await rm(join(folder, "groups"), { recursive: true });
    expect((await read()).filed).toEqual([]);
    await put("groups", "");
    await expect(read()).rejects.toThrow("groups: it must be a folder");
  });
  test("names what it does not read", async () => {
    await put("groups/a.YAML", "displayName: A\n");
    await put("groups/README.md", "notes");
    await put("groups/.hidden.yaml", "displayName: H\n");
    await mkdir(join(folder, "group"));
    expect(await read()).toEqual({ filed: [], unread: ["group/", "groups/a.YAML"] });
  });
});

test("two files that the service would take for the same thing are told before anything is sent", async () => {
  const saml = (issuer: string) =>
    `protocols:\n  saml:\n    issuer: ${issuer}\n    assertionConsumerUrls: [https://a]\n`;
  const sts = "protocols:\n  passiveSts:\n    realm: r\n    replyTo: https://a\n";
  const trust = "protocols:\n  wsTrust:\n    audience: w\n    certificateAlias: c\n";
  const client = "protocols:\n  oidc:\n    clientId: c\n    grantTypes: [client_credentials]\n";
  const files = {
    "groups/a.yaml": "displayName: Drivers\n",
    "groups/b.yaml": "displayName: DRIVERS\n",
    "roles/a.yaml": "name: Viewer\n",
    "roles/b.yaml": "name: viewer\n",
    "roles/c.yaml": "name: viewer\napplication: A\n",
    "api-resources/a.yaml": "identifier: a\nname: A\nscopes: [{ name: s }]\n",
    "api-resources/b.yaml": "identifier: b\nname: B\nscopes: [{ name: s }]\n",
    ...Object.fromEntries(
      [saml("i"), saml("i"), saml("j"), sts, sts, trust, trust, client, client].map((protocols, at) => [
        `applications/a${at}.yaml`,
        `name: App ${at}\n${protocols}`,
      ]),
    ),
  };
  for (const [file, text] of Object.entries(files)) await put(file, text);
  const message = await read().then(
    () => "",
    (error: Error) => error.message,
  );
  expect(message.split("\n")).toEqual([
    'api-resources/b.yaml: the scope "s" is in api-resources/a.yaml too',
    'groups/b.yaml: the name of a group "DRIVERS" is in groups/a.yaml too',
    'roles/b.yaml: the name of a role "viewer" is in roles/a.yaml too',
    'applications/a1.yaml: the SAML issuer "i" is in applications/a0.yaml too',
    'applications/a4.yaml: the realm of Passive STS "r" is in applications/a3.yaml too',
    'applications/a6.yaml: the audience of WS-Trust "w" is in applications/a5.yaml too',
    'applications/a8.yaml: the client id "c" is in applications/a7.yaml too',
  ]);
});

describe("a reference", () => {
  const to = (text: string) => `\${${text}}`;
  test.each(["env:NAME", "env:_a1", "ssm:/a/b-c.d", "ssm:name:3", "ssm:arn:aws:ssm:eu-west-1:1:parameter/a"])(
    "can be %s",
    (text) => expect(isReference(to(text))).toBe(true),
  );
  // The command aws reads files and addresses in place of such names, and options.
  test.each([
    "ssm:file:///etc/passwd",
    "ssm:https://example.com/",
    "ssm:--debug",
    "env:A B",
    "env:1",
    "ssm:a b",
    "env:",
  ])("is not %s", (text) => expect(isReference(to(text))).toBe(false));
  test.each(["PASSWORD", "CLIENT_SECRET", "TOKEN"])("does not get the %s of the program", async (name) => {
    const variable = `IDENTITY_ADMIN_${name}`;
    await expect(secretOf(to(`env:${variable}`), { [variable]: "geheim" })).rejects.toThrow(
      "is the credential of this program",
    );
  });
});
