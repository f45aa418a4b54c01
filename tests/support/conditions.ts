/** The project's deployment.toml with other settings of `[api]`. */
import { readFileSync } from "node:fs";

export const deploymentWith = (settings: string): string =>
  readFileSync(new URL("../../deployment.toml", import.meta.url), "utf8").replace(
    /^\[api\]$([\s\S]*?)^\[scim2\]$/m,
    `[api]\n${settings}\n\n[scim2]`,
  );
