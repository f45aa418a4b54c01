/**
 * mod_auth_mellon resolves artifacts: the unchanged service provider of Debian, in its own Apache. Both are programs:
 * without them this is skipped.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { newProviderKey, samlOf } from "#tests/support/saml.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const APACHE = "/usr/sbin/apache2";
const MODULES = "/usr/lib/apache2/modules";
const isInstalled = existsSync(APACHE) && existsSync(`${MODULES}/mod_auth_mellon.so`);
if (!isInstalled) process.stderr.write("mod_auth_mellon is not installed: it resolves no artifact.\n");

const api = world();
const { enter, browser } = samlOf(api);
const BINDINGS = "urn:oasis:names:tc:SAML:2.0:bindings:";
let folder = "";
let origin = "";
let apache: ChildProcess | undefined;

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
const metadata = (certificate: string) => `<EntityDescriptor entityID="${origin}/mellon/metadata"
 xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><SPSSODescriptor
 AuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor
 use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate.replace(/-----[^-]*-----|\n/g, "")}
 </ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor><SingleLogoutService Binding="${BINDINGS}HTTP-Redirect"
 Location="${origin}/mellon/logout"/><AssertionConsumerService index="0" isDefault="true"
 Binding="${BINDINGS}HTTP-Artifact" Location="${origin}/mellon/artifactResponse"/></SPSSODescriptor></EntityDescriptor>`;
const configuration = (port: number) => `
ServerRoot ${folder}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
LogLevel auth_mellon:debug
${process.getuid?.() === 0 ? "User www-data\nGroup www-data" : ""}
${["mpm_event", "authn_core", "authz_core", "authz_user", "headers", "auth_mellon"]
  .map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`)
  .join("\n")}
MellonLockFile ${folder}/mellon.lock
<Location />
  MellonEnable auth
  AuthType Mellon
  Require valid-user
  MellonEndpointPath /mellon
  MellonSPMetadataFile ${folder}/sp.xml
  MellonSPPrivateKeyFile ${folder}/sp.key
  MellonSPCertFile ${folder}/sp.pem
  MellonIdPMetadataFile ${folder}/idp.xml
  MellonSignatureMethod rsa-sha256
  MellonSecureCookie Off
  MellonRedirectDomains *
  Header always set X-Person "%{MELLON_NAME_ID}e"
</Location>
`;

beforeAll(async () => {
  if (!isInstalled) return;
  const body = { userName: PERSON.username, password: PERSON.password };
  expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
  folder = await mkdtemp(join(tmpdir(), "mellon-"));
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const { key, certificate } = await newProviderKey();
  const idp = await (await fetch(`${api.url}/identity/metadata/saml2`)).text();
  const sp = metadata(certificate);
  const files = {
    "sp.xml": sp,
    "sp.key": key,
    "sp.pem": certificate,
    "idp.xml": idp,
    "apache.conf": configuration(port),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await chmod(folder, 0o755);
  const made = await api.ask("POST", APPLICATIONS, {
    body: {
      name: "Mellon",
      advancedConfigurations: {
        skipLoginConsent: true,
        certificate: { type: "PEM", value: Buffer.from(certificate).toString("base64") },
      },
      inboundProtocolConfiguration: {
        saml: {
          manualConfiguration: {
            issuer: `${origin}/mellon/metadata`,
            assertionConsumerUrls: [`${origin}/mellon/artifactResponse`],
            singleSignOnProfile: {
              bindings: ["HTTP_REDIRECT", "ARTIFACT"],
              enableIdpInitiatedSingleSignOn: true,
              enableSignatureValidationForArtifactBinding: true,
            },
            responseSigning: { enabled: true },
          },
        },
      },
    },
  });
  expect([made.status, made.text]).toEqual([201, ""]);
  apache = spawn(APACHE, ["-X", "-f", join(folder, "apache.conf")], { stdio: "ignore" });
  await vi.waitFor(() => fetch(origin, { redirect: "manual" }), { timeout: 20_000, interval: 200 });
}, 60_000);
afterAll(async () => {
  apache?.kill();
  if (folder !== "") await rm(folder, { recursive: true });
});

describe.skipIf(!isInstalled)("mod_auth_mellon", () => {
  test.each([
    // Its request asks for a transient name.
    ["that begins there", /^_[0-9a-f]{40}$/, () => `${origin}/`],
    [
      "that begins here",
      /^kim$/,
      () =>
        `/samlsso?spEntityID=${encodeURIComponent(`${origin}/mellon/metadata`)}&RelayState=${encodeURIComponent(`${origin}/`)}`,
    ],
  ])("signs a person in by artifact, in a sign-in %s", async (_, name, begin) => {
    const page = browser();
    const cookies = new Map<string, string>();
    const atProvider = async (address: string) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(address, { redirect: "manual", headers: { cookie } });
      for (const set of response.headers.getSetCookie()) {
        const [name = "", value = ""] = set.split(";")[0]?.split("=") ?? [];
        cookies.set(name, value);
      }
      return response;
    };
    let to = begin();
    for (let steps = 0; to.startsWith(origin) && !to.includes("SAMLart") && steps < 5; steps += 1) {
      to = (await atProvider(to)).headers.get("location") ?? "";
    }
    await page.open(to);
    const { location } = await enter(page);
    expect(location?.href).toContain(`${origin}/mellon/artifactResponse?SAMLart=`);
    const resolved = await atProvider(location?.href ?? "");
    expect(resolved.headers.get("location")).toBe(`${origin}/`);
    expect((await atProvider(`${origin}/`)).headers.get("x-person")).toMatch(name);
  });
});
