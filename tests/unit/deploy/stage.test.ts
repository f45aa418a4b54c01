/** What a team sets about a stage, and what it is told when that is wrong. */
import { describe, expect, test } from "vitest";
import { settingsOf, stageOf } from "../../../stacks/stage.ts";

const domain = { API_DOMAIN: "api.example.com", HOSTED_ZONE_ID: "Z0" };

describe("settings", () => {
  test("may all be left out", () => {
    expect(settingsOf({})).toEqual({
      domains: undefined,
      alarmEmail: undefined,
      adminUsername: "admin",
      restoredTable: undefined,
      directoryNetwork: undefined,
    });
  });
  test("are read from the environment", () => {
    const environment = { ...domain, MTLS_DOMAIN: "mtls.example.com", TRUSTSTORE_FILE: "README.md" };
    expect(
      settingsOf({
        ...environment,
        ALARM_EMAIL: "o@example.com",
        ADMIN_USERNAME: "root",
        RESTORED_TABLE: "t",
        DIRECTORY_SUBNETS: "subnet-0a1, subnet-0b2",
        DIRECTORY_SECURITY_GROUPS: "sg-0c3",
      }),
    ).toEqual({
      domains: { api: "api.example.com", mtls: "mtls.example.com", zoneId: "Z0", truststore: "README.md" },
      alarmEmail: "o@example.com",
      adminUsername: "root",
      restoredTable: "t",
      directoryNetwork: { subnets: ["subnet-0a1", "subnet-0b2"], securityGroups: ["sg-0c3"] },
    });
  });
  test.each([
    [
      { API_DOMAIN: "api.example.com" },
      "API_DOMAIN needs HOSTED_ZONE_ID: the Route 53 zone that api.example.com belongs to.",
    ],
    [
      { ...domain, API_DOMAIN: "https://a" },
      'API_DOMAIN must be a host name such as api.example.com, not "https://a".',
    ],
    [
      { MTLS_DOMAIN: "m.example.com" },
      "MTLS_DOMAIN needs API_DOMAIN: the API keeps a name without client certificates.",
    ],
    [{ ...domain, MTLS_DOMAIN: "api.example.com" }, "API_DOMAIN and MTLS_DOMAIN must be two names."],
    [
      { ...domain, MTLS_DOMAIN: "m.example.com" },
      "MTLS_DOMAIN needs certs/truststore.pem: the certificates of the authorities whose clients are let in.",
    ],
    [{ DIRECTORY_SUBNETS: "subnet-0a1" }, "DIRECTORY_SUBNETS and DIRECTORY_SECURITY_GROUPS need each other."],
    [
      { DIRECTORY_SUBNETS: "subnet-0a1", DIRECTORY_SECURITY_GROUPS: "default" },
      'DIRECTORY_SECURITY_GROUPS must be ids by commas; "default" is none.',
    ],
  ])("%j is refused", (environment, sentence) => {
    expect(() => settingsOf(environment)).toThrow(sentence);
  });
});

describe("stages", () => {
  test.each([
    ["production", "production"],
    ["staging", "staging"],
    ["dana", "personal"],
    ["constructor", "personal"],
  ])("%s is %s", (name, kind) => expect(stageOf(name).kind).toBe(kind));
  test.each([
    ["prod", "production"],
    ["live", "production"],
    ["stage", "staging"],
  ])("%s is refused: it would be removed like a developer's own", (name, meant) => {
    expect(() => stageOf(name)).toThrow(`The stage "${name}" would be a developer's own: call it "${meant}".`);
  });
});
