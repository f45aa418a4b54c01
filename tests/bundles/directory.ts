/** The directory of the bundled functions in tests. */
import { fileURLToPath } from "node:url";

export const directory = fileURLToPath(new URL("../../.build/functions", import.meta.url));
