/** Where the functions lie as they are deployed, while they are tested. */
import { fileURLToPath } from "node:url";

export const directory = fileURLToPath(new URL("../../.build/functions", import.meta.url));
