import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { defaultAccess } from "#core/auth/access-control/model.ts";
import { readDeployment } from "#core/settings/deployment.ts";
import { deploymentFromFile } from "#core/settings/file.ts";
import { deploymentFile } from "#functions/env.ts";

const kind = (lines: string) => `[[custom_inbound_protocol]]\n${lines}\n`;
const property = (lines: string) => `${kind('name = "proto"')}[[custom_inbound_protocol.property]]\n${lines}\n`;
const only = (source: string) => readDeployment(source).customProtocols[0]?.properties[0];

describe("what is valid", () => {
  test.each(["", "\n# nothing but a comment\n", "\uFEFF", "custom_inbound_protocol = []"])(
    "%j declares nothing",
    (source) => {
      expect(readDeployment(source)).toEqual({
        customProtocols: [],
        scim2: { profile: "wso2", removesDuplicateUsers: false, countsDirectories: false },
        access: defaultAccess,
        userStores: [],
      });
    },
  );

  test("the project's own file declares CAS, with what a CAS service needs", async () => {
    const { customProtocols } = readDeployment(
      await readFile(new URL("../../../deployment.toml", import.meta.url), "utf8"),
    );
    expect(customProtocols.map(({ name, configName }) => ({ name, configName }))).toEqual([
      { name: "cas", configName: "cas" },
    ]);
    const [serviceUrl] = customProtocols[0]?.properties ?? [];
    expect(serviceUrl).toMatchObject({ name: "serviceURL", type: "STRING", required: true, isConfidential: false });
    const pattern = new RegExp(serviceUrl?.validationRegex ?? "");
    for (const url of ["https://taxi.example/cas", "http://localhost:8080/cas", "http://127.0.0.1"])
      expect(url).toMatch(pattern);
    for (const url of ["http://taxi.example/cas", "https://", "http://localhost.evil.example", "javascript:alert(1)"]) {
      expect(url).not.toMatch(pattern);
    }
  });

  test("what is left out: the name is shown, text is the type, the order is that of the file", () => {
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

  test("everything at once, sorted by display_order", () => {
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

  test("a pattern is kept as it is written: whoever compiles it does so with an engine of its own", () => {
    expect(only(property(`name = "p"\nvalidation_regex = '(a+)+['`))?.validationRegex).toBe("(a+)+[");
  });
});

describe("what is refused, with the key to change", () => {
  const place = 'custom_inbound_protocol["proto"].property["p"]';
  test.each([
    ["[custom_inbound_protocols]", 'unknown key "custom_inbound_protocols" (did you mean "custom_inbound_protocol"?)'],
    [
      "[scope]\na = 1",
      'unknown key "scope" (known: scim2, intermediate_cert_validation, resource, user_store, custom_inbound_protocol)',
    ],
    [
      kind('name = "proto"\ndisplayName = "x"'),
      'custom_inbound_protocol["proto"]: unknown key "displayName" (did you mean "display_name"?)',
    ],
    [property('name = "p"\nrequird = true'), `${place}: unknown key "requird" (did you mean "required"?)`],
    [property('name = "p"\n"__proto__" = 1'), `${place}: unknown key "__proto__"`],
    [kind(""), "custom_inbound_protocol[number 1].name: is required"],
    [kind("name = 7"), "custom_inbound_protocol[number 1].name: Invalid input: expected string, received number"],
    ["custom_inbound_protocol = 7", "custom_inbound_protocol: Invalid input: expected array, received number"],
    [property('name = "p"\nrequired = "yes"'), `${place}.required: Invalid input: expected boolean, received string`],
    [property('name = "p"\ntype = "TEXT"'), `${place}.type: Invalid option`],
    [
      property('name = "p"\ndefault_value = 1.5'),
      `${place}.default_value: expected a string, a boolean or a whole number`,
    ],
    [property('name = "p"\ndefault_value = 1'), `${place}.default_value: "1" is no STRING`],
    [property('name = "p"\ntype = "INTEGER"\ndefault_value = "ten"'), `${place}.default_value: "ten" is no INTEGER`],
    [property('name = "p"\navailable_values = ["a", 1]'), `${place}.available_values: "1" is no STRING`],
    [
      property('name = "p"\navailable_values = ["a"]\ndefault_value = "b"'),
      `${place}.default_value: "b" is not one of available_values`,
    ],
    [
      property('name = "p"\nconfidential = true\ndefault_value = "b"'),
      `${place}.default_value: a confidential property has none`,
    ],
    [property('name = "p"\ntype = "BOOLEAN"\nvalidation_regex = "t.*"'), `${place}.validation_regex: only a STRING`],
    [
      `${kind('name = "proto"')}${kind('name = "Proto"')}`,
      'custom_inbound_protocol["Proto"].name: "Proto" is used twice',
    ],
    [`${property('name = "p"')}[[custom_inbound_protocol.property]]\nname = "p"`, `${place}.name: "p" is used twice`],
    ["a = ", "line 1, column 5: "],
    ["[a]\n[a]", "line 2, column "],
  ])("%j", (source, message) => {
    expect(() => readDeployment(source)).toThrow(message);
  });

  test.each(["saml", "OIDC", "passive-sts", "ws-trust", "samlsso", "oauth2"])("the standard protocol %s", (name) => {
    expect(() => readDeployment(kind(`name = "${name}"`))).toThrow(
      `["${name}"].name: is the name of a standard protocol`,
    );
  });

  test.each(["", " a", "a ", "a/b", "a+b", "a%b", "..", "ä", "a\\u0000b", "a;b"])("the name %j", (name) => {
    expect(() => readDeployment(kind(`name = "${name}"`))).toThrow(/\.name: expected letters/);
  });

  test("several mistakes are told at once", () => {
    expect(() => readDeployment(property("requird = true"))).toThrow(/name: is required \(line \d+\); .*"requird"/);
  });
});

describe("the file", () => {
  test("a mistake is told with the name of the file", async () => {
    const path = new URL("../../../tsconfig.json", import.meta.url).pathname;
    expect(() => deploymentFromFile(path)).toThrow(`${path}: line 1, column `);
  });
  test("a file that is not there is told with the variable that names it", () => {
    expect(() => deploymentFromFile("/nowhere/deployment.toml")).toThrow(
      "DEPLOYMENT_TOML /nowhere/deployment.toml cannot be read: ENOENT",
    );
  });
  test("a variable that is not set is told by its name", () => {
    expect(() => deploymentFile({})).toThrow("environment: DEPLOYMENT_TOML: ");
    expect(deploymentFile({ DEPLOYMENT_TOML: "d.toml" })).toBe("d.toml");
  });
});
