/** Apache httpd with one of its modules for SAML: mod_auth_mellon, and mod_shib with its daemon. */
import { existsSync } from "node:fs";
import { freePort } from "#local/settings.ts";
import { type Kind, originOf, startOther, type Told } from "./program.ts";
import type { Page } from "./travelling.ts";

// Where Debian and Ubuntu have it. Elsewhere these tests are skipped.
const PROGRAM = "/usr/sbin/apache2";
const MODULES = "/usr/lib/apache2/modules";
const SHIBD = "/usr/sbin/shibd";
/** The files that Shibboleth is installed with. */
const SHIBBOLETH = "/etc/shibboleth";

const hasModule = (name: string) => existsSync(PROGRAM) && existsSync(`${MODULES}/mod_${name}.so`);

/** A configuration without those of the system. The page tells who has opened it in a header. */
const configuration = (told: Told, modules: readonly string[], more: string) => `
ServerRoot "{folder}"
ServerName ${originOf(told)}
UseCanonicalName On
Listen 127.0.0.1:${told.port}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
ErrorLog {folder}/error.log
DocumentRoot {folder}
User www-data
Group www-data
${["mpm_event", "authn_core", "authz_core", "authz_user", "headers", "dir"]
  .map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`)
  .join("\n")}
${modules.map((line) => `LoadModule ${line.replace("{modules}", MODULES)}`).join("\n")}
StartServers 1
ThreadsPerChild 8
MaxRequestWorkers 8
<Location "/">
  Require all denied
</Location>
<Location "/left">
  Require all granted
</Location>
<Location "/page">
  Header always set Signed-In-User "expr=%{REMOTE_USER}"
</Location>
${more}
`;
const filesOf = (told: Told) => ({
  "idp.xml": told.metadata,
  "sp.key": told.key.key,
  "sp.pem": told.key.certificate,
  page: "the page",
  left: "you have left",
});
const programOf = ({ port }: Told) => ({
  port,
  command: PROGRAM,
  args: ["-f", "{folder}/apache.conf", "-D", "FOREGROUND"],
});
const LEFT = /^you have left$/;
const userOn = ({ url, status, headers, html }: Page) =>
  url.pathname === "/page" && status === 200 && html === "the page"
    ? headers.get("signed-in-user") || undefined
    : undefined;

export const mellon: Kind = {
  name: "mod_auth_mellon",
  install: "apt-get install apache2 libapache2-mod-auth-mellon",
  isInstalled: hasModule("auth_mellon"),
  user: /^_[0-9a-f]+$/,
  isTransient: true,
  start: (told) =>
    startOther({
      files: { ...filesOf(told), "apache.conf": configuration(told, MELLON.modules, MELLON.configuration) },
      programs: [programOf(told)],
      metadataAt: `${originOf(told)}/mellon/metadata`,
      page: `${originOf(told)}/page`,
      userOn,
      left: LEFT,
      logouts: {
        "by redirect": `${originOf(told)}/mellon/logout?ReturnTo=${encodeURIComponent(`${originOf(told)}/left`)}`,
      },
    }),
};

const MELLON = {
  modules: ["auth_mellon_module {modules}/mod_auth_mellon.so"],
  configuration: `
MellonLockFile {folder}/mellon.lock
<Location "/">
  MellonEnable info
  MellonEndpointPath /mellon
  MellonSPPrivateKeyFile {folder}/sp.key
  MellonSPCertFile {folder}/sp.pem
  MellonIdPMetadataFile {folder}/idp.xml
  MellonSecureCookie Off
  MellonUser NAME_ID
</Location>
<Location "/page">
  AuthType Mellon
  MellonEnable auth
  Require valid-user
</Location>
<Location "/mellon">
  Require all granted
</Location>
`,
};

export const shibboleth: Kind = {
  name: "mod_shib",
  install: "apt-get install apache2 libapache2-mod-shib",
  isInstalled: hasModule("shib") && existsSync(SHIBD),
  user: /^kim@cars\.example$/,
  async start(told) {
    const daemonPort = await freePort();
    const env = { SHIBSP_LOGGING: "{folder}/logger" };
    const local = `${originOf(told)}/Shibboleth.sso/Logout?return=${encodeURIComponent(`${originOf(told)}/left`)}`;
    return startOther({
      files: {
        ...filesOf(told),
        "apache.conf": configuration(told, ["mod_shib {modules}/mod_shib.so"], SHIBBOLETH_IN_APACHE),
        "shibboleth2.xml": shibbolethConfiguration(told, daemonPort),
        "attributes.xml": ATTRIBUTES,
        logger: LOGGER,
      },
      programs: [
        {
          port: daemonPort,
          command: SHIBD,
          args: ["-f", "-F", "-c", "{folder}/shibboleth2.xml", "-p", "{folder}/shibd.pid"],
          env,
        },
        { ...programOf(told), env },
      ],
      metadataAt: `${originOf(told)}/Shibboleth.sso/Metadata`,
      page: `${originOf(told)}/page`,
      userOn,
      left: LEFT,
      logouts: { "by redirect": local },
    });
  },
};

const SHIBBOLETH_IN_APACHE = `
ShibConfig {folder}/shibboleth2.xml
<Location "/page">
  AuthType shibboleth
  ShibRequestSetting requireSession 1
  Require shib-session
</Location>
<Location "/Shibboleth.sso">
  AuthType None
  Require all granted
</Location>
`;
const shibbolethConfiguration = (told: Told, daemonPort: number) => `
<SPConfig xmlns="urn:mace:shibboleth:3.0:native:sp:config" clockSkew="180">
  <OutOfProcess logger="{folder}/logger"/>
  <InProcess logger="{folder}/logger"/>
  <TCPListener address="127.0.0.1" port="${daemonPort}"/>
  <ApplicationDefaults entityID="${originOf(told)}/shibboleth" REMOTE_USER="name" signing="true">
    <Sessions handlerSSL="false" cookieProps="http" checkAddress="false">
      <SSO entityID="${told.entityId}">SAML2</SSO>
      <Logout>SAML2 Local</Logout>
      <Handler type="MetadataGenerator" Location="/Metadata" signing="false"/>
    </Sessions>
    <MetadataProvider type="XML" validate="true" path="{folder}/idp.xml"/>
    <AttributeExtractor type="XML" validate="true" path="{folder}/attributes.xml"/>
    <AttributeFilter type="XML" validate="true" path="${SHIBBOLETH}/attribute-policy.xml"/>
    <CredentialResolver type="File" key="{folder}/sp.key" certificate="{folder}/sp.pem"/>
  </ApplicationDefaults>
  <SecurityPolicyProvider type="XML" validate="true" path="${SHIBBOLETH}/security-policy.xml"/>
  <ProtocolProvider type="XML" validate="true" reloadChanges="false" path="${SHIBBOLETH}/protocols.xml"/>
</SPConfig>
`;
/** Its user is the NameID, in each format that the service sends. */
const ATTRIBUTES = `
<Attributes xmlns="urn:mace:shibboleth:2.0:attribute-map" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${["1.1:nameid-format:emailAddress", "1.1:nameid-format:unspecified"]
  .map(
    (format) => `
  <Attribute name="urn:oasis:names:tc:SAML:${format}" id="name">
    <AttributeDecoder xsi:type="NameIDAttributeDecoder" formatter="$Name"/>
  </Attribute>`,
  )
  .join("")}
</Attributes>
`;
const LOGGER = `
log4j.rootCategory=INFO, console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.BasicLayout
`;
