/** What is declared confidential later: histories, records, versions and templates do not show what was stored plain. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { presenting } from "#core/database/changes/present.ts";
import { deploymentFromFile } from "#core/service/settings/deployment.ts";
import { type Engine, startEngine } from "#local/engine.ts";
import { startService } from "#local/service.ts";
import { recordsIn } from "#tests/support/changes.ts";
import { ADMIN, APPLICATIONS, type World, worldOn } from "#tests/support/world.ts";

const [PLAIN, SEALED, OPEN] = ["stored-plain-77", "stored-sealed-78", "an-open-value"];
const TEMPLATES = `${APPLICATIONS}/templates`;
const declaration = (isConfidential: boolean) => `
[[custom_inbound_protocol]]
name = "cas"
config_name = "cas"
[[custom_inbound_protocol.property]]
name = "endpoint"
[[custom_inbound_protocol.property]]
name = "key"
confidential = ${isConfidential}
`;

let directory = "";
let engine: Engine;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "confidential-"));
  engine = await startEngine();
});
afterAll(async () => {
  await engine.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The service on the same data, with another declaration. */
const serving = async (isConfidential: boolean, work: (api: World) => Promise<void>) => {
  const deploymentFile = join(directory, "deployment.toml");
  await writeFile(deploymentFile, declaration(isConfidential));
  const service = await startService({
    port: 0,
    mtlsPort: undefined,
    dataDirectory: directory,
    administrator: ADMIN,
    endpoint: engine.endpoint,
    deploymentFile,
  });
  await work(worldOn(() => service)).finally(() => service.close());
};

const protocol = (key: string) => ({
  name: "cas",
  configName: "cas",
  properties: [
    { key: "endpoint", value: OPEN },
    { key: "key", value: key },
  ],
});
const inbound = (key: string) => ({ inboundProtocolConfiguration: { custom: [protocol(key)] } });

test("values that were stored plain before they were declared confidential are hidden in all that is read", async () => {
  let [application, template] = ["", ""];
  await serving(false, async (api) => {
    application = await api.create({ name: "early", ...inbound(PLAIN) });
    const changed = { body: protocol(`${PLAIN}-2`) };
    await api.ask("PUT", `${APPLICATIONS}/${application}/inbound-protocols/cas`, changed);
    const made = await api.ask("POST", TEMPLATES, {
      body: { name: "t", application: { name: "t", ...inbound(PLAIN) } },
    });
    template = made.headers.get("location")?.split("/").at(-1) ?? "";
    // Until then it is shown.
    expect((await api.ask("GET", `${APPLICATIONS}/${application}/history`)).text).toContain(PLAIN);
  });
  await serving(true, async (api) => {
    const own = `${APPLICATIONS}/${application}`;
    await api.ask("PUT", `${own}/inbound-protocols/cas`, { body: protocol(SEALED) });
    await api.ask("PUT", `${TEMPLATES}/${template}`, {
      body: { name: "t 2", application: { name: "t", ...inbound(PLAIN) } },
    });
    const histories = [own, `${own}/inbound-protocols/cas`, `${TEMPLATES}/${template}`];
    const lists = ["/api/server/v1/audit-events?limit=1000", "/api/server/v1/changes?limit=1000"];
    const versions: string[] = [];
    for (const path of histories) {
      const { body } = await api.ask("GET", `${path}/history`);
      expect(body.records.length).toBeGreaterThan(0);
      versions.push(...body.records.map(({ version }: { version: string }) => `${path}/history/${version}`));
    }
    expect(versions).toHaveLength(8);
    const shown: string[] = [];
    for (const path of [
      ...histories.map((one) => `${one}/history`),
      ...lists,
      ...versions,
      `${TEMPLATES}/${template}`,
    ]) {
      const { status, text } = await api.ask("GET", path);
      expect(status, path).toBe(200);
      expect(text, path).not.toContain(PLAIN);
      expect(text, path).not.toContain(SEALED);
      shown.push(text);
    }
    expect(shown.join()).toContain(OPEN);
    // What events show.
    const { customProtocols } = deploymentFromFile(join(directory, "deployment.toml"));
    const events = JSON.stringify((await recordsIn(api)).map(presenting(customProtocols)));
    expect(events).toContain('{"key":"key","value":{"secret":true}}');
    expect(events).not.toMatch(/stored-(plain|sealed)/);
  });
}, 120_000);
