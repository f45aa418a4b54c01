/** SimpleSAMLphp as a service provider, by the server that PHP has for tests. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type Kind, originOf, startOther, type Told } from "./program.ts";

const PHP = "/usr/bin/php";
const FOLDER = "/usr/share/simplesamlphp";
/** Debian's package names them as recommended only. */
const hasExtensions = spawnSync(PHP, ["-r", "exit(class_exists('DOMDocument') ? 0 : 1);"]).status === 0;

export const simplesamlphp: Kind = {
  name: "SimpleSAMLphp",
  install: "apt-get install simplesamlphp php-cli php-xml php-mbstring",
  isInstalled: existsSync(`${FOLDER}/www/module.php`) && hasExtensions,
  user: /^[\w-]{43}$/,
  start(told) {
    const at = `${originOf(told)}/module.php/core/authenticate.php?as=default-sp`;
    return startOther({
      files: {
        "config.php": configuration(told),
        "authsources.php": sources(told),
        "idp.xml": told.metadata,
        "sp.key": told.key.key,
        "sp.pem": told.key.certificate,
      },
      programs: [
        {
          port: told.port,
          command: PHP,
          args: ["-S", `127.0.0.1:${told.port}`, "-t", `${FOLDER}/www`],
          env: { SIMPLESAMLPHP_CONFIG_DIR: "{folder}" },
        },
      ],
      metadataAt: `${originOf(told)}/module.php/saml/sp/metadata.php/default-sp`,
      page: at,
      userOn: ({ html }) => /nameId[\s\S]*?<td[^>]*>([^<]*)</i.exec(html)?.[1]?.trim(),
      left: /logged out/i,
      logouts: { "by redirect": `${at}&logout` },
    });
  },
};

const configuration = (told: Told) => `<?php
$config = [
    'baseurlpath' => '${originOf(told)}/',
    'certdir' => '{folder}/',
    'loggingdir' => '{folder}/',
    'datadir' => '{folder}/',
    'tempdir' => '{folder}/',
    'metadatadir' => '{folder}/',
    'attributenamemapdir' => '/etc/simplesamlphp/attributemap/',
    'secretsalt' => 'of-a-test',
    'auth.adminpassword' => '${told.key.certificate.slice(40, 60).replace(/\W/g, "")}',
    'timezone' => 'UTC',
    'showerrors' => true,
    'logging.level' => SimpleSAML\\Logger::INFO,
    'logging.handler' => 'file',
    'logging.logfile' => 'simplesamlphp.log',
    'session.cookie.secure' => false,
    'session.cookie.samesite' => null,
    'language.cookie.samesite' => null,
    'language.cookie.secure' => false,
    'session.phpsession.savepath' => '{folder}',
    'store.type' => 'phpsession',
    'module.enable' => ['core' => true, 'saml' => true],
    'metadata.sources' => [['type' => 'xml', 'file' => '{folder}/idp.xml']],
];
`;
const sources = (told: Told) => `<?php
$config = [
    'default-sp' => [
        'saml:SP',
        'entityID' => '${originOf(told)}/simplesamlphp',
        'idp' => '${told.entityId}',
        'privatekey' => 'sp.key',
        'certificate' => 'sp.pem',
        'sign.authnrequest' => true,
        'sign.logout' => true,
        'redirect.sign' => true,
        'redirect.validate' => true,
        'NameIDPolicy' => ['Format' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent', 'AllowCreate' => true],
    ],
];
`;
