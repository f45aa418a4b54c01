/** LISTEN_HOST: the service listens on another address, and says of itself what it said before. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningService, startService } from "#local/service.ts";
import { readSettings } from "#local/settings.ts";

describe("the setting", () => {
  test("is absent by default, or an address", () => {
    expect(readSettings({})).not.toHaveProperty("listenHost");
    expect(readSettings({ LISTEN_HOST: "" })).not.toHaveProperty("listenHost");
    expect(readSettings({ LISTEN_HOST: "0.0.0.0" }).listenHost).toBe("0.0.0.0");
    expect(readSettings({ LISTEN_HOST: "::" }).listenHost).toBe("::");
  });
  test.each(["localhost", "0.0.0", "127.0.0.1:3000"])("is refused as %s", (text) => {
    expect(() => readSettings({ LISTEN_HOST: text })).toThrow(
      `LISTEN_HOST must be an address of this machine such as 127.0.0.1 or 0.0.0.0, not "${text}".`,
    );
  });
});

// On Linux all of 127.0.0.0/8 is this machine.
describe.skipIf(process.platform !== "linux")("a service on another address", () => {
  let service: RunningService | undefined;
  beforeAll(async () => {
    const given = readSettings({ DATA_DIR: ":memory:", PORT: "0", MTLS_PORT: "0", LISTEN_HOST: "127.0.0.2" });
    service = await startService({ ...given, administrator: { username: "admin", password: "admin" } });
  });
  afterAll(() => service?.close());

  test("answers there only, and names 127.0.0.1 in links and as issuer", async () => {
    const url = service?.url ?? "";
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(service?.mtlsUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const there = url.replace("127.0.0.1", "127.0.0.2");
    const metadata = (await (await fetch(`${there}/oauth2/token/.well-known/openid-configuration`)).json()) as object;
    expect(metadata).toMatchObject({ issuer: `${url}/oauth2/token`, jwks_uri: `${url}/oauth2/jwks` });
    await expect(fetch(`${url}/oauth2/jwks`)).rejects.toThrow("fetch failed");
  });
});
