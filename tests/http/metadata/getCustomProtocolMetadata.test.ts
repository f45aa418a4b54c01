import { describe, expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask } = world({
  deployment: `
    [[custom_inbound_protocol]]
    name = "pickup link 2.0"
    display_name = "Pickup link"
    config_name = "pickup"
    [[custom_inbound_protocol.property]]
    name = "app-identifier"
    display_name = "Application Identifier"
    required = true
    validation_regex = "[a-z]+"
    [[custom_inbound_protocol.property]]
    name = "secret"
    confidential = true
    [[custom_inbound_protocol.property]]
    name = "seconds"
    type = "INTEGER"
    available_values = [10, 60]
    default_value = 60
    display_order = 0

    [[custom_inbound_protocol]]
    name = "bare"
  `,
});
const read = (name: string) => ask("GET", `${APPLICATIONS}/meta/inbound-protocols/${name}`);

test("returns properties by display order and omits undeclared members", async () => {
  const { status, body } = await read("pickup%20link%202.0");
  expect(status).toBe(200);
  expect(body).toEqual({
    displayName: "Pickup link",
    configName: "pickup",
    properties: [
      {
        name: "seconds",
        displayName: "seconds",
        type: "INTEGER",
        required: false,
        availableValues: ["10", "60"],
        defaultValue: "60",
        displayOrder: 0,
        isConfidential: false,
      },
      {
        name: "app-identifier",
        displayName: "Application Identifier",
        type: "STRING",
        required: true,
        availableValues: [],
        validationRegex: "[a-z]+",
        displayOrder: 1,
        isConfidential: false,
      },
      {
        name: "secret",
        displayName: "secret",
        type: "STRING",
        required: false,
        availableValues: [],
        displayOrder: 2,
        isConfidential: true,
      },
    ],
  });
});

test("accepts a blank as + and as an escaped +", async () => {
  for (const name of ["pickup+link+2.0", "pickup%2Blink%2B2.0", "pickup+link%202.0"]) {
    expect((await read(name)).body?.configName, name).toBe("pickup");
  }
});

test("returns a protocol without properties", async () => {
  expect((await read("bare")).body).toEqual({ displayName: "bare", configName: "bare", properties: [] });
});

describe("404 APP-60501", () => {
  test.each(["cas", "BARE", "passive-sts", "constructor", "__proto__", "pickup", "+bare", "x".repeat(300)])(
    "%s",
    async (name) => {
      const { status, body } = await read(name);
      expect(status).toBe(404);
      expect(body).toMatchObject({ code: "APP-60501", message: "Inbound protocol not found." });
      expect(body.description).toContain(name.replaceAll("+", " ").slice(0, 100));
    },
  );
});
