import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { defaultClientLimits } from "#core/applications/protocols/limits.ts";
import { contrast, grounds } from "#core/service/settings/brand.ts";
import { deploymentFromFile, readDeployment } from "#core/service/settings/deployment.ts";
import { deploymentFile } from "#functions/env.ts";

const kind = (lines: string) => `[[custom_inbound_protocol]]\n${lines}\n`;
const property = (lines: string) => `${kind('name = "proto"')}[[custom_inbound_protocol.property]]\n${lines}\n`;
const only = (source: string) => readDeployment(source).customProtocols[0]?.properties[0];

describe("accepts", () => {
  test.each(["", "\n# nothing but a comment\n", "\uFEFF", "custom_inbound_protocol = []"])(
    "%j, which declares nothing",
    (source) => {
      expect(readDeployment(source)).toEqual({
        api: { isStrict: false, requiresIfMatch: false },
        canDeleteAccount: false,
        registrationOf: expect.any(Function),
        changes: { recordDays: 400, deletedDays: 30 },
        customProtocols: [],
        clientSecretsShownTo: "viewers",
        scim2: { profile: "negotiate", removesDuplicateUsers: false, countsDirectories: false },
        indexes: [
          "emails.value",
          "name.familyName",
          "name.givenName",
          "displayName",
          "active",
          "externalId",
          "meta.created",
          "meta.lastModified",
        ],
        clients: defaultClientLimits,
        signIn: {
          identifiers: new Set(["userName", "emails.value"]),
          sessions: { idleSeconds: 3_600, longestSeconds: 43_200 },
          brandOf: expect.any(Function),
        },
        mail: { settings: undefined, limits: { ofNameMax: 5, ofAddressMax: 10, ofSourceMax: 60 } },
        access: { rules: [], certificates: { enabled: false, issuers: [], exemptContexts: [] } },
        nameRules: { minLength: 3, blanks: false },
        passwords: { lengthMin: 8, lengthMax: 100, history: 0 },
        sourceNames: { ofTenantMax: 30 },
        userStores: [],
      });
    },
  );

  test("days for which changes are remembered", () => {
    expect(readDeployment("[changes]\nrecord_days = 7\ndeleted_days = 0").changes).toEqual({
      recordDays: 7,
      deletedDays: 0,
    });
    expect(() => readDeployment("[changes]\nrecord_days = 0")).toThrow("changes.record_days");
    expect(() => readDeployment("[changes]\ndeleted_days = -1")).toThrow("changes.deleted_days");
  });

  test("which names new users may have", () => {
    expect(readDeployment("[user_name]\nmin_length = 1\nblanks = true").nameRules).toEqual({
      minLength: 1,
      blanks: true,
    });
    expect(() => readDeployment("[user_name]\nmin_length = 0")).toThrow("user_name.min_length");
    expect(() => readDeployment('[user_name]\nblanks = "yes"')).toThrow("user_name.blanks");
  });

  test("when sessions end, and refuses what cannot be", () => {
    expect(readDeployment("[sign_in]\nsession_idle_timeout = 300\nsession_lifetime = 600").signIn.sessions).toEqual({
      idleSeconds: 300,
      longestSeconds: 600,
    });
    const read = (lines: string) => () => readDeployment(`[sign_in]\n${lines}`);
    expect(read('identifiers = ["emails.value"]')).toThrow('sign_in.identifiers: must contain "userName"');
    expect(read('identifiers = ["userName", "userName"]')).toThrow("sign_in.identifiers: has a name twice");
    expect(read('identifiers = ["userName", "emails"]')).toThrow("sign_in.identifiers");
    expect([...readDeployment("").signIn.identifiers]).toEqual(["userName", "emails.value"]);
    expect(read("session_idle_timeout = 299")).toThrow("sign_in.session_idle_timeout: must be at least 300");
    expect(read("session_lifetime = 7776001")).toThrow("sign_in.session_lifetime: must be at most 7776000");
    expect(read("session_lifetime = 600")).toThrow("sign_in.session_idle_timeout: must be at most session_lifetime");
    expect(read("session_live_time = 600")).toThrow('unknown key "session_live_time"');
  });

  test("what tenants show of themselves, with a colour that can be read on light and dark pages", () => {
    const tenant = (lines: string) => `[[sign_in.tenant]]\n${lines}\n`;
    const { brandOf } = readDeployment(
      tenant('domain = "a.example"\nname = " A "\nlogo = "https://a.example/l.svg?v=1"\ncolour = "#0B5CAD"') +
        tenant('domain = "b.example"\ncolour = "#000000"') +
        tenant('domain = "c.example"'),
    ).signIn;
    expect(brandOf("a.example")).toMatchObject({ name: "A", logo: "https://a.example/l.svg?v=1" });
    expect([brandOf("c.example"), brandOf("other")]).toEqual([{}, {}]);
    for (const domain of ["a.example", "b.example"]) {
      const { light = "", dark = "" } = brandOf(domain).accents ?? {};
      expect(contrast(light, grounds.light)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(dark, grounds.dark)).toBeGreaterThanOrEqual(4.5);
    }
    expect(brandOf("a.example").accents?.light).toBe("#0b5cad");
    const read = (lines: string) => () => readDeployment(tenant(`domain = "a.example"\n${lines}`));
    for (const logo of [
      ...["http://a.example/l.svg", "data:image/png;base64,AA", "//a.example/l.svg", "https://a.example"],
      ...[
        "https://a.example/l;script-src *",
        "https://a.example/l,x",
        "https://a.example/l x",
        "https://u@a.example/l",
      ],
      ...["https://a.example/l'", "https://*/l", "javascript:alert(1)", `https://a.example/${"l".repeat(500)}`],
    ]) {
      expect(read(`logo = ${JSON.stringify(logo)}`), logo).toThrow("sign_in.tenant");
    }
    expect(read('colour = "#ffcc00"')).toThrow("must be darker");
    expect(read('colour = "red"')).toThrow("must be a colour like");
    expect(read('color = "#0b5cad"')).toThrow('did you mean "colour"?');
    expect(() => readDeployment(tenant('domain = "a"').repeat(2))).toThrow("has a domain twice");
    expect(() => readDeployment(tenant('name = "A"'))).toThrow("domain");
  });

  test("attributes with an index: the shipped ones, those of the file, or none", () => {
    const index = (...names: readonly string[]) =>
      readDeployment(names.map((name) => `[[scim2.index]]\nattribute = "${name}"\n`).join("")).indexes;
    expect(index()).toHaveLength(8);
    expect(index("Emails", "department", " nickName ")).toEqual([
      "emails.value",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
      "nickName",
    ]);
    expect(readDeployment('[scim2]\nprofile = "rfc7644"\nindex = []')).toMatchObject({
      scim2: { profile: "rfc7644" },
      indexes: [],
    });
    const sixteen = ["ims", "photos", "phoneNumbers", "entitlements"].flatMap((list) =>
      ["type", "primary", "display", "value"].map((part) => `${list}.${part}`),
    );
    expect(index(...sixteen)).toEqual(sixteen);
    expect(() => index(...sixteen, "nickName")).toThrow("scim2.index: the number of elements must be at most 16");
  });

  test.each(["viewers", "secret_viewers"])("client secrets that show to %s", (shownTo) => {
    const { clientSecretsShownTo } = readDeployment(`[oauth]\nshow_client_secrets_to = "${shownTo}"`);
    expect(clientSecretsShownTo).toBe(shownTo);
  });

  test.each([
    ["", 2],
    ["[oauth]\nmax_client_secrets = 1", 1],
    ["[oauth]\nmax_client_secrets = 10", 10],
  ])("the most secrets of a client: %j is %i", (source, most) => {
    expect(readDeployment(source).clients.clientSecretsMax).toBe(most);
  });

  test("the project's own file, which declares CAS", async () => {
    const { customProtocols } = readDeployment(
      await readFile(new URL("../../../deployment.toml", import.meta.url), "utf8"),
    );
    expect(customProtocols.map(({ name, configName, engine }) => ({ name, configName, engine }))).toEqual([
      { name: "cas", configName: "cas", engine: "cas" },
    ]);
    const [serviceUrl] = customProtocols[0]?.properties ?? [];
    expect(serviceUrl).toMatchObject({ name: "serviceURL", type: "STRING", required: true, isConfidential: false });
  });

  const cas = (more = "") => `${kind('name = "mine"\nengine = "cas"')}
    [[custom_inbound_protocol.property]]
    name = "serviceURL"
    required = true
    ${more}`;
  const another = (text: string) => `[[custom_inbound_protocol.property]]\n${text}`;
  test("what signs people in to a protocol: CAS, whatever it is called, or nothing", () => {
    const engines = (source: string) => readDeployment(source).customProtocols.map(({ engine }) => engine);
    expect(engines(cas())).toEqual(["cas"]);
    expect(engines(cas(another('name = "serviceTicketLifetime"\ntype = "INTEGER"\ndefault_value = 300')))).toEqual([
      "cas",
    ]);
    expect(engines(kind('name = "mine"\nengine = "none"'))).toEqual([undefined]);
  });
  test.each([
    [kind('name = "mine"\nengine = "cas"'), 'needs a required property "serviceURL"'],
    [cas(another('name = "colour"')), 'has no property "colour" that it knows; it knows serviceURL, logoutURL'],
    [cas(another('name = "allowProxyTickets"')), 'needs the property "allowProxyTickets" to be of type BOOLEAN'],
    [cas(another('name = "logoutURL"\nconfidential = true')), 'needs the property "logoutURL" not to be confidential'],
    [cas(another('name = "attributeRelease"')), 'needs the available_values of "attributeRelease" to be among none'],
    [cas(another('name = "attributeRelease"\navailable_values = ["most"]')), "to be among none, requested, all"],
    [
      cas(another('name = "serviceTicketLifetime"\ntype = "INTEGER"\ndefault_value = 301')),
      'has a default_value of "serviceTicketLifetime" that must be from 1 to 300',
    ],
    [`${cas()}\n${cas().replace("mine", "other")}`, "can sign in one protocol only"],
    [kind('name = "mine"\nengine = "kerberos"'), "engine"],
  ])("a declaration that CAS cannot sign in is refused: %#", (source, message) => {
    expect(() => readDeployment(source)).toThrow(message);
  });

  test("a property with a name only: STRING, shown by its name, in the order of the file", () => {
    expect(readDeployment(property('name = "first"')).customProtocols).toEqual([
      {
        name: "proto",
        displayName: "proto",
        configName: "proto",
        properties: [
          {
            name: "first",
            displayName: "first",
            type: "STRING",
            required: false,
            availableValues: [],
            displayOrder: 1,
            isConfidential: false,
          },
        ],
      },
    ]);
  });

  test("every key of a protocol, and sorts properties by display_order", () => {
    const source = `${kind('name = "My.proto_2-x"\ndisplay_name = "Mine"\nconfig_name = "mine"')}
      [[custom_inbound_protocol.property]]
      name = "seconds"
      display_name = "Seconds"
      type = "INTEGER"
      required = true
      available_values = [10, "20"]
      default_value = 10
      display_order = 7
      [[custom_inbound_protocol.property]]
      name = "key"
      validation_regex = "[a-f]+"
      display_order = 3
      confidential = true
      [[custom_inbound_protocol.property]]
      name = "on"
      type = "BOOLEAN"
      default_value = "true"
      display_order = 5`;
    const [mine] = readDeployment(source).customProtocols;
    expect(mine).toMatchObject({ name: "My.proto_2-x", displayName: "Mine", configName: "mine" });
    expect(mine?.properties).toMatchObject([
      { name: "key", validationRegex: "[a-f]+", isConfidential: true },
      { name: "on", defaultValue: "true" },
      { name: "seconds", displayName: "Seconds", required: true, availableValues: ["10", "20"], defaultValue: "10" },
    ]);
  });

  test("any validation_regex: the module that uses it compiles it", () => {
    expect(only(property(`name = "p"\nvalidation_regex = '(a+)+['`))?.validationRegex).toBe("(a+)+[");
  });
});

describe("refuses, with the key to change,", () => {
  const place = 'custom_inbound_protocol["proto"].property["p"]';
  test.each([
    ["[custom_inbound_protocols]", 'unknown key "custom_inbound_protocols" (did you mean "custom_inbound_protocol"?)'],
    [
      "[scope]\na = 1",
      'unknown key "scope" (known: api, changes, scim2, oauth, sign_in, email, password, account, registration, intermediate_cert_validation, resource, user_name, user_store, custom_inbound_protocol)',
    ],
    [
      kind('name = "proto"\ndisplayName = "x"'),
      'custom_inbound_protocol["proto"]: unknown key "displayName" (did you mean "display_name"?)',
    ],
    [property('name = "p"\nrequird = true'), `${place}: unknown key "requird" (did you mean "required"?)`],
    [property('name = "p"\n"__proto__" = 1'), `${place}: unknown key "__proto__"`],
    [kind(""), "custom_inbound_protocol[number 1].name: is required"],
    [kind("name = 7"), "custom_inbound_protocol[number 1].name: must be a string in quotes (line 2)"],
    ["custom_inbound_protocol = 7", "custom_inbound_protocol: must be a list (line 1)"],
    [property('name = "p"\nrequired = "yes"'), `${place}.required: must be true or false, without quotes`],
    [property('name = "p"\ntype = "TEXT"'), `${place}.type: must be "STRING" or "BOOLEAN" or "INTEGER"`],
    [
      property('name = "p"\ndefault_value = 1.5'),
      `${place}.default_value: must be a string, a whole number, true or false`,
    ],
    [property('name = "p"\ndefault_value = 1'), `${place}.default_value: must be of type STRING, but "1" is not`],
    [
      property('name = "p"\ntype = "INTEGER"\ndefault_value = "ten"'),
      `${place}.default_value: must be of type INTEGER, but "ten" is not`,
    ],
    [
      property('name = "p"\navailable_values = ["a", 1]'),
      `${place}.available_values: must be of type STRING, but "1" is not`,
    ],
    [
      property('name = "p"\navailable_values = ["a"]\ndefault_value = "b"'),
      `${place}.default_value: must be one of available_values, but "b" is not`,
    ],
    [property('name = "p"\nconfidential = true\ndefault_value = "b"'), `${place}.default_value: must be absent`],
    [
      property('name = "p"\ntype = "BOOLEAN"\nvalidation_regex = "t.*"'),
      `${place}.validation_regex: is for type = "STRING" only`,
    ],
    [
      `${kind('name = "proto"')}${kind('name = "Proto"')}`,
      'custom_inbound_protocol["Proto"].name: "Proto" is used twice; rename one',
    ],
    [
      `${property('name = "p"')}[[custom_inbound_protocol.property]]\nname = "p"`,
      `${place}.name: "p" is used twice; rename one`,
    ],
    [
      '[oauth]\nshow_client_secrets_to = "everybody"',
      'oauth.show_client_secrets_to: must be "viewers" or "secret_viewers" (line 2)',
    ],
    ["[oauth]\nmax_client_secrets = 0", "oauth.max_client_secrets: "],
    ["[oauth]\nmax_client_secrets = 11", "oauth.max_client_secrets: "],
    ["[oauth]\nshow_client_secrets = true", 'did you mean "show_client_secrets_to"?'],
    [
      '[[scim2.index]]\nattribute = "meta.version"',
      'scim2.index[number 1].attribute: "meta.version" cannot have an index; name a text or true-false attribute of users that clients write, such as "name.familyName" or "emails.value", or "meta.created" or "meta.lastModified" (line 2)',
    ],
    [
      '[[scim2.index]]\nattribute = "emails"\n[[scim2.index]]\nattribute = "emails.value"',
      'scim2.index[number 2].attribute: "emails.value" is declared twice; delete one (line 4)',
    ],
    ["[[scim2.index]]", "scim2.index[number 1].attribute: is required (line 1)"],
    ['[[scim2.index]]\nattribute = "title"\ncase = 1', 'scim2.index[number 1]: unknown key "case" (known: attribute)'],
    ['[scim2]\nindex = "title"', "scim2.index: must be written as [[scim2.index]], with double brackets"],
    ["a = ", "line 1, column 5: "],
    ["[a]\n[a]", "line 2, column "],
  ])("%j", (source, message) => {
    expect(() => readDeployment(source)).toThrow(message);
  });

  test.each(["saml", "OIDC", "passive-sts", "ws-trust", "samlsso", "oauth2"])(
    "the name %s of a standard protocol",
    (name) => {
      expect(() => readDeployment(kind(`name = "${name}"`))).toThrow(
        `["${name}"].name: is the name of a standard protocol; choose another name`,
      );
    },
  );

  test.each(["", " a", "a ", "a/b", "a+b", "a%b", "..", "ä", "a\\u0000b", "a;b"])("the name %j", (name) => {
    expect(() => readDeployment(kind(`name = "${name}"`))).toThrow(/\.name: must contain only letters/);
  });

  test("several mistakes in one message", () => {
    expect(() => readDeployment(property("requird = true"))).toThrow(/name: is required \(line \d+\); .*"requird"/);
  });
});

describe("the file", () => {
  test("is named in the message of a mistake", async () => {
    const path = new URL("../../../tsconfig.json", import.meta.url).pathname;
    expect(() => deploymentFromFile(path)).toThrow(`${path}: line 1, column `);
  });
  test("is named together with its variable where it cannot be read", () => {
    expect(() => deploymentFromFile("/nowhere/deployment.toml")).toThrow(
      "DEPLOYMENT_TOML /nowhere/deployment.toml cannot be read: ENOENT",
    );
  });
  test("needs its variable, which the message names", () => {
    expect(() => deploymentFile({})).toThrow("environment: DEPLOYMENT_TOML: ");
    expect(deploymentFile({ DEPLOYMENT_TOML: "d.toml" })).toBe("d.toml");
  });
});

describe("[registration]", () => {
  const of = (text: string) => readDeployment(text).registrationOf;
  test("is off by default; a tenant has what its own table says, and otherwise what all have", () => {
    expect(of("")("acme.com")).toBeUndefined();
    const text = `
[registration]
email_domains = ["Bücher.example"]
terms_url = "https://example.com/terms"
requests_per_hour = 7
[registration.tenants."acme.com"]
enabled = true
[registration.tenants."all.com"]
enabled = true
email_domains = []
`;
    expect(of(text)("carbon.super")).toBeUndefined();
    expect(of(text)("constructor")).toBeUndefined();
    const common = { termsUrl: "https://example.com/terms", hourMax: 7 };
    expect(of(text)("acme.com")).toEqual({ emailDomains: ["xn--bcher-kva.example"], ...common });
    expect(of(text)("all.com")).toEqual({ emailDomains: [], ...common });
    expect(of('[registration]\nenabled = true\n[registration.tenants."a"]\nenabled = false')("a")).toBeUndefined();
  });
  test.each([
    ['[registration]\nemail_domains = ["@example.com"]', "must be the domain of an e-mail address"],
    ['[registration]\nterms_url = "http://example.com"', "must be an https address"],
    ['[registration]\nterms_url = "javascript:alert(1)"', "must be an https address"],
    ["[registration]\nrequests_per_hour = 0", "registration.requests_per_hour"],
    ['[registration.tenants."a"]\nenable = true', 'unknown key "enable"'],
    ['[registration.tenants."ACME.com"]\nenabled = false', "in small letters"],
  ])("%j is refused", (text, message) => expect(() => readDeployment(text)).toThrow(message));
});
